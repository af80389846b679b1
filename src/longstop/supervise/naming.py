"""Learns the names behind the codes that matches show. One that cannot be had is asked for again, later."""

from collections.abc import Callable, Iterable

from longstop.clock import Clock
from longstop.domain.errors import FetchError, LongstopError, PayloadError, StoreError
from longstop.domain.match import Names
from longstop.fetch.snapshot import Fetcher
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.sources.contract import Source
from longstop.store.contract import NamesRow, Store, WriteBatch
from longstop.supervise.service import Stop
from longstop.watch import Codes

ASK_EVERY_SECONDS = 1.0
ASK_AGAIN_AFTER_SECONDS = 60.0
REST_AFTER_FAILURE_SECONDS = 5.0


class NameBook:
    """The names of one source, in memory; the store keeps them over a restart."""

    def __init__(self) -> None:
        self.names = Names(players={}, teams={}, teams_short={}, series={})

    def learn(self, names: Names) -> None:
        self.names.players.update(names.players)
        self.names.teams.update(names.teams)
        self.names.teams_short.update(names.teams_short)
        self.names.series.update(names.series)


class Naming:
    def __init__(
        self,
        source: Source,
        fetcher: Fetcher,
        store: Store,
        book: NameBook,
        codes: Callable[[], Iterable[Codes]],
        clock: Clock,
        bus: Signals,
    ) -> None:
        self.name = f"naming {source.manifest.name}"
        self._source = source
        self._fetcher = fetcher
        self._store = store
        self._book = book
        self._codes = codes
        self._clock = clock
        self._bus = bus
        self._asked: dict[str, float] = {}
        self._rests_until = 0.0

    async def run(self, stop: Stop) -> None:
        is_recalled = await self._recall()
        while not await stop.pause(ASK_EVERY_SECONDS):
            if self._clock.monotonic() >= self._rests_until:
                is_recalled = is_recalled or await self._recall()
                await self._look()

    async def _recall(self) -> bool:
        try:
            self._book.learn(await self._store.names(self._source.manifest.name))
        except StoreError as error:
            self._rest(error)
            return False
        return True

    async def _look(self) -> None:
        asked = self._unknown()
        if not any(asked):
            return
        try:
            snapshot = await self._fetcher.fetch(self._source.names_for(*asked))
            names = self._source.parse_names(snapshot)
            await self._store.save(WriteBatch(names=(NamesRow(self._source.manifest.name, names),)))
        except (FetchError, PayloadError, StoreError) as error:
            self._rest(error)
            return
        self._book.learn(names)
        self._asked.update(dict.fromkeys((code for codes in asked for code in codes), self._clock.monotonic()))

    def _unknown(self) -> tuple[list[str], list[str], list[str]]:
        """Players, teams and series that nobody has named yet, at most one call's worth; teams go first."""
        known = self._book.names
        players: set[str] = set()
        teams: set[str] = set()
        series: set[str] = set()
        for codes in self._codes():
            if codes.named == codes.count:
                continue
            strangers = codes.players - known.players.keys()
            foreign = codes.teams - known.teams.keys()
            unheard = codes.series - known.series.keys()
            if not (strangers or foreign or unheard):
                codes.named = codes.count
            players |= strangers
            teams |= foreign
            series |= unheard
        room = self._source.manifest.names_per_call
        wanted_teams = self._due(teams, room)
        wanted_series = self._due(series, room - len(wanted_teams))
        return self._due(players, room - len(wanted_teams) - len(wanted_series)), wanted_teams, wanted_series

    def _due(self, codes: set[str], room: int) -> list[str]:
        now = self._clock.monotonic()
        return [code for code in sorted(codes) if self._is_due(code, now)][: max(0, room)]

    def _is_due(self, code: str, now: float) -> bool:
        asked = self._asked.get(code)
        return asked is None or now - asked > ASK_AGAIN_AFTER_SECONDS

    def _rest(self, error: LongstopError) -> None:
        """Names are worth waiting for, and not worth hammering a source that is in trouble."""
        self._rests_until = self._clock.monotonic() + REST_AFTER_FAILURE_SECONDS
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=error.message,
                hint=error.hint,
                operation=self.name,
            )
        )
