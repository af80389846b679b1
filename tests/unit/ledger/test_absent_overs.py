"""A feed that leaves out an over has lost it, or the over was taken back: the board tells which."""

import pytest

from longstop.domain.cricket import Delivery
from longstop.domain.events import GapState
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.ledger.match_ledger import Draft, LedgerState, MatchLedger
from tests.cricket import innings_of, observed, recent, report

BALLS = innings_of(1, 10)
WITHOUT_THREE = [each for each in BALLS if each.place.over != 3]


def page(overs: OverRange, balls: list[Delivery]) -> FeedPage:
    reports = tuple(report(1, over, balls) for over in range(overs.first_over, overs.last_over + 1))
    return FeedPage(overs, reports, 9, "f" * 64)


def look(ledger: MatchLedger, shown: list[Delivery], seconds: float, feed: list[Delivery]) -> Draft:
    observation = observed(shown, seconds=seconds)
    pages = [page(overs, feed) for overs in ledger.wanted(ledger.draft(observation))]
    draft = ledger.draft(observation, pages)
    ledger.adopt(draft)
    return draft


def known(balls: list[Delivery]) -> MatchLedger:
    """A ledger that has these balls from the record, and has not asked the feed yet."""
    first = MatchLedger("crex_AB1")
    look(first, balls, 0.0, balls)
    return MatchLedger("crex_AB1", LedgerState(deliveries=tuple(first.records()), last_seq=99))


@pytest.mark.req("C1")
def test_an_over_that_the_feed_has_lost_is_not_taken_back_while_the_board_counts_it() -> None:
    ledger = known(BALLS)
    observation = observed(BALLS)
    draft = ledger.draft(observation, [page(OverRange(1, 0, 9), WITHOUT_THREE)])
    assert not draft.records
    assert draft.is_whole


def test_an_over_that_neither_the_feed_nor_the_board_has_any_more_is_taken_back() -> None:
    ledger = known(BALLS)
    draft = ledger.draft(observed(WITHOUT_THREE), [page(OverRange(1, 0, 9), WITHOUT_THREE)])
    assert [str(record.place) for record in draft.records] == [f"1.3.{number}" for number in range(1, 7)]
    assert all(record.delivery is None for record in draft.records)


@pytest.mark.req("C7")
def test_a_gap_names_the_overs_that_the_feed_was_asked_for_and_left_out() -> None:
    ledger = MatchLedger("crex_AB1")
    drafts = [look(ledger, BALLS, turn * 2.5, WITHOUT_THREE) for turn in range(6)]
    (gap,) = [gap for draft in drafts for gap in draft.gaps]
    assert (gap.state, gap.first_over, gap.last_over, gap.missing_balls) == (GapState.OPEN, 3, 3, 6)
    assert drafts[-1].complete_through == "1.3.0"


@pytest.mark.req("C7")
def test_a_gap_grows_with_what_is_lost_after_it_was_opened() -> None:
    ledger = MatchLedger("crex_AB1")
    for turn in range(6):
        look(ledger, BALLS, turn * 2.5, WITHOUT_THREE)
    more = innings_of(1, 20)
    short = [each for each in more if each.place.over not in (3, 12)]
    assert min(over.over for over in recent(more)) > 12
    drafts = [look(ledger, more, 20 + turn * 2.5, short) for turn in range(4)]
    gap = [gap for draft in drafts for gap in draft.widened][-1]
    assert (gap.first_over, gap.last_over, gap.missing_balls) == (3, 12, 12)
    assert not [event for draft in drafts for event in draft.events if event.key.startswith("gap:")]
