import msgspec
import pytest

from longstop.domain.cricket import Delivery, Extras, InningsState, OverReport, Result
from longstop.domain.events import EventKind, GapState
from longstop.domain.observation import Observation
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.ledger.match_ledger import Draft, LedgerLimits, LedgerState, MatchLedger
from tests.cricket import ball, innings_of, observed, report


def post(ledger: MatchLedger, observation: Observation, *pages: FeedPage) -> Draft:
    draft = ledger.draft(observation, pages)
    ledger.adopt(draft)
    return draft


def feed(overs: OverRange, balls: list[Delivery], last_over: int) -> FeedPage:
    reports = tuple(report(overs.innings, over, balls) for over in range(overs.first_over, overs.last_over + 1))
    return FeedPage(overs, reports, last_over, "f" * 64)


@pytest.mark.req("C1")
def test_each_new_ball_becomes_one_row_and_one_event() -> None:
    ledger = MatchLedger("crex_AB1")
    draft = post(ledger, observed(innings_of(1, 2)))
    assert len(draft.records) == 12
    assert [event.kind for event in draft.events[:2]] == [EventKind.INNINGS_STARTED, EventKind.BALL_BOWLED]
    assert [event.seq for event in draft.events] == list(range(1, len(draft.events) + 1))


@pytest.mark.req("C2")
@pytest.mark.parametrize("set_by_seconds", [-3600, 0, 3600])
def test_a_gap_is_recorded_in_time_whatever_becomes_of_the_clock_of_the_day(set_by_seconds: int) -> None:
    ledger = MatchLedger("crex_AB1")

    def look(at: float, clock_seconds: float) -> Draft:
        draft = ledger.draft(observed(innings_of(1, 10), seconds=clock_seconds), at=at)
        ledger.adopt(draft)
        return draft

    assert look(0.0, 0.0).gaps == ()
    assert look(5.0, 5.0 + set_by_seconds).gaps == ()
    assert (ledger.is_gap_due(6.9), ledger.is_gap_due(7.0)) == (False, True)
    (gap,) = look(7.5, 7.5 + set_by_seconds).gaps
    assert gap.state is GapState.OPEN


@pytest.mark.req("C1")
def test_the_same_observation_again_adds_nothing() -> None:
    ledger = MatchLedger("crex_AB1")
    post(ledger, observed(innings_of(1, 2)))
    again = ledger.draft(observed(innings_of(1, 2), seconds=5))
    assert again.records == ()
    assert again.events == ()


@pytest.mark.req("C1")
def test_a_corrected_ball_is_a_new_revision_and_the_old_row_stays() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 1)
    post(ledger, observed(balls))
    balls[2] = ball(1, 0, 3, 4)
    draft = post(ledger, observed(balls, seconds=5))
    (record,) = draft.records
    assert (record.revision, record.delivery) == (2, balls[2])
    assert draft.events[0].kind is EventKind.BALL_CORRECTED
    assert ledger.is_whole


def test_a_ball_that_was_taken_away_is_withdrawn_and_may_come_back() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 1)
    phantom = [*balls, ball(1, 0, 7, 2)]
    post(ledger, observed(phantom))
    withdrawn = post(ledger, observed(balls, seconds=5))
    assert [(row.place.position, row.revision, row.delivery) for row in withdrawn.records] == [(7, 2, None)]
    assert withdrawn.events[0].kind is EventKind.BALL_WITHDRAWN
    back = post(ledger, observed(phantom, seconds=10))
    assert [(row.place.position, row.revision) for row in back.records] == [(7, 3)]
    assert ledger.is_whole


@pytest.mark.req("C2")
def test_overs_that_rolled_out_of_the_recent_list_are_asked_of_the_feed() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 15)
    draft = ledger.draft(observed(balls))
    wanted = ledger.wanted(draft)
    assert wanted == (OverRange(1, 0, 9), OverRange(1, 10, 10))
    draft = post(ledger, observed(balls), *(feed(overs, balls, 14) for overs in wanted))
    assert len(draft.records) == 90
    assert ledger.is_whole
    assert [event.place for event in draft.events if event.place] == sorted(delivery.place for delivery in balls)


@pytest.mark.req("C2")
def test_an_over_that_was_seen_half_is_asked_for_again() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 12)
    post(ledger, observed(balls[:9]))
    post(ledger, observed(balls[:33], seconds=100))
    draft = ledger.draft(observed(balls, seconds=200))
    assert ledger.wanted(draft) == (OverRange(1, 1, 1), OverRange(1, 5, 7))


@pytest.mark.req("C3")
def test_a_correction_too_old_for_the_recent_list_is_found_by_reading_again() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 20)
    wanted = ledger.wanted(ledger.draft(observed(balls)))
    post(ledger, observed(balls), *(feed(overs, balls, 19) for overs in wanted))
    balls[3] = ball(1, 0, 4, 6)
    asked = []
    for turn in range(1, 5):
        observation = observed(balls, seconds=turn * 2.5)
        pages = [feed(overs, balls, 19) for overs in ledger.wanted(ledger.draft(observation))]
        asked += [page.asked for page in pages]
        post(ledger, observation, *pages)
    assert ledger.is_whole
    assert asked == [OverRange(1, 6, 15), OverRange(1, 0, 5)]


@pytest.mark.req("C2")
def test_what_nobody_can_fill_becomes_a_gap_and_is_closed_when_it_shows_again() -> None:
    ledger = MatchLedger("crex_AB1", limits=LedgerLimits(gap_after_seconds=7))
    balls = innings_of(1, 10)
    for seconds in (0.0, 2.5, 5.0):
        assert post(ledger, observed(balls, seconds=seconds)).gaps == ()
    (gap,) = post(ledger, observed(balls, seconds=7.5)).gaps
    assert (gap.state, gap.first_over, gap.last_over, gap.missing_balls) == (GapState.OPEN, 0, 5, 36)
    assert post(ledger, observed(balls, seconds=10)).gaps == ()
    observation = observed(balls, seconds=12.5)
    pages = [feed(overs, balls, 9) for overs in ledger.wanted(ledger.draft(observation))]
    (closed,) = post(ledger, observation, *pages).gaps
    assert (closed.gap_id, closed.state) == (gap.gap_id, GapState.REPAIRED)
    assert ledger.is_whole


@pytest.mark.req("C3")
def test_a_finished_innings_is_read_again_whole() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 12)
    wanted = ledger.wanted(ledger.draft(observed(balls)))
    post(ledger, observed(balls), *(feed(overs, balls, 11) for overs in wanted))
    ended = observed(balls, seconds=5, states=(InningsState.CLOSED,))
    post(ledger, ended)
    assert not ledger.is_whole
    wanted = ledger.wanted(ledger.draft(observed(balls, seconds=8, states=(InningsState.CLOSED,))))
    assert wanted == (OverRange(1, 0, 7),)
    post(ledger, observed(balls, seconds=8, states=(InningsState.CLOSED,)), feed(wanted[0], balls, 11))
    assert ledger.is_whole


def test_a_swapped_batter_in_an_old_over_is_found_when_the_innings_ends() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 12)
    wanted = ledger.wanted(ledger.draft(observed(balls)))
    post(ledger, observed(balls), *(feed(overs, balls, 11) for overs in wanted))
    balls[1] = msgspec.structs.replace(balls[1], batter="B9")
    closed = (InningsState.CLOSED,)
    post(ledger, observed(balls, seconds=5, states=closed))
    observation = observed(balls, seconds=8, states=closed)
    pages = [feed(overs, balls, 11) for overs in ledger.wanted(ledger.draft(observation))]
    draft = post(ledger, observation, *pages)
    assert [record.delivery for record in draft.records] == [balls[1]]


def test_penalty_runs_without_a_ball_are_no_gap() -> None:
    ledger = MatchLedger("crex_AB1")
    observation = observed(innings_of(1, 2))
    score = observation.innings[0]
    with_penalty = msgspec.structs.replace(score, runs=score.runs + 5, penalty_before=5, extras=Extras(penalty=5))
    draft = post(ledger, msgspec.structs.replace(observation, innings=(with_penalty,)))
    assert draft.is_whole


def test_an_over_number_that_nobody_bowled_is_no_gap() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = [row for row in innings_of(1, 8) if row.place.over != 5]
    observation = observed(balls)
    empty = OverReport(1, 5, ())
    shown = tuple(over if over.over != 5 else empty for over in observation.overs)
    draft = ledger.draft(msgspec.structs.replace(observation, overs=shown))
    wanted = ledger.wanted(draft)
    post(ledger, msgspec.structs.replace(observation, overs=shown), *(feed(overs, balls, 7) for overs in wanted))
    assert ledger.is_whole


@pytest.mark.req("B8")
def test_a_ledger_read_back_goes_on_without_a_duplicate_or_a_hole() -> None:
    first = MatchLedger("crex_AB1")
    balls = innings_of(1, 3)
    draft = post(first, observed(balls[:15]))
    state = LedgerState(deliveries=draft.records, innings=draft.innings, last_seq=draft.last_seq)
    second = MatchLedger("crex_AB1", state)
    later = post(second, observed(balls, seconds=60))
    assert [record.place for record in later.records] == [delivery.place for delivery in balls[15:]]
    assert later.events[0].seq == draft.last_seq + 1
    assert second.is_whole


def test_a_draft_that_is_not_adopted_changes_nothing() -> None:
    ledger = MatchLedger("crex_AB1")
    one = ledger.draft(observed(innings_of(1, 2)))
    two = ledger.draft(observed(innings_of(1, 2)))
    assert one == two


def test_a_result_is_told_once_and_orders_a_full_sync() -> None:
    ledger = MatchLedger("crex_AB1")
    balls = innings_of(1, 2)
    result = Result(verdict="won", winner="CD", by_runs=12)
    draft = post(ledger, observed(balls, result=result, states=(InningsState.CLOSED,)))
    assert [event.result for event in draft.events if event.kind is EventKind.RESULT_DECLARED] == [result]
    assert ledger.result == result
    again = post(ledger, observed(balls, seconds=5, result=result, states=(InningsState.CLOSED,)))
    assert again.events == ()


def test_the_record_is_complete_through_the_last_ball_when_it_adds_up() -> None:
    ledger = MatchLedger("crex_AB1")
    assert post(ledger, observed(innings_of(1, 2)[:9])).complete_through == "1.1.3"


def test_the_record_is_complete_only_up_to_the_first_over_that_is_missing() -> None:
    ledger = MatchLedger("crex_AB1")
    assert post(ledger, observed(innings_of(1, 10))).complete_through == "1.0.0"


@pytest.mark.req("C3", "B8")
def test_what_was_read_back_is_whole_only_once_it_was_held_against_a_board() -> None:
    """The process before may have ended between a board and the balls that it lacked."""
    before = MatchLedger("crex_AB1")
    first = post(before, observed(innings_of(1, 2)))
    resumed = MatchLedger("crex_AB1", LedgerState(deliveries=first.records, innings=first.innings))
    assert (resumed.is_whole, resumed.is_settled) == (False, False)

    post(resumed, observed(innings_of(1, 2), seconds=5))

    assert (resumed.is_whole, resumed.is_settled) == (True, True)
    assert MatchLedger("crex_AB1").is_whole, "of nothing nothing is missing"
