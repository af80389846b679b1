"""What the house holds, as it was told last: browsers by pool, and what waits for the database."""

import msgspec

from longstop.observe import signals as facts
from longstop.observe.signals import Signals


class Pool(msgspec.Struct, frozen=True):
    name: str
    browsers: int
    contexts: int
    pages: int
    waiting: int
    megabytes: int


class Holdings:
    """`backlog` is None until it was counted; without a spool it never is."""

    def __init__(self) -> None:
        self._pools: dict[str, Pool] = {}
        self.backlog: facts.BacklogMeasured | None = None

    def subscribe(self, bus: Signals) -> None:
        bus.subscribe(facts.BrowsersMeasured, self._on_browsers)
        bus.subscribe(facts.BacklogMeasured, self._on_backlog)

    @property
    def pools(self) -> tuple[Pool, ...]:
        return tuple(self._pools.values())

    def _on_browsers(self, signal: facts.BrowsersMeasured) -> None:
        self._pools[signal.pool] = Pool(
            name=signal.pool,
            browsers=signal.browsers,
            contexts=signal.contexts,
            pages=signal.pages,
            waiting=signal.waiting,
            megabytes=-(-signal.pss_bytes // (1024 * 1024)),
        )

    def _on_backlog(self, signal: facts.BacklogMeasured) -> None:
        self.backlog = signal
