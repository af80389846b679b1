"""One poll through the real source, ledger and store: each outcome of the closed set; only the site is played."""

from copy import deepcopy
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.clock import from_millis
from longstop.domain.cricket import Place
from longstop.domain.errors import (
    MatchGoneError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.domain.events import EventKind
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchStatus
from longstop.observe import signals
from longstop.pipeline import OutcomeKind
from tests.crex import REF
from tests.cricket import NOON
from tests.polling import CLOCK, table
from tests.virtual import on_virtual_time


def test_the_outcomes_are_a_closed_set() -> None:
    words = {kind.value for kind in OutcomeKind}
    assert words == {"updated", "unchanged", "held", "failed", "throttled", "gone", "not_stored"}


@pytest.mark.req("C1")
@on_virtual_time
async def test_a_first_poll_records_what_the_site_shows() -> None:
    it = await table(9)
    outcome = await it.poll()
    assert (outcome.kind, outcome.is_success) == (OutcomeKind.UPDATED, True)
    assert outcome.bytes_in == len(msgspec.json.encode(it.innings.state()))
    await it.require_whole(9)
    assert (it.watch.status, it.watch.state) == (MatchStatus.LIVE, MatchState.ACTIVE)
    live = (await it.store.live([REF.match_id]))[REF.match_id]
    assert (live.sequence, live.scraper_id, live.complete_through) == (1, "scraper-1", "1.1.3")
    assert live.innings[0].runs == 9
    assert live.source_at == from_millis(it.innings.millis)
    row = await it.store.match(REF.match_id)
    assert row is not None
    assert (row.state, row.status, row.last_scraper_update) == (MatchState.ACTIVE, MatchStatus.LIVE, live.captured_at)


@on_virtual_time
async def test_the_same_bytes_again_are_skipped_when_nothing_is_wanted() -> None:
    it = await table(9)
    await it.poll()
    writes = len(it.store.saved)
    outcome = await it.poll()
    assert (outcome.kind, outcome.events, len(it.store.saved)) == (OutcomeKind.UNCHANGED, 0, writes)


@pytest.mark.req("C2")
@on_virtual_time
async def test_the_same_bytes_are_not_skipped_while_something_is_missing() -> None:
    it = await table(60)
    first = await it.poll(feed=SourceFailingError("Down."))
    assert first.kind is OutcomeKind.UPDATED
    is_whole = [it.watch.ledger.is_whole]
    second = await it.poll()
    assert second.kind is OutcomeKind.UPDATED
    await it.require_whole(60)
    assert [*is_whole, it.watch.ledger.is_whole] == [False, True]
    assert (await it.poll()).kind is OutcomeKind.UNCHANGED


@on_virtual_time
async def test_new_balls_are_recorded_as_they_come() -> None:
    it = await table(1)
    for _ in range(40):
        assert (await it.poll()).kind is OutcomeKind.UPDATED
        it.innings.bowl()
    await it.poll()
    await it.require_whole(41)
    assert it.fetcher.asked_for("feed") == []


@pytest.mark.req("C2")
@on_virtual_time
async def test_balls_that_were_missed_are_brought_from_the_feed() -> None:
    it = await table(3)
    await it.poll()
    it.innings.bowl(120)
    outcome = await it.poll()
    assert outcome.kind is OutcomeKind.UPDATED
    await it.require_whole(123)


@pytest.mark.req("C1", "C3")
@on_virtual_time
async def test_an_over_that_was_begun_and_taken_back_leaves_no_ball_and_no_gap() -> None:
    it = await table(61)
    await it.poll()
    it.innings.runs.pop()
    it.innings.moved()
    await it.poll()
    assert len(await it.places()) == 60
    assert (await it.store.gaps(REF.match_id), it.watch.ledger.is_whole) == ([], True)
    it.innings.bowl(3)
    await it.poll()
    assert len(await it.places()) == 63


@pytest.mark.req("B9")
@on_virtual_time
async def test_the_scoreboard_is_recorded_though_the_feed_fails() -> None:
    it = await table(60)
    bad: list[Any] = [
        SourceFailingError("Down."),
        SourceTimeoutError("Slow."),
        SourceThrottledError("Slow.", retry_after_seconds=5.0),
        MatchGoneError("No such innings."),
        b"<html>",
        {"key": "OTHER", "inning": 1, "rb": []},
        {"key": "QUY", "inning": 2, "rb": []},
    ]
    for number, answer in enumerate(bad):
        it.innings.moved()
        outcome = await it.poll(feed=answer)
        assert outcome.kind is OutcomeKind.UPDATED, number
        live = (await it.store.live([REF.match_id]))[REF.match_id]
        assert (live.sequence, live.innings[0].runs) == (number + 1, 60)
    assert len(await it.places()) == 24
    assert {error.operation for error in it.heard.of(signals.ErrorRaised)} == {"ball feed"}
    it.innings.moved()
    await it.poll()
    assert len(await it.places()) == 60


@pytest.mark.req("C6")
@on_virtual_time
async def test_a_feed_older_than_the_board_takes_nothing_back() -> None:
    it = await table(60)
    await it.poll()
    old = deepcopy(it.innings)
    it.innings.bowl(30)
    it.innings.runs[0] = 4
    outcome = await it.poll(feed=old.feed)
    assert outcome.kind is OutcomeKind.UPDATED
    (error,) = it.heard.of(signals.ErrorRaised)
    assert "older than the scoreboard" in error.error_message
    await it.poll()
    assert len(await it.places()) == 90
    history = await it.store.delivery_history(REF.match_id)
    assert not [record for record in history if record.delivery is None]


@pytest.mark.req("C6")
@on_virtual_time
async def test_an_older_payload_is_held_and_changes_nothing() -> None:
    it = await table(12)
    old = it.innings.state()
    it.innings.bowl(3)
    await it.poll()
    writes = len(it.store.saved)
    outcome = await it.poll(state=old)
    assert (outcome.kind, outcome.is_success) == (OutcomeKind.HELD, False)
    assert outcome.reasons == ("it is older than what is known already",)
    assert len(it.store.saved) == writes
    (told,) = it.heard.of(signals.ObservationRejected)
    assert told.reasons == outcome.reasons
    await it.require_whole(15)
    assert it.watch.failures_in_a_row == 1


@pytest.mark.req("B10")
@on_virtual_time
async def test_a_score_that_leaps_is_held_until_the_source_has_insisted_for_a_minute() -> None:
    it = await table(12)
    await it.poll()
    leapt = {"j": "112/0(2.0", "in": [{**it.innings.state()["in"][0], "d": "112/0(12"}]}
    kinds = []
    for _ in range(4):
        it.innings.moved()
        kinds.append((await it.poll(state=it.innings.state() | leapt)).kind)
        await CLOCK.sleep(25.0)
    assert kinds == [OutcomeKind.HELD] * 3 + [OutcomeKind.UPDATED]


@on_virtual_time
async def test_a_payload_that_contradicts_itself_is_held() -> None:
    it = await table(12)
    outcome = await it.poll(state=it.innings.state() | {"j": "99/9(2.0"})
    assert outcome.kind is OutcomeKind.HELD
    assert await it.events() == []
    assert (await it.poll()).kind is OutcomeKind.UPDATED


FAILURES: list[tuple[Any, OutcomeKind]] = [
    (SourceFailingError("Down."), OutcomeKind.FAILED),
    (SourceUnreachableError("No way."), OutcomeKind.FAILED),
    (SourceTimeoutError("Slow."), OutcomeKind.FAILED),
    (SourceRefusedError("No."), OutcomeKind.FAILED),
    (b"<html>Just a moment...</html>", OutcomeKind.FAILED),
    (b'{"a":"CD.11"', OutcomeKind.FAILED),
    ({"a": "CD"}, OutcomeKind.FAILED),
    (b"", OutcomeKind.FAILED),
    (MatchGoneError("Gone."), OutcomeKind.GONE),
    (SourceThrottledError("Slow.", retry_after_seconds=7.0), OutcomeKind.THROTTLED),
]


@pytest.mark.req("B3")
@pytest.mark.parametrize(("answer", "kind"), FAILURES, ids=lambda value: str(value)[:30])
@on_virtual_time
async def test_what_a_source_does_wrong_is_an_outcome_and_the_next_poll_goes_on(answer: Any, kind: OutcomeKind) -> None:
    it = await table(9)
    await it.poll()
    it.innings.bowl(2)
    outcome = await it.poll(state=answer)
    assert (outcome.kind, outcome.is_success) == (kind, False)
    assert outcome.retry_after_seconds == (7.0 if kind is OutcomeKind.THROTTLED else 0.0)
    (error,) = it.heard.of(signals.ErrorRaised)
    assert (error.match_id, error.scraper_id, error.operation) == (REF.match_id, "scraper-1", "poll")
    assert (error.severity, bool(error.hint)) == ("WARN", True)  # each of these may heal by itself
    assert it.heard.of(signals.PollFinished)[-1].captured_at is None
    assert it.watch.failures_in_a_row == 1
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    assert it.watch.failures_in_a_row == 0
    await it.require_whole(11)


@pytest.mark.req("A1")
@on_virtual_time
async def test_each_poll_is_told_once_with_its_outcome_time_and_size() -> None:
    it = await table(9)
    await it.poll()
    await it.poll()
    await it.poll(state=SourceFailingError("Down."))
    told = it.heard.of(signals.PollFinished)
    assert [(each.outcome, each.is_changed) for each in told] == [
        ("updated", True),
        ("unchanged", False),
        ("failed", False),
    ]
    assert all(each.duration_seconds == pytest.approx(0.05) for each in told)
    assert [bool(each.bytes_in) for each in told] == [True, True, False]
    assert told[0].captured_at is not None
    assert told[2].captured_at is None


@pytest.mark.req("A1")
@on_virtual_time
async def test_what_was_stored_is_told_with_its_count_and_delay() -> None:
    it = await table(9)
    await it.poll()
    (stored,) = it.heard.of(signals.EventsStored)
    assert (stored.count, stored.corrections) == (len(await it.events()), 0)
    assert stored.delay_seconds is None  # bowled before we came
    (score,) = it.heard.of(signals.ScoreStored)
    assert score.observation.innings[0].runs == 9
    it.watch.started_at = NOON - timedelta(days=1)
    it.innings.bowl()
    await it.poll()
    delay = it.heard.of(signals.EventsStored)[-1].delay_seconds
    assert delay == pytest.approx(7200 - 9 * 40, abs=5)


@pytest.mark.req("C1")
@on_virtual_time
async def test_a_correction_is_a_new_revision_and_told_as_one() -> None:
    it = await table(9)
    await it.poll()
    it.innings.runs[7] = 4
    it.innings.moved()
    await it.poll()
    corrected = [event for event in await it.events() if event.kind is EventKind.BALL_CORRECTED]
    assert [(event.place, event.revision) for event in corrected] == [(Place(1, 1, 2), 2)]
    assert it.heard.of(signals.EventsStored)[-1].corrections == 1


@on_virtual_time
async def test_the_codes_that_were_seen_wait_for_their_names() -> None:
    it = await table(9)
    await it.poll()
    assert {"XX", "6A5", "F7"} <= it.watch.codes.players
    assert {"CD", "11"} <= it.watch.codes.teams
