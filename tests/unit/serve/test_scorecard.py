"""What balls add up to for those who bat and those who bowl."""

import pytest

from longstop.domain.cricket import Delivery, Dismissal, Extras
from longstop.serve.balls import dismissal_out
from longstop.serve.naming import NameBook
from longstop.serve.scorecard import InningsCard, how_out, innings_card
from tests.unit.serve.world import FIRST, NAMES, WICKET, ball

pytestmark = pytest.mark.req("G1")

BOOK = NameBook(NAMES)


def card_of(*balls: Delivery) -> InningsCard:
    return innings_card(FIRST, balls, 6, BOOK)


def of_bowler(*balls: Delivery) -> tuple[str, int, int, int]:
    bowler = card_of(*balls).bowling[0]
    return bowler.overs, bowler.maidens, bowler.runs, bowler.wickets


def test_a_maiden_is_a_whole_over_with_nothing_conceded() -> None:
    dots = [ball(1, 0, n) for n in range(1, 7)]
    assert of_bowler(*dots) == ("1", 1, 0, 0)
    assert of_bowler(*dots[:5]) == ("0.5", 0, 0, 0)
    assert of_bowler(*dots[:5], ball(1, 0, 6, extras=Extras(legbyes=4))) == ("1", 1, 0, 0)
    assert of_bowler(*dots, ball(1, 0, 7, extras=Extras(wides=1))) == ("1", 0, 1, 0)


def test_a_run_out_is_no_wicket_of_the_bowler() -> None:
    assert of_bowler(ball(1, 0, 1, dismissals=(Dismissal("P2", "run out", ("P9",)),))) == ("0.1", 0, 0, 0)
    assert of_bowler(ball(1, 0, 1, dismissals=WICKET)) == ("0.1", 0, 0, 1)


def test_a_batter_faces_no_wides_and_runs_no_byes() -> None:
    balls = [ball(1, 0, 1, 4), ball(1, 0, 2, extras=Extras(wides=5)), ball(1, 0, 3, extras=Extras(byes=4))]
    batter = card_of(*balls).batting[0]
    assert (batter.runs, batter.balls, batter.fours) == (4, 2, 1)


@pytest.mark.parametrize(
    ("dismissal", "words"),
    [
        (Dismissal("P1", "bowled"), "b Ellyse Perry"),
        (Dismissal("P1", "caught", ("P2",)), "c Harmanpreet Kaur b Ellyse Perry"),
        (Dismissal("P1", "caught and bowled"), "c & b Ellyse Perry"),
        (Dismissal("P1", "caught"), "c sub b Ellyse Perry"),
        (Dismissal("P1", "stumped", ("P2",)), "st Harmanpreet Kaur b Ellyse Perry"),
        (Dismissal("P1", "run out", ("P2",)), "run out (Harmanpreet Kaur)"),
        (Dismissal("P1", "retired hurt"), "retired hurt"),
    ],
)
def test_how_a_batter_got_out_is_written_as_people_do(dismissal: Dismissal, words: str) -> None:
    assert how_out(dismissal_out(dismissal, BOOK), "Ellyse Perry") == words
