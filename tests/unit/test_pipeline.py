"""One poll through the real source, ledger and store; only the site and the fate of a write are played."""

from copy import deepcopy
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from longstop.clock import from_millis, to_millis
from longstop.domain.cricket import Place
from longstop.domain.errors import (
    FetchError,
    MatchGoneError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.domain.events import EventKind, MatchEvent
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchListing, MatchStatus
from longstop.fetch.snapshot import FetchRequest
from longstop.ledger.match_ledger import LedgerLimits
from longstop.observe import signals
from longstop.pipeline import Outcome, OutcomeKind, Pipeline
from longstop.sources.crex import CrexSource
from longstop.watch import Watch
from tests.crex import REF, Item
from tests.cricket import NOON
from tests.doubles import DOWN, ScriptedFetcher, ShakyStore, failing_times
from tests.virtual import Heard, noon_clock, on_virtual_time

CLOCK = noon_clock()
BALL = {"p": "XX", "np": "6A5", "bf": "F7", "r": 1}


class Innings:
    """So many balls of one run each, as the site's payloads show them at this moment."""

    def __init__(self, balls: int = 0) -> None:
        self.runs = [1] * balls
        self.sequence = 1
        self.ended = ""
        self.millis = to_millis(NOON)

    def bowl(self, balls: int = 1) -> "Innings":
        self.runs += [1] * balls
        return self.moved()

    def moved(self) -> "Innings":
        self.sequence += 1
        self.millis += 2500
        return self

    def overs(self, first: int, last: int) -> list[Item]:
        found = []
        for over in range(first, last + 1):
            rows = [
                BALL | {"r": run, "ts": to_millis(NOON) - 7_200_000 + (over * 6 + at) * 40_000}
                for at, run in enumerate(self.runs[over * 6 : over * 6 + 6])
            ]
            found += [{"o": over, "b": rows}] if rows else []
        return found

    @property
    def last_over(self) -> int:
        return (len(self.runs) - 1) // 6

    def state(self) -> Item:
        whole, rest = divmod(len(self.runs), 6)
        score = f"{sum(self.runs)}/0"
        item = {"c": "CD", "d": f"{score}({len(self.runs)}", "ov": f"{whole}.{rest}", "x": "wd0"}
        item["z"] = "closed" if self.ended else "live"
        made: Item = {
            "a": "CD.11",
            "j": f"{score}({whole}.{rest}",
            "k": "0/0(0.0",
            "B": self.ended or "1",
            "ps": "E" if self.ended else "P",
            "ts": self.millis,
            "sq": self.sequence,
            "in": [item] if self.runs else [],
            "rb": self.overs(max(0, self.last_over - 3), self.last_over),
        }
        return made | ({"rs": {"w": "CD", "by": {"runs": 5}}} if self.ended else {})

    def feed(self, request: FetchRequest) -> Item:
        query = {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}
        first, last = int(query["from"]), int(query["to"])
        rows = self.overs(first, min(last, self.last_over))
        return {
            "key": "QUY",
            "inning": 1,
            "from": first,
            "to": last,
            "last": self.last_over,
            "sq": self.sequence,
            "rb": rows,
        }


class Table:
    """Everything that a poll needs, with the site's answers at hand."""

    def __init__(self, innings: Innings) -> None:
        self.innings = innings
        self.heard = Heard()
        self.fetcher = ScriptedFetcher(CLOCK, {"state": lambda _: innings.state(), "feed": innings.feed})
        self.store = ShakyStore(CLOCK)
        self.pipeline = Pipeline(CrexSource(), self.fetcher, self.store, CLOCK, self.heard.bus)
        self.watch = self.watching()

    def watching(self, status: MatchStatus = MatchStatus.LIVE) -> Watch:
        listing = MatchListing(REF, "A v B", ("CD", "11"), status)
        return Watch(listing, "scraper-1", CLOCK.now() if self.store.saved else NOON, LedgerLimits())

    def answer(self, purpose: str, answer: Any) -> None:
        self.fetcher.answers[purpose] = answer

    async def poll(self, **answers: Any) -> Outcome:
        usual = dict(self.fetcher.answers)
        self.fetcher.answers.update(answers)
        outcome = await self.pipeline.poll(self.watch)
        self.fetcher.answers = usual
        return outcome

    async def events(self) -> list[MatchEvent]:
        return list(await self.store.events(REF.match_id, limit=5000))

    async def places(self) -> list[Place]:
        return [row.place for row in await self.store.deliveries(REF.match_id)]

    async def require_whole(self, expected_balls: int) -> None:
        """Every ball once, in order, with events that have no hole and no twin."""
        expected = [Place(1, ball // 6, ball % 6 + 1) for ball in range(expected_balls)]
        assert await self.places() == expected
        events = await self.events()
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert len({event.key for event in events}) == len(events)
        told = [event.place for event in events if event.kind is EventKind.BALL_BOWLED]
        assert sorted(told, key=lambda place: place or Place(0, 0, 0)) == expected
        facts = [(event.kind, event.detail) for event in events if event.kind is not EventKind.BALL_BOWLED]
        assert len(facts) == len(set(facts)), facts


async def table(balls: int = 9) -> Table:
    made = Table(Innings(balls))
    await made.store.open()
    return made


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
    assert not it.watch.ledger.is_whole
    second = await it.poll()
    assert second.kind is OutcomeKind.UPDATED
    await it.require_whole(60)
    assert it.watch.ledger.is_whole
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
        assert (live.sequence, live.innings[0].runs) == (it.innings.sequence, 60)
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
    assert error.severity == (
        "WARN" if isinstance(answer, FetchError) or outcome.error and outcome.error.heals else "ERROR"
    )
    assert it.heard.of(signals.PollFinished)[-1].captured_at is None
    assert it.watch.failures_in_a_row == 1
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    assert it.watch.failures_in_a_row == 0
    await it.require_whole(11)


@pytest.mark.req("B7")
@on_virtual_time
async def test_a_write_that_did_not_hold_is_made_again_from_what_is_newest_then() -> None:
    it = await table(9)
    it.store.before = failing_times(3)
    for _ in range(3):
        outcome = await it.poll()
        assert (outcome.kind, outcome.error) == (OutcomeKind.NOT_STORED, DOWN)
        it.innings.bowl(2)
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(15)


@pytest.mark.req("B9")
@pytest.mark.parametrize("losing", range(1, 12))
@on_virtual_time
async def test_a_write_that_held_though_it_raised_neither_loses_nor_doubles(losing: int) -> None:
    """The commit is cut after one poll of a short match, whichever; the ledger is read back from the store."""
    it = await table(0)
    for number in range(1, 13):
        if number == losing:
            it.store.after = failing_times(1)
        if number == 11:
            it.innings.ended = "CD won by 5 runs"
        reads = it.store.ledgers_read
        outcome = await it.poll()
        if number == losing:
            assert outcome.kind is OutcomeKind.NOT_STORED
            assert not it.watch.has_ledger
        elif number == losing + 1:
            assert it.store.ledgers_read == reads + 1
        if number <= 9:
            it.innings.bowl(2)
        else:
            it.innings.moved()
    await it.require_whole(18)
    results = [event for event in await it.events() if event.kind is EventKind.RESULT_DECLARED]
    assert len(results) == 1
    assert it.watch.status is MatchStatus.COMPLETED


@pytest.mark.req("B8")
@pytest.mark.parametrize("status", [MatchStatus.UPCOMING, MatchStatus.LIVE])
@on_virtual_time
async def test_a_restart_goes_on_without_a_twin_or_a_hole(status: MatchStatus) -> None:
    """Whoever resumes has the status of the list or of the row; either way nothing is told twice."""
    it = await table(9)
    await it.poll()
    for _ in range(3):
        it.watch = it.watching(status)
        it.innings.bowl(4)
        assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(21)


@pytest.mark.req("B8")
@on_virtual_time
async def test_a_restart_after_the_end_tells_nothing_again() -> None:
    it = await table(9)
    it.innings.ended = "CD won by 5 runs"
    await it.poll()
    before = await it.events()
    it.watch = it.watching()
    it.innings.moved()
    await it.poll()
    assert await it.events() == before


@on_virtual_time
async def test_a_store_that_cannot_be_read_is_an_outcome_and_nothing_is_asked_of_the_source() -> None:
    it = await table(9)
    it.store.reading = failing_times(1)
    assert (await it.poll()).kind is OutcomeKind.NOT_STORED
    assert it.fetcher.asked == []
    assert (await it.poll()).kind is OutcomeKind.UPDATED


@pytest.mark.req("A5")
@on_virtual_time
async def test_the_end_of_a_match_is_recorded_and_every_over_is_read_once_more() -> None:
    it = await table(60)
    await it.poll()
    it.innings.moved().ended = "CD won by 5 runs"
    await it.poll()
    assert it.watch.status is MatchStatus.COMPLETED
    assert it.watch.state is MatchState.COMPLETED
    assert not it.watch.is_finished
    before = len(it.fetcher.asked_for("feed"))
    await it.poll()
    assert it.watch.is_finished
    assert len(it.fetcher.asked_for("feed")) > before
    steps = [(told.before, told.after) for told in it.heard.of(signals.MatchStateChanged)]
    assert steps == [("discovered", "active"), ("active", "completed")]
    row = await it.store.match(REF.match_id)
    assert row is not None
    assert (row.state, row.status) == (MatchState.COMPLETED, MatchStatus.COMPLETED)
    assert row.result is not None
    assert (row.result.winner, row.result.by_runs) == ("CD", 5)
    await it.require_whole(60)


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
    assert stored.delay_seconds is not None
    assert stored.delay_seconds >= 0.0
    (score,) = it.heard.of(signals.ScoreStored)
    assert score.observation.innings[0].runs == 9


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


@on_virtual_time
async def test_a_fault_of_ours_comes_out_for_supervision() -> None:
    it = await table(9)

    def broken() -> None:
        raise KeyError("ours")

    it.store.before = broken
    with pytest.raises(KeyError):
        await it.poll()
    it.store.before = failing_times(0)
    assert (await it.poll()).kind is OutcomeKind.UPDATED
    await it.require_whole(9)


@pytest.mark.req("A5")
@on_virtual_time
async def test_a_match_that_the_source_dropped_for_good_is_concluded_once() -> None:
    it = await table(9)
    await it.poll()
    await it.pipeline.conclude(it.watch)
    await it.pipeline.conclude(it.watch)
    row = await it.store.match(REF.match_id)
    assert row is not None
    assert (row.state, row.status) == (MatchState.COMPLETED, MatchStatus.COMPLETED)
    assert [told.after for told in it.heard.of(signals.MatchStateChanged)] == ["active", "completed"]


@on_virtual_time
async def test_a_match_that_was_never_seen_has_nothing_to_conclude() -> None:
    it = await table(9)
    await it.pipeline.conclude(it.watch)
    assert it.store.saved == []


@on_virtual_time
async def test_a_conclusion_that_cannot_be_stored_is_told_and_does_no_harm() -> None:
    it = await table(9)
    await it.poll()
    it.store.before = failing_times(1)
    await it.pipeline.conclude(it.watch)
    (error,) = it.heard.of(signals.ErrorRaised)
    assert error.operation == "conclusion"
