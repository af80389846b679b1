"""Contracts that the site breaks now: each is told once, until it heals.

It has healed when every match that broke it keeps it again, or has begun. That others keep it says nothing: a break
that shows with some matches only would be told anew at each turn.
"""

from longstop.clock import Clock
from longstop.domain.errors import SchemaBreakError
from longstop.observe.signals import Signals
from longstop.observe.signals import captures as facts


class Breaks:
    def __init__(self, source: str, clock: Clock, bus: Signals) -> None:
        self._source = source
        self._clock = clock
        self._bus = bus
        self._broken: dict[str, set[int]] = {}

    def broke(self, match_id: int, error: SchemaBreakError) -> None:
        by = self._broken.setdefault(error.contract, set())
        if not by:
            self._bus.emit(
                facts.SchemaBroken(
                    at=self._clock.now(),
                    source=self._source,
                    contract=error.contract,
                    match_id=str(match_id),
                    message=error.message,
                    missing=error.missing,
                    wrong=error.wrong,
                )
            )
        by.add(match_id)

    def kept(self, match_id: int, contract: str) -> None:
        by = self._broken.get(contract)
        if by is None:
            return
        by.discard(match_id)
        if not by:
            del self._broken[contract]
            self._bus.emit(facts.SchemaHealed(at=self._clock.now(), source=self._source, contract=contract))

    def forget(self, match_id: int) -> None:
        for contract in list(self._broken):
            self.kept(match_id, contract)
