"""What is odd though every sum agrees: figures, numbers left out, changes that nobody saw."""

import msgspec
import pytest

from longstop.domain.cricket import BatterFigures, BowlerFigures, Delivery, InningsState
from longstop.domain.observation import Observation
from longstop.ledger.figures import Figures, doubts
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.ledger.match_ledger import Draft, MatchLedger
from tests.cricket import ball, innings_of, observed, report


def post(ledger: MatchLedger, observation: Observation, *pages: FeedPage) -> Draft:
    draft = ledger.draft(observation, pages)
    ledger.adopt(draft)
    return draft


def feed(overs: OverRange, balls: list[Delivery], last_over: int) -> FeedPage:
    reports = tuple(report(overs.innings, over, balls) for over in range(overs.first_over, overs.last_over + 1))
    return FeedPage(overs, reports, last_over, "f" * 64)


def figured(balls: list[Delivery], seconds: float = 0.0, sequence: int | None = None) -> Observation:
    """A board that shows both batters and the bowler as the balls have them."""
    made = Figures()
    for delivery in balls:
        made.move(delivery, 1)
    batting = tuple(BatterFigures(name, *made.of("batter", name)[:2]) for name in ("B1", "B2"))
    runs, legal, wickets = made.of("bowler", balls[-1].bowler)
    bowler = BowlerFigures(balls[-1].bowler, runs, legal, 0, wickets)
    return msgspec.structs.replace(observed(balls, seconds=seconds, sequence=sequence), batting=batting, bowling=bowler)


def whole_ledger(balls: list[Delivery], last_over: int, sequence: int | None = None) -> MatchLedger:
    ledger = MatchLedger("crex_AB1")
    first = figured(balls, sequence=sequence)
    post(ledger, first, *(feed(overs, balls, last_over) for overs in ledger.wanted(ledger.draft(first))))
    assert ledger.is_whole
    return ledger


def swapped(delivery: Delivery) -> Delivery:
    return msgspec.structs.replace(delivery, batter=delivery.non_striker, non_striker=delivery.batter)


def test_figures_follow_the_balls_and_their_corrections() -> None:
    figures = Figures()
    wide = msgspec.structs.replace(ball(1, 0, 1), extras=msgspec.structs.replace(ball(1, 0, 1).extras, wides=2))
    for delivery in (ball(1, 0, 2, 4, out="caught"), ball(1, 0, 3, 1, out="run out"), wide):
        figures.move(delivery, 1)
    assert figures.of("batter", "B1") == (5, 2, 0)
    assert figures.of("bowler", "W0") == (7, 2, 1)
    figures.move(wide, -1)
    assert figures.of("bowler", "W0") == (5, 2, 1)


def test_a_board_that_agrees_with_the_balls_raises_no_doubt() -> None:
    balls = innings_of(1, 2)
    figures = Figures()
    assert doubts(figured(balls), figures, ((each, 1) for each in balls)) == []
    assert doubts(observed([]), Figures(), ()) == []


@pytest.mark.req("C3")
def test_a_boundary_given_to_the_other_batter_is_found_in_the_overs_of_both_and_nowhere_else() -> None:
    """Both batted in all overs but one; the sums are as before."""
    balls = innings_of(1, 14)
    balls[20] = ball(1, 3, 3, 4)
    others = [msgspec.structs.replace(each, batter="B8", non_striker="B9") for each in balls[:12]]
    balls = [*others, *balls[12:]]
    ledger = whole_ledger(balls, 13)
    balls[20] = swapped(balls[20])
    observation = figured(balls, seconds=5)
    wanted = ledger.wanted(ledger.draft(observation))
    assert wanted == (OverRange(1, 2, 9),)
    draft = post(ledger, observation, *(feed(overs, balls, 13) for overs in wanted))
    assert [record.delivery for record in draft.records] == [balls[20]]
    assert ledger.is_whole


@pytest.mark.req("C3")
def test_a_wicket_that_the_board_gives_the_bowler_sends_us_to_his_overs() -> None:
    balls = innings_of(1, 9)
    ledger = whole_ledger(balls, 8)
    observation = figured(balls, seconds=5)
    assert observation.bowling is not None
    more = msgspec.structs.replace(observation.bowling, wickets=1)
    wanted = ledger.wanted(ledger.draft(msgspec.structs.replace(observation, bowling=more)))
    assert wanted == (OverRange(1, 0, 0), OverRange(1, 2, 2), OverRange(1, 4, 4))


@pytest.mark.req("C3")
def test_a_source_that_contradicts_itself_is_asked_once_and_never_again_for_the_same() -> None:
    balls = innings_of(1, 9)
    ledger = whole_ledger(balls, 8)
    odd = msgspec.structs.replace(
        figured(balls, seconds=5), batting=(BatterFigures("B1", 99, 54), BatterFigures("B2", 0, 0))
    )
    wanted = ledger.wanted(ledger.draft(odd))
    assert wanted
    post(ledger, odd, *(feed(overs, balls, 8) for overs in wanted))
    assert ledger.is_whole
    again = msgspec.structs.replace(odd, provenance=figured(balls, seconds=10).provenance)
    assert ledger.wanted(ledger.draft(again)) == ()
    post(ledger, figured(balls, seconds=15))
    assert ledger.wanted(ledger.draft(odd)) == wanted


@pytest.mark.req("C3")
def test_a_doubt_that_the_feed_cannot_answer_now_waits() -> None:
    balls = innings_of(1, 9)
    balls[3] = ball(1, 0, 4, 4)
    ledger = whole_ledger(balls, 8)
    balls[3] = swapped(balls[3])
    post(ledger, figured(balls, seconds=5))
    assert not ledger.is_settled
    later = figured(balls, seconds=8)
    pages = [feed(overs, balls, 8) for overs in ledger.wanted(ledger.draft(later))]
    assert post(ledger, later, *pages).records[0].delivery == balls[3]
    assert ledger.is_whole


@pytest.mark.req("C2")
def test_changes_that_the_source_counted_and_nobody_saw_send_us_one_call_back() -> None:
    balls = innings_of(1, 15)
    ledger = whole_ledger(balls, 14, sequence=10)
    balls.append(ball(1, 15, 1, 1))
    assert ledger.wanted(ledger.draft(figured(balls, seconds=5, sequence=11))) == ()
    jumped = figured(balls, seconds=5, sequence=13)
    assert ledger.wanted(ledger.draft(jumped)) == (OverRange(1, 2, 11),)
    post(ledger, jumped, feed(OverRange(1, 2, 11), balls, 14))
    assert ledger.is_whole
    assert ledger.wanted(ledger.draft(figured(balls, seconds=8, sequence=20))) == ()


@pytest.mark.req("C2")
def test_by_a_clock_that_is_set_back_nobody_looks_away_for_an_hour() -> None:
    balls = innings_of(1, 15)
    ledger = whole_ledger(balls, 14, sequence=10)
    jumped = ledger.draft(figured(balls, seconds=3605, sequence=13), at=5.0)
    assert jumped.doubtful.has_jumped
    ledger.adopt(jumped)
    assert not ledger.draft(figured(balls, seconds=20, sequence=20), at=20.0).doubtful.has_jumped
    assert ledger.draft(figured(balls, seconds=36, sequence=20), at=36.0).doubtful.has_jumped


@pytest.mark.req("C2")
def test_overs_that_a_newer_one_has_passed_by_are_asked_for_though_the_board_counts_no_balls() -> None:
    """Without legal balls on the board, an over of dots is missing from no sum."""
    balls = innings_of(1, 12, runs=0)

    def uncounted(shown: list[Delivery], seconds: float) -> Observation:
        observation = observed(shown, seconds=seconds)
        score = msgspec.structs.replace(observation.innings[0], legal_balls=None)
        return msgspec.structs.replace(observation, innings=(score,))

    ledger = MatchLedger("crex_AB1")
    post(ledger, uncounted(balls[:10], 0))
    wanted = ledger.wanted(ledger.draft(uncounted(balls, 60)))
    assert wanted == (OverRange(1, 1, 7),)
    post(ledger, uncounted(balls, 60), feed(wanted[0], balls, 11))
    assert ledger.is_whole
    assert ledger.rows == 72


@pytest.mark.req("C2")
def test_figures_tell_nothing_while_the_sums_disagree() -> None:
    balls = innings_of(1, 10)
    ledger = MatchLedger("crex_AB1")
    post(ledger, figured(balls))
    assert ledger.draft(figured(balls, seconds=3)).doubtful.figures == ()
    closed = (InningsState.CLOSED,)
    assert ledger.draft(observed(balls, seconds=3, states=closed)).doubtful.is_sound is False
