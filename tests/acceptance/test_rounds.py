"""Rounds from the origin, over real sockets, into a real database: every match whole, every failure a dead letter."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from longstop.clock import SystemClock
from longstop.domain.rounds import JobState, RoundRef, TaskOutcome
from longstop.observe.signals import Signals
from longstop.rounding import RoundsRoom, open_rounds
from longstop.settings import Settings
from longstop.sources.brasileirao import BrasileiraoSource
from longstop.store.contract import Store
from longstop.store.open import open_store
from longstop.supervise.rounds import RoundRunner, RunnerLimits
from longstop.supervise.service import Stop
from longstop_origin.faults import FaultPlan
from longstop_origin.league.season import Season, SeasonOptions
from longstop_origin.league.site import LeagueSite
from longstop_origin.server import serve_site
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions

CLOCK = SystemClock()


def league(faults: str = "none", clubs: int = 20, **options: Any) -> LeagueSite:
    now = CLOCK.now().timestamp()
    season = Season.invented(SeasonOptions(now=now, **options), clubs)
    return LeagueSite(season, FaultPlan(faults, 7, hang_seconds=2.0), hang_seconds=2.0)


def settings(root: Path, **jobs: Any) -> Settings:
    return Settings.model_validate(
        {
            "storage": {"root": root},
            "database": {"url": f"sqlite:///{root}/rounds.db"},
            "jobs": {"base_delay": 0.05, "max_delay": 0.2, **jobs},
        }
    )


@asynccontextmanager
async def rounds_of(site: LeagueSite, chosen: Settings) -> AsyncIterator[RoundsRoom]:
    origin = Site(World(WorldOptions(epoch=CLOCK.now().timestamp(), seed=1, matches=0)), league=site)
    store: Store = open_store(chosen.database.url.get_secret_value(), clock=CLOCK)
    async with serve_site(origin, now=lambda: CLOCK.now().timestamp()) as server:
        await store.open()
        room = open_rounds(BrasileiraoSource(server.url), chosen, store, CLOCK, Signals(), is_simulated=True)
        try:
            yield room
        finally:
            await room.close()
            await store.close()


def ref(number: int) -> RoundRef:
    return RoundRef("brasileirao", "serie-a", 2026, number)


@pytest.mark.req("E1", "E3")
async def test_every_match_of_a_round_is_stored_whole(tmp_path: Path) -> None:
    async with rounds_of(league(), settings(tmp_path)) as room:
        asked, is_new = await room.desk.ask(ref(3))
        await room.runner.drain()

        view = await room.desk.view(asked.job.job_id)
        matches = await room.desk.matches(ref(3))

    assert is_new
    assert view.job.state is JobState.DONE
    assert (view.summary.all, view.summary.done) == (10, 10)
    assert view.summary.outcomes == {TaskOutcome.STORED.value: 10}
    assert len(matches) == 10
    assert all(match.is_finished and match.report.statistics and match.report.lineups for match in matches)


@pytest.mark.req("E2")
async def test_faults_that_pass_are_tried_again_and_leave_nothing_half_written(tmp_path: Path) -> None:
    async with rounds_of(league("storm"), settings(tmp_path, max_attempts=8)) as room:
        jobs = [(await room.desk.ask(ref(number)))[0].job.job_id for number in range(1, 6)]
        await drained(room, lambda: room.desk.retry_failed())
        views = [await room.desk.view(job_id) for job_id in jobs]

    assert [view.job.state for view in views] == [JobState.DONE] * 5
    assert sum(view.summary.outcomes.get("stored", 0) for view in views) == 50


@pytest.mark.req("E2")
@pytest.mark.parametrize("kind", ["not found", "schema", "contradiction"])
async def test_what_waiting_cannot_mend_is_a_dead_letter_at_once(kind: str, tmp_path: Path) -> None:
    site = league()
    key = site.season.listed(2)[4].key
    site.poison[key] = kind
    async with rounds_of(site, settings(tmp_path)) as room:
        asked, _ = await room.desk.ask(ref(2))
        await room.runner.drain()
        view = await room.desk.view(asked.job.job_id)
        (letter,) = await room.desk.dead_letters(job_id=asked.job.job_id)

    assert view.job.state is JobState.FAILED
    assert (view.summary.done, view.summary.failed) == (9, 1)
    assert (letter.key, letter.attempt) == (str(key), 1)
    assert letter.error is not None
    assert letter.error.is_permanent
    assert site.asked[f"/jogo/{key}/"] == 1
    if kind != "not found":
        assert (tmp_path / letter.evidence[0]).read_bytes().startswith(b"{")


@pytest.mark.req("E2")
@pytest.mark.parametrize("kind", ["server error", "truncated", "another match"])
async def test_what_may_pass_is_tried_so_often_and_then_a_dead_letter(kind: str, tmp_path: Path) -> None:
    site = league()
    key = site.season.listed(2)[4].key
    site.poison[key] = kind
    async with rounds_of(site, settings(tmp_path, max_attempts=3)) as room:
        asked, _ = await room.desk.ask(ref(2))
        await drained(room)
        (letter,) = await room.desk.dead_letters()
        site.poison.clear()
        revived = await room.desk.retry_failed(season=2026, round=2)
        await drained(room)
        view = await room.desk.view(asked.job.job_id)

    assert letter.attempt == 3
    assert letter.error is not None
    assert not letter.error.is_permanent
    assert revived == {asked.job.job_id: 1}
    assert (view.job.state, view.summary.done) == (JobState.DONE, 10)


@pytest.mark.req("E2")
async def test_after_a_fix_of_ours_a_dead_letter_is_read_again_without_a_call(tmp_path: Path) -> None:
    site = league()
    async with rounds_of(site, settings(tmp_path)) as room:
        asked, _ = await room.desk.ask(ref(2))
        parse = room.source.parse_round_match
        broken = site.season.listed(2)[0].key

        def stumble(at: RoundRef, key: str, snapshot: Any) -> Any:
            if key == str(broken):
                raise KeyError("a fault of ours")
            return parse(at, key, snapshot)

        room.source.parse_round_match = stumble  # type: ignore[method-assign, assignment]  # a bug, planted for a moment
        await drained(room)
        (letter,) = await room.desk.dead_letters()
        room.source.parse_round_match = parse  # type: ignore[method-assign]  # and mended
        calls = sum(site.asked.values())
        outcome = await room.work.reread(asked.job, letter.key)
        view = await room.desk.view(asked.job.job_id)

    assert letter.error is not None
    assert letter.error.kind == "internal"
    assert outcome == "stored"
    assert (view.job.state, view.summary.done) == (JobState.DONE, 10)
    assert sum(site.asked.values()) == calls


@pytest.mark.req("E1")
async def test_matches_without_a_date_are_kept_and_those_that_moved_stand_where_they_are(tmp_path: Path) -> None:
    site = league(played=10, put_off_every=4, moved_every=7)
    async with rounds_of(site, settings(tmp_path)) as room:
        for number in (11, 13):
            await room.desk.ask(ref(number))
        await drained(room)
        found = {number: await room.desk.matches(ref(number)) for number in (11, 13)}
        views = await room.desk.views()

    assert [view.job.state for view in views] == [JobState.DONE] * 2
    listed = {number: {str(each.key) for each in site.season.listed(number)} for number in (11, 13)}
    assert {number: {match.key for match in matches} for number, matches in found.items()} == listed
    assert any(match.event.kickoff is None for matches in found.values() for match in matches)


@pytest.mark.req("E1")
async def test_a_finished_match_is_not_asked_for_again_unless_told_to(tmp_path: Path) -> None:
    site = league()
    async with rounds_of(site, settings(tmp_path)) as room:
        await room.desk.ask(ref(1))
        await drained(room)
        rechecked, _ = await room.desk.ask(ref(1), is_recheck=True)
        await drained(room)
        view = await room.desk.view(rechecked.job.job_id)

    assert view.summary.outcomes == {"unchanged": 10}
    assert max(site.asked.values()) == 2


async def test_a_round_that_is_not_there_fails_with_its_reason(tmp_path: Path) -> None:
    async with rounds_of(league(), settings(tmp_path)) as room:
        asked, _ = await room.desk.ask(ref(150))
        await drained(room)
        view = await room.desk.view(asked.job.job_id)

    assert view.job.state is JobState.FAILED
    assert view.job.error is not None
    assert view.summary.all == 0


async def test_a_poison_match_does_not_hold_up_the_others(tmp_path: Path) -> None:
    """It hangs until our deadline, again and again; the nine others are done long before."""
    site = league()
    key = site.season.listed(2)[0].key
    site.poison[key] = "hang"
    async with rounds_of(site, settings(tmp_path, max_attempts=3)) as room:
        asked, _ = await room.desk.ask(ref(2))
        draining = asyncio.create_task(drained(room))
        while (await room.desk.view(asked.job.job_id)).summary.done < 9:
            await CLOCK.sleep(0.01)
        early = await room.desk.task(asked.job.job_id, str(key))
        await draining
        view = await room.desk.view(asked.job.job_id)

    assert early.state.value in ("RUNNING", "PENDING")
    assert (view.summary.done, view.summary.failed) == (9, 1)


async def drained(room: RoundsRoom, again: Callable[[], Any] | None = None) -> None:
    """Until every job is settled; `again` revives what died on the way."""
    async with CLOCK.timeout(60):
        while True:
            await room.runner.drain()
            views = await room.desk.views()
            if all(view.summary.is_settled and view.job.state.is_settled for view in views):
                if again is None or all(view.job.state is JobState.DONE for view in views):
                    return
                await again()
            await CLOCK.sleep(0.01)


@pytest.mark.req("E1")
async def test_who_works_rounds_off_removes_jobs_that_ended_long_ago_and_keeps_their_matches(tmp_path: Path) -> None:
    async with rounds_of(league(), settings(tmp_path)) as room:
        await room.desk.ask(ref(3))
        await drained(room)
        limits = RunnerLimits(keep_days=0)
        runner = RoundRunner("brasileirao", room.journal, room.work, CLOCK, Signals(), "keeper", limits)
        stop = Stop(CLOCK)
        running = asyncio.create_task(runner.run(stop))
        async with CLOCK.timeout(20.0):
            while await room.desk.views():
                await CLOCK.sleep(0.02)
        stop.ask("enough")
        await running

        assert len(await room.desk.matches(ref(3))) == 10
