"""Visits of the football site on virtual time: what they bring, what befalls them, and by whose address they came."""

from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest

from longstop.clock import LoopClock
from longstop.domain.errors import (
    ChallengeError,
    ExitFailedError,
    LongstopError,
    MatchGoneError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.domain.football import LineUps, Side
from longstop.domain.match import MatchRef
from longstop.fetch.exits.proxy_sessions import ExitEvent
from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.visits.visit import Visit, VisitOrder
from longstop.sources.sofascore import parser, requests
from longstop.virtual_time import run
from longstop_origin.football import weather
from longstop_origin.football.callers import Entry
from longstop_origin.football.fixture import ABSENT, EMPTY, Fixture
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.oracle import FootballVerdict, KeptLineUps, KeptSheet, is_due, judged
from longstop_origin.football.site import FootballSite
from longstop_origin.football.visitor import FootballVisitor
from longstop_origin.football.world import DAY
from tests.football import EPOCH, site

BASE = "https://football.invalid"
ATTEMPTS_MAX = 4
REQUIRED = frozenset({"event", "lineups"})


def order(fixture: Fixture, attempt: int = 1) -> VisitOrder:
    page = f"{BASE}{fixture.story.page}"
    ref = MatchRef("sofascore", str(fixture.id), page)
    made = (requests.event, requests.lineups, requests.incidents, requests.statistics)
    calls = {request.purpose: request for request in (make(BASE, ref) for make in made)}
    return VisitOrder("sofascore", str(fixture.id), page, calls, REQUIRED, attempt)


class Trip:
    """A visitor on virtual time, and what was kept of what it brought."""

    def __init__(self, of: FootballSite, sky: weather.Weather = weather.FAIR) -> None:
        self.site, self.kept = of, list[KeptLineUps]()
        self.clock = LoopClock(datetime.fromtimestamp(EPOCH, UTC))
        self.rests: list[tuple[str, float, float]] = []
        self.visitor = FootballVisitor(of, self.clock, sky, tell=self._hear)
        self.failed = 0

    def _hear(self, event: ExitEvent) -> None:
        if event.name == "exit_ejected":
            self.rests.append((self._host(event.proxy_id), self.now, self.now + event.rests_seconds))

    def _host(self, proxy_id: str) -> str:
        return next(each.address.host for each in self.visitor.exits if each.proxy_id == proxy_id)

    def used_while_resting(self) -> list[Entry]:
        """By the site's own journal."""
        return [
            entry
            for host, begins, ends in self.rests
            for entry in self.site.gate.callers.journal
            if entry.address == host and begins < entry.at < ends
        ]

    async def once(self, fixture: Fixture, attempt: int = 1) -> Visit:
        """Judged as whoever asks for a visit has to."""
        wanted = order(fixture, attempt)
        error: Exception | None = None
        try:
            return await self.visitor.visit(wanted, lambda _: None)
        except LongstopError as failed:
            error = failed
            raise
        finally:
            self.visitor.judged(wanted, error)

    async def insisted(self, fixture: Fixture) -> None:
        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                visit = await self.once(fixture, attempt)
                self.kept.append(row(fixture, parser.parse_lineups(visit.snapshots["lineups"]), self.now))
            except LongstopError:
                await self.clock.sleep(2**attempt)
            else:
                return
        self.failed += 1

    async def all_due(self) -> FootballVerdict:
        """Half-way between publication and kickoff, each once."""
        end = EPOCH + 6 * DAY
        due = [fixture for fixture in self.site.world.fixtures if is_due(fixture, end)]
        for fixture in sorted(due, key=when):
            await self.until(when(fixture))
            await self.insisted(fixture)
        return judged(self.site.world, self.kept, end)

    async def until(self, moment: float) -> None:
        await self.clock.sleep(max(0.0, moment - self.now))

    @property
    def now(self) -> float:
        return self.clock.now().timestamp()


def when(fixture: Fixture) -> float:
    return (max(fixture.published_at, fixture.final_kickoff - 3600) + fixture.final_kickoff) / 2


def row(fixture: Fixture, lineups: LineUps, at: float) -> KeptLineUps:
    assert lineups.is_confirmed
    sheets = {
        side: KeptSheet(tuple(player.person.key for player in sheet.starters), sheet.formation)
        for side, sheet in lineups.sheets
    }
    return KeptLineUps(key=str(fixture.id), captured_at=at, home=sheets[Side.HOME], away=sheets[Side.AWAY])


def on_virtual_time(main: Coroutine[Any, Any, None]) -> None:
    run(main)


@pytest.mark.req("D2")
def test_in_fair_weather_every_line_up_is_brought_and_the_oracle_finds_nothing() -> None:
    async def main() -> None:
        trip = Trip(site(5, matches=100))
        verdict = await trip.all_due()
        assert verdict.is_clean, verdict.findings
        assert verdict.due > 80

    on_virtual_time(main())


@pytest.mark.req("D6")
def test_a_wave_of_bans_costs_few_matches_and_no_exit_is_used_again_while_it_rests() -> None:
    async def main() -> None:
        trip = Trip(site(6, matches=100), weather.ROUGH)
        callers = trip.site.gate.callers
        hit = weather.ban_wave(callers, trip.visitor.addresses, 40, EPOCH + 4 * DAY)
        assert len(hit) == 8
        verdict = await trip.all_due()
        assert verdict.captured >= 0.95 * verdict.due
        assert not verdict.late + verdict.wrong + verdict.duplicated
        assert sum(caller.while_banned for caller in callers.known.values()) > 0
        assert len(trip.rests) > 5
        assert not trip.used_while_resting()

    on_virtual_time(main())


def test_the_first_visit_of_a_session_opens_a_page_and_the_next_ones_do_not() -> None:
    async def main() -> None:
        trip = Trip(site(matches=20))
        trip.site.gate.guards = FootballGuards(token=900)
        fixture = next(each for each in trip.site.world.fixtures if each.plan.lead > 1200 and each.fate == "played")
        await trip.until(fixture.final_kickoff - 600)
        first, second = await trip.once(fixture), await trip.once(fixture)
        assert (first.rung, second.rung) == ("intercept", "replay")
        assert set(first.snapshots) == {"event", "lineups"}
        assert isinstance(first.refusals["incidents"], MatchGoneError)
        assert second.network.bytes_in < first.network.bytes_in
        kinds = [entry.kind for entry in trip.site.gate.callers.journal]
        assert kinds.count("page") == 1

    on_virtual_time(main())


def test_line_ups_that_are_not_there_yet_are_no_failure_of_the_visit() -> None:
    async def main() -> None:
        trip = Trip(site(matches=40))
        fixture = next(each for each in trip.site.world.fixtures if each.plan.before == ABSENT)
        visit = await trip.once(fixture)
        assert set(visit.snapshots) == {"event"}
        assert isinstance(visit.refusals["lineups"], MatchGoneError)

    on_virtual_time(main())


def test_a_session_whose_token_has_ended_opens_a_page_again_within_the_visit() -> None:
    async def main() -> None:
        trip = Trip(site(matches=20))
        trip.site.gate.guards = FootballGuards(token=60)
        fixture = next(each for each in trip.site.world.fixtures if each.plan.before != EMPTY)
        rungs = []
        for _ in range(3):
            rungs.append((await trip.once(fixture)).rung)
            await trip.clock.sleep(40)
        assert rungs == ["intercept", "replay", "intercept"]

    on_virtual_time(main())


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (weather.SLOW, SourceTimeoutError),
        (weather.BANNED, ChallengeError),
        (weather.DOWN, SourceUnreachableError),
        (weather.EXIT_FAILED, ExitFailedError),
    ],
)
def test_what_befalls_a_visit_is_told_as_the_error_that_it_is(kind: str, error: type[LongstopError]) -> None:
    async def main() -> None:
        spell = weather.Spell(kind, EPOCH, EPOCH + DAY)
        trip = Trip(site(matches=5), weather.Weather(spells=(spell,)))
        with pytest.raises(error):
            await trip.once(trip.site.world.fixtures[0])

    on_virtual_time(main())


def test_the_list_of_a_day_comes_by_an_exit_too() -> None:
    async def main() -> None:
        trip = Trip(site(matches=20))
        day = datetime.fromtimestamp(EPOCH, UTC).date()
        request: FetchRequest = requests.scheduled(BASE, day)
        snapshot = await trip.visitor.list(request)
        assert b'"events"' in snapshot.body
        assert set(trip.site.gate.callers.known) <= set(trip.visitor.addresses)

    on_virtual_time(main())
