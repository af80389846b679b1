"""Days of football on virtual time: the real scheduler, service and store before the simulated site, and its oracle."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from random import Random

from longstop.clock import LoopClock
from longstop.domain.football import Side
from longstop.domain.football_record import LineUpRecord
from longstop.fetch.exits.proxy_sessions import ExitEvent
from longstop.jobs.captures.options import CaptureOptions
from longstop.jobs.captures.scheduling import CaptureScheduler
from longstop.jobs.captures.service import CaptureParts, SofascoreScraperService
from longstop.observe.signals import Signal, Signals
from longstop.observe.signals import captures as facts
from longstop.sources.sofascore import SofascoreReader
from longstop.store.contract import Store
from longstop.store.sqlite import SqliteOptions, SqliteStore
from longstop.supervise.service import Stop
from longstop.virtual_time import run
from longstop_origin.football import weather
from longstop_origin.football.oracle import FootballVerdict, KeptLineUps, KeptSheet, judged
from longstop_origin.football.site import FootballSite
from longstop_origin.football.visitor import FootballVisitor
from longstop_origin.football.world import FootballOptions, FootballWorld

EPOCH = datetime(2026, 3, 6, 0, tzinfo=UTC)
SITE = "https://football.invalid"
MATCHES, DAYS = 100, 3
# The last kickoffs are in the evening, and may be moved by two hours.
HOURS = 24.0 * DAYS + 3


@dataclass
class Days:
    """What came of it: by the oracle, by the database, by the site's own journal, and by what was told."""

    verdict: FootballVerdict
    rows: list[LineUpRecord]
    after_kickoff: int
    doubled: int
    calls: list[tuple[float, str]]
    told: list[Signal]
    used_while_resting: int
    visits: int

    def heard(self, kind: type[Signal]) -> list[Signal]:
        return [signal for signal in self.told if type(signal) is kind]

    @property
    def attempts(self) -> Counter[str]:
        return Counter(each.status for each in self.told if isinstance(each, facts.CaptureAttempted))

    @property
    def success(self) -> float:
        """Of the looks, each with its attempts, those that brought a capture."""
        runs = [each for each in self.told if isinstance(each, facts.CaptureAttempted)]
        looks = {each.run_id for each in runs if each.status in ("success", "soft_fail", "hard_fail")}
        good = {each.run_id for each in runs if each.status == "success"}
        return len(good) / len(looks) if looks else 0.0


@dataclass
class Scene:
    """`until` in hours from the epoch; `restarts` are moments at which the process ends and another begins."""

    matches: int = MATCHES
    days: int = DAYS
    seed: int = 7
    hours: float = HOURS
    sky: weather.Weather = weather.FAIR
    restarts: Sequence[float] = ()
    options: CaptureOptions = CaptureOptions(list_seconds=900.0)  # noqa: RUF009 - frozen
    banned_percent: float = 0.0
    ban_hours: tuple[float, float] = (0.0, 0.0)
    path: Path | None = None
    world: FootballWorld = field(init=False)

    def __post_init__(self) -> None:
        self.world = FootballWorld(
            FootballOptions(epoch=EPOCH.timestamp(), seed=self.seed, matches=self.matches, days=self.days)
        )


def played(scene: Scene) -> Days:
    return run(_Run(scene).whole())


class _Run:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._site = FootballSite(scene.world)
        self._clock = LoopClock(EPOCH)
        self._told: list[Signal] = []
        self._rests: list[tuple[str, float, float]] = []
        self._visitor: FootballVisitor | None = None
        self._store = SqliteStore(scene.path, clock=self._clock, options=SqliteOptions(inline=True))

    async def whole(self) -> Days:
        await self._store.open()
        try:
            ends = [*sorted(self._scene.restarts), self._scene.hours]
            for number, end in enumerate(ends):
                await self._life(number, end)
            return await self._days()
        finally:
            await self._store.close()

    async def _life(self, number: int, until_hours: float) -> None:
        """One process, ended where the next begins. Nothing but the database goes over."""
        bus = Signals()
        bus.subscribe_all(self._told.append)
        self._visitor = visitor = FootballVisitor(self._site, self._clock, self._scene.sky, tell=self._hear)
        chance = Random(f"{self._scene.seed}:{number}")
        parts = CaptureParts(
            SofascoreReader(SITE), visitor, self._clock, self._store, bus, lambda: self._scene.options, chance
        )
        scheduler = CaptureScheduler(SofascoreScraperService(parts), parts)
        await self._until(scheduler, until_hours)
        await visitor.close()

    async def _until(self, scheduler: CaptureScheduler, until_hours: float) -> None:

        stop = Stop(self._clock)
        task = asyncio.create_task(scheduler.run(stop))
        begins, ends = self._scene.ban_hours
        if self._scene.banned_percent:
            await self._sleep_until(begins)
            assert self._visitor is not None
            until = EPOCH.timestamp() + ends * 3600
            weather.ban_wave(self._site.gate.callers, self._visitor.addresses, self._scene.banned_percent, until)
        await self._sleep_until(until_hours)
        stop.ask("the time is up")
        await task

    async def _sleep_until(self, hours: float) -> None:
        await self._clock.sleep((EPOCH + timedelta(hours=hours) - self._clock.now()).total_seconds())

    def _hear(self, event: ExitEvent) -> None:
        if event.name == "exit_ejected" and self._visitor is not None:
            host = next(each.address.host for each in self._visitor.exits if each.proxy_id == event.proxy_id)
            now = self._clock.now().timestamp()
            self._rests.append((host, now, now + event.rests_seconds))

    async def _days(self) -> Days:
        now = self._clock.now().timestamp()
        matches = await self._store.football_matches()
        rows = [row for match in matches for row in await self._store.line_ups(match.match_id, with_flagged=True)]
        journal = self._site.gate.callers.journal
        return Days(
            verdict=judged(self._scene.world, kept_of(rows), now),
            rows=rows,
            after_kickoff=sum(_is_after(self._scene.world, row) for row in rows),
            doubled=doubled(rows),
            calls=[(entry.at, entry.kind) for entry in journal],
            told=self._told,
            used_while_resting=sum(
                entry.address == host and begins < entry.at < ends
                for host, begins, ends in self._rests
                for entry in journal
            ),
            visits=len([each for each in self._told if isinstance(each, facts.CaptureAttempted)]),
        )


def _is_after(world: FootballWorld, row: LineUpRecord) -> bool:
    """By the kickoff that was played, and by what the site showed at that moment."""
    fixture = world.fixture(row.source_event_id)
    if fixture is None or row.after_kickoff:
        return False
    end = EPOCH.timestamp() + 30 * 86_400
    return row.captured_at.timestamp() >= fixture.kickoff(end)


def doubled(rows: Sequence[LineUpRecord]) -> int:
    """Rows that say no more than the one before of the same match, side and kind."""
    ordered = sorted(rows, key=_order)
    found = 0
    for _, of_one in groupby(ordered, key=lambda row: (row.match_id, row.side.value, row.snapshot.value)):
        sheets = list(of_one)
        found += sum(after.says_the_same_as(before) for before, after in pairwise(sheets))
    return found


def _order(row: LineUpRecord) -> tuple[int, str, str, datetime]:
    return (row.match_id, row.side.value, row.snapshot.value, row.captured_at)


def kept_of(rows: Sequence[LineUpRecord]) -> list[KeptLineUps]:
    """As the oracle wants it: one for each capture that has both sides, the side that did not change as it was."""
    kept: list[KeptLineUps] = []
    for _, of_match in groupby(sorted(rows, key=_by_capture), key=lambda row: (row.match_id, row.snapshot.value)):
        sides: dict[Side, LineUpRecord] = {}
        for _, at_once in groupby(of_match, key=lambda row: row.captured_at):
            sides |= {row.side: row for row in at_once}
            if len(sides) == len(Side):
                kept.append(_kept(sides))
    return kept


def _by_capture(row: LineUpRecord) -> tuple[int, str, datetime, str]:
    return (row.match_id, row.snapshot.value, row.captured_at, row.side.value)


def _kept(sides: dict[Side, LineUpRecord]) -> KeptLineUps:
    newest = max(sides.values(), key=lambda row: row.captured_at)
    return KeptLineUps(
        key=newest.source_event_id,
        captured_at=newest.captured_at.timestamp(),
        snapshot=newest.snapshot.value,
        home=_sheet(sides[Side.HOME]),
        away=_sheet(sides[Side.AWAY]),
        is_flagged=newest.after_kickoff,
    )


def _sheet(row: LineUpRecord) -> KeptSheet:
    return KeptSheet(tuple(player.key for player in row.players if player.is_starter), row.formation)


__all__ = ["Days", "Scene", "Store", "played"]
