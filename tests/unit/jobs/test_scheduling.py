"""The scheduler: which matches it finds, in which order it looks at them, and what it leaves alone."""

import asyncio
from datetime import timedelta

import pytest

from longstop.clock import LoopClock
from longstop.domain import errors
from longstop.domain.capture_errors import OtherMatchError
from longstop.jobs.captures.options import CaptureOptions
from longstop.jobs.captures.scheduling import CaptureScheduler
from longstop.jobs.captures.service import CaptureParts, SofascoreScraperService
from longstop.observe.signals import captures as facts
from longstop.sources.sofascore import SofascoreReader
from longstop.store.sqlite import SqliteStore
from longstop.supervise.service import Stop
from tests.football_captures import SITE, START, Site, told_lineups, upcoming
from tests.sofascore import STATUSES
from tests.virtual import Heard, on_virtual_time


class Scene:
    def __init__(self, options: CaptureOptions | None = None) -> None:
        self.heard = Heard()
        self.site = Site(LoopClock(START))
        self.store = SqliteStore(None, clock=self.site.clock)
        self.options = options or CaptureOptions()

    def shows(self, key: int, hours: float, home: str = "Reds", away: str = "Blues", confirmed: bool = False) -> None:
        self.site.show(upcoming(key, home, away, START + timedelta(hours=hours)), told_lineups() if confirmed else None)

    async def run_for(self, hours: float) -> None:
        parts = CaptureParts(
            SofascoreReader(SITE), self.site, self.site.clock, self.store, self.heard.bus, lambda: self.options
        )
        stop = Stop(self.site.clock)
        task = asyncio.create_task(CaptureScheduler(SofascoreScraperService(parts), parts).run(stop))
        await self.site.clock.sleep(hours * 3600)
        stop.ask("enough")
        await task

    @property
    def looked_at(self) -> list[str]:
        return [order.key for order in self.site.visits]


@pytest.mark.req("D9")
@on_virtual_time
async def test_matches_within_the_window_are_found_and_looked_at_the_soonest_first() -> None:
    scene = Scene(CaptureOptions(at_once=1))
    await scene.store.open()
    scene.shows(503, 30)
    scene.shows(501, 20)
    scene.shows(502, 80)
    scene.site.events["504"] = upcoming(504, "A", "B", START + timedelta(hours=9)) | {"status": STATUSES["postponed"]}
    await scene.run_for(1)
    assert scene.looked_at == ["501", "503"]
    assert [match.match_id for match in await scene.store.football_matches()] == [501, 503]
    await scene.store.close()


@pytest.mark.req("D2")
@on_virtual_time
async def test_a_match_is_looked_at_up_to_its_kickoff_and_never_after() -> None:
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 3)
    await scene.run_for(6)
    captured = scene.heard.of(facts.MatchCaptured)
    assert len(captured) > 30
    assert all(each.captured_at < START + timedelta(hours=3) for each in captured)
    assert not scene.heard.of(facts.CaptureSkipped)
    await scene.store.close()


@pytest.mark.req("D9")
@on_virtual_time
async def test_a_restart_looks_at_nothing_that_is_not_due() -> None:
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 30)
    await scene.run_for(0.5)
    await scene.run_for(0.5)
    assert scene.looked_at == ["501"]
    await scene.store.close()


@pytest.mark.req("D9")
@on_virtual_time
async def test_a_kickoff_that_a_list_tells_to_be_earlier_is_kept_to() -> None:
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 5)
    run = asyncio.create_task(scene.run_for(5))
    await scene.site.clock.sleep(1800)
    scene.shows(501, 1)
    await run
    assert max(each.captured_at for each in scene.heard.of(facts.MatchCaptured)) < START + timedelta(hours=1)
    assert [each.after for each in scene.heard.of(facts.KickoffMoved)] == [START + timedelta(hours=1)]
    await scene.store.close()


@pytest.mark.req("D4")
@on_virtual_time
async def test_a_match_whose_contract_is_broken_rests_and_the_others_go_on() -> None:
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 2)
    scene.shows(502, 2.1, "Greens", "Whites", confirmed=True)
    scene.site.lineups["501"] = {"confirmed": True, "home": {"players": "none"}, "away": {}}
    await scene.run_for(1)
    assert scene.looked_at.count("501") <= 3
    assert len(scene.heard.of(facts.SchemaBroken)) == 1
    assert (await scene.store.line_ups(502)) != []
    assert await scene.store.line_ups(501) == []
    await scene.store.close()


@pytest.mark.req("D9")
@on_virtual_time
async def test_a_caller_s_number_is_used_for_the_match_that_it_names() -> None:
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 20)
    parts = CaptureParts(SofascoreReader(SITE), scene.site, scene.site.clock, scene.store, scene.heard.bus)
    kickoff = START + timedelta(hours=20)
    await SofascoreScraperService(parts).scrape_match(
        match_id=7, kickoff_utc=kickoff, home_team="Reds", away_team="Blues"
    )
    await scene.run_for(1)
    assert [match.match_id for match in await scene.store.football_matches()] == [7]
    await scene.store.close()


@pytest.mark.req("D1")
@on_virtual_time
async def test_the_source_s_own_numbers_are_not_taken_for_a_caller_s() -> None:
    """The scheduler keeps what nobody has claimed under the number of the event."""
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 20)
    scene.shows(502, 20, "Greens", "Whites")
    await scene.run_for(1)
    parts = CaptureParts(SofascoreReader(SITE), scene.site, scene.site.clock, scene.store, scene.heard.bus)
    kickoff = START + timedelta(hours=20)
    with pytest.raises(OtherMatchError):
        await SofascoreScraperService(parts).scrape_match(
            match_id=501, kickoff_utc=kickoff, home_team="Greens", away_team="Whites"
        )
    await scene.store.close()


@pytest.mark.req("B2")
@on_virtual_time
async def test_lists_that_do_not_come_are_asked_for_again_without_haste() -> None:
    scene = Scene()
    await scene.store.open()
    scene.site.is_down = lambda: errors.SourceFailingError("503")
    await scene.run_for(1)
    assert len(scene.site.lists) <= 62
    await scene.store.close()


@pytest.mark.req("D2")
@pytest.mark.parametrize("is_restarted", [False, True])
@on_virtual_time
async def test_a_kickoff_that_is_corrected_after_the_fact_flags_what_was_captured_after_the_true_one(
    is_restarted: bool,
) -> None:
    scene = Scene()
    await scene.store.open()
    scene.shows(501, 3)

    async def corrected() -> None:
        """The line-ups come out after two hours; two hours later it is told that the match had begun by then."""
        await scene.site.clock.sleep(2 * 3600)
        scene.shows(501, 3, confirmed=True)
        await scene.site.clock.sleep(2 * 3600)
        scene.shows(501, 1, confirmed=True)

    correcting = asyncio.create_task(corrected())
    await scene.run_for(3.5 if is_restarted else 8)
    await correcting
    if is_restarted:
        await scene.run_for(4)
    true_kickoff = START + timedelta(hours=1)
    (moved,) = scene.heard.of(facts.KickoffMoved)
    assert (moved.before, moved.after) == (START + timedelta(hours=3), true_kickoff)
    assert all(record.captured_at < true_kickoff for record in await scene.store.line_ups(501))
    assert any(record.captured_at >= true_kickoff for record in await scene.store.line_ups(501, with_flagged=True))
    await scene.store.close()
