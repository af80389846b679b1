"""Contracts that the site breaks now: each is told once, until a payload keeps it again."""

from longstop.clock import Clock
from longstop.domain.errors import SchemaBreakError
from longstop.observe.signals import Signals
from longstop.observe.signals import captures as facts


class Breaks:
    def __init__(self, source: str, clock: Clock, bus: Signals) -> None:
        self._source = source
        self._clock = clock
        self._bus = bus
        self._broken: set[str] = set()

    @property
    def contracts(self) -> frozenset[str]:
        return frozenset(self._broken)

    def broke(self, match_id: int, error: SchemaBreakError) -> None:
        if error.contract in self._broken:
            return
        self._broken.add(error.contract)
        self._bus.emit(
            facts.SchemaBroken(
                at=self._clock.now(),
                source=self._source,
                contract=error.contract,
                match_id=match_id,
                message=error.message,
                missing=error.missing,
                wrong=error.wrong,
            )
        )

    def kept(self, contract: str) -> None:
        if contract in self._broken:
            self._broken.remove(contract)
            self._bus.emit(facts.SchemaHealed(at=self._clock.now(), source=self._source, contract=contract))
