"""A ball that was the first of its over leaves nothing behind that could say it is gone."""

import msgspec
import pytest

from longstop.domain.cricket import Delivery, Extras, InningsState, OverReport
from longstop.domain.events import EventKind
from longstop.domain.observation import Observation
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.ledger.match_ledger import Draft, MatchLedger
from tests.cricket import ball, innings_of, observed, report

SIXTY = innings_of(1, 10)
NEXT = ball(1, 10, 1, 1)


def post(ledger: MatchLedger, observation: Observation, *pages: FeedPage) -> Draft:
    draft = ledger.draft(observation, pages)
    ledger.adopt(draft)
    return draft


def knowing(balls: list[Delivery]) -> MatchLedger:
    """A ledger that has seen all of these."""
    ledger = MatchLedger("crex_AB1")
    last = balls[-1].place.over
    asked = OverRange(1, 0, last)
    post(ledger, observed(balls), page(asked, balls, last))
    assert ledger.is_whole
    return ledger


def page(asked: OverRange, balls: list[Delivery], last_over: int) -> FeedPage:
    overs = range(asked.first_over, min(asked.last_over, last_over) + 1)
    return FeedPage(asked, tuple(report(1, over, balls) for over in overs), last_over, "f" * 64)


def withdrawn(draft: Draft) -> list[str]:
    return [str(record.place) for record in draft.records if record.delivery is None]


@pytest.mark.req("C1", "C3")
@pytest.mark.parametrize("first", [NEXT, ball(1, 10, 1, extras=Extras(wides=1))], ids=["a run", "a wide"])
def test_the_first_ball_of_an_over_that_was_taken_back_is_withdrawn(first: Delivery) -> None:
    ledger = knowing([*SIXTY, first])
    draft = post(ledger, observed(SIXTY, seconds=5))
    assert withdrawn(draft) == ["1.10.1"]
    assert [event.kind for event in draft.events] == [EventKind.BALL_WITHDRAWN]
    assert (ledger.is_whole, draft.complete_through) == (True, "1.9.6")
    again = post(ledger, observed([*SIXTY, first], seconds=10))
    assert [(record.place.over, record.revision) for record in again.records] == [(10, 3)]
    assert ledger.is_whole


@pytest.mark.req("C3")
def test_balls_back_into_the_over_before_are_withdrawn_from_both() -> None:
    ledger = knowing([*SIXTY, NEXT])
    draft = post(ledger, observed(SIXTY[:58], seconds=5))
    assert withdrawn(draft) == ["1.9.5", "1.9.6", "1.10.1"]
    assert ledger.is_whole


@pytest.mark.req("C3")
def test_the_very_first_ball_of_an_innings_may_be_taken_back() -> None:
    ledger = knowing([ball(1, 0, 1, 4)])
    draft = post(ledger, observed([], seconds=5))
    assert (withdrawn(draft), ledger.is_whole, draft.complete_through) == (["1.0.1"], True, "1.0.0")


@pytest.mark.req("C3")
def test_an_over_that_was_taken_back_before_the_innings_ended_is_withdrawn_too() -> None:
    ledger = knowing([*SIXTY, NEXT])
    draft = post(ledger, observed(SIXTY, seconds=5, states=(InningsState.CLOSED,)))
    assert withdrawn(draft) == ["1.10.1"]


@pytest.mark.req("C2")
def test_where_only_the_board_is_shown_the_feed_is_asked_and_says_it() -> None:
    ledger = knowing([*SIXTY, NEXT])
    bare = msgspec.structs.replace(observed(SIXTY, seconds=5), overs=())
    assert withdrawn(post(ledger, bare)) == []
    wanted = ledger.wanted(ledger.draft(bare))
    assert OverRange(1, 10, 10) in wanted
    draft = post(ledger, bare, *(page(asked, SIXTY, 9) for asked in wanted))
    assert (withdrawn(draft), ledger.is_whole) == (["1.10.1"], True)


@pytest.mark.req("C2")
def test_a_recent_list_that_lags_behind_its_board_takes_nothing_back() -> None:
    ledger = knowing([*SIXTY, NEXT])
    lagging = msgspec.structs.replace(observed([*SIXTY, NEXT], seconds=5), overs=observed(SIXTY).overs)
    assert post(ledger, lagging).records == ()
    assert ledger.is_whole


@pytest.mark.req("C2")
def test_no_more_is_taken_back_than_the_board_has_less() -> None:
    """An older list beside a corrected board: with all of it gone, something would be missing."""
    ledger = knowing([*SIXTY, NEXT])
    board = observed([*SIXTY[:59], NEXT], seconds=5)
    old = msgspec.structs.replace(board, overs=(OverReport(1, 4, report(1, 4, SIXTY).deliveries),))
    assert withdrawn(post(ledger, old)) == []
