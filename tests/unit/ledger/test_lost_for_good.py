"""Gaps that the source cannot fill: given up with their cause, and closed should it show more after all."""

import msgspec
import pytest

from longstop.domain.cricket import Delivery, InningsState
from longstop.domain.events import EventKind, GapState
from longstop.domain.observation import Observation
from longstop.ledger.gaps import EXHAUSTED, FeedPage, OverRange
from longstop.ledger.match_ledger import Draft, LedgerState, MatchLedger
from tests.cricket import innings_of, observed, report

CLOSED = (InningsState.CLOSED,)
BALLS = innings_of(1, 10)
SHORT = [each for each in BALLS if str(each.place) != "1.2.3"]


def feed(overs: OverRange, balls: list[Delivery]) -> FeedPage:
    reports = tuple(report(1, over, balls) for over in range(overs.first_over, overs.last_over + 1))
    return FeedPage(overs, reports, 9, "f" * 64)


def look(ledger: MatchLedger, observation: Observation, balls: list[Delivery] | None) -> Draft:
    """One poll, whose feed shows these balls; None is a feed that is down."""
    wanted = ledger.wanted(ledger.draft(observation))
    draft = ledger.draft(observation, [feed(overs, balls) for overs in wanted] if balls is not None else ())
    ledger.adopt(draft)
    return draft


def given_up() -> tuple[MatchLedger, list[Draft]]:
    ledger = MatchLedger("crex_AB1")
    drafts = [look(ledger, observed(BALLS, seconds=turn * 2.5, states=CLOSED), SHORT) for turn in range(8)]
    return ledger, drafts


@pytest.mark.req("C7")
def test_a_ball_that_the_feed_does_not_show_after_the_innings_is_given_up_with_its_cause() -> None:
    ledger, drafts = given_up()
    rows = [gap for draft in drafts for gap in draft.gaps]
    assert [gap.state for gap in rows] == [GapState.OPEN, GapState.UNRECOVERABLE]
    assert rows[0].gap_id == rows[1].gap_id
    assert (rows[1].missing_runs, rows[1].missing_balls) == (1, 1)
    assert EXHAUSTED in rows[1].cause
    kinds = [event.kind for draft in drafts for event in draft.events]
    assert kinds[-1] is EventKind.GAP_UNRECOVERABLE
    assert (ledger.is_whole, ledger.is_settled) == (False, True)
    assert ledger.rows == 59


@pytest.mark.req("C7")
def test_a_gap_of_an_innings_that_goes_on_is_not_given_up() -> None:
    ledger = MatchLedger("crex_AB1")
    drafts = [look(ledger, observed(BALLS, seconds=turn * 2.5), SHORT) for turn in range(12)]
    assert {gap.state for draft in drafts for gap in draft.gaps} == {GapState.OPEN}
    assert not ledger.is_settled


@pytest.mark.req("C7")
def test_a_feed_that_is_down_gives_nothing_up() -> None:
    ledger = MatchLedger("crex_AB1")
    drafts = [look(ledger, observed(BALLS, seconds=turn * 2.5, states=CLOSED), None) for turn in range(12)]
    assert {gap.state for draft in drafts for gap in draft.gaps} == {GapState.OPEN}


@pytest.mark.req("C2")
def test_what_was_given_up_is_asked_for_again_now_and_then_and_closed_when_it_shows() -> None:
    ledger, _ = given_up()
    soon = observed(BALLS, seconds=60, states=CLOSED)
    assert ledger.wanted(ledger.draft(soon)) == ()
    assert ledger.may_rest(soon.provenance.captured_at.timestamp())
    later = observed(BALLS, seconds=400, states=CLOSED)
    assert not ledger.may_rest(later.provenance.captured_at.timestamp())
    (closed,) = look(ledger, later, BALLS).gaps
    assert (closed.state, ledger.is_whole) == (GapState.REPAIRED, True)


@pytest.mark.req("C7")
@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_match_that_is_gone_for_good_ends_every_gap_with_that(seconds: float) -> None:
    ledger = MatchLedger("crex_AB1")
    for at in {0.0, seconds}:
        look(ledger, observed(BALLS, seconds=at), None)
    draft = ledger.draft(observed(BALLS, seconds=seconds + 1), given_up="it is gone")
    assert draft.gaps[-1].state is GapState.UNRECOVERABLE
    assert draft.gaps[-1].cause.endswith("it is gone")
    ledger.adopt(draft)
    assert ledger.is_settled


@pytest.mark.req("C7")
def test_a_gap_that_was_given_up_is_not_opened_again_by_a_restart() -> None:
    _, drafts = given_up()
    state = LedgerState(
        deliveries=[record for draft in drafts for record in draft.records],
        innings=[row for draft in drafts for row in draft.innings],
        gaps=[drafts[-1].suspicions[1].gap or pytest.fail("no gap")],
        last_seq=drafts[-1].last_seq,
        play=drafts[-1].observation.play,
        status=drafts[-1].observation.status,
    )
    second = MatchLedger("crex_AB1", state)
    later = [look(second, observed(BALLS, seconds=100 + turn * 3, states=CLOSED), SHORT) for turn in range(6)]
    assert [gap for draft in later for gap in draft.gaps] == []
    assert second.is_settled
    repaired = look(second, observed(BALLS, seconds=900, states=CLOSED), BALLS)
    assert [gap.state for gap in repaired.gaps] == [GapState.REPAIRED]
    assert msgspec.structs.replace(repaired.gaps[0], closed_at=None).missing_balls == 1
