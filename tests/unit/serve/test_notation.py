"""Cricket as people write it."""

import pytest

from longstop.domain.cricket import Delivery, Extras, InningsScore, InningsState, Result
from longstop.serve.matches import event_type, score_of
from longstop.serve.naming import NameBook
from longstop.serve.notation import ball_text, chase_text, innings_text, overs_number, result_text, team_text
from tests.unit.serve.world import NAMES, WICKET, ball


def innings(runs: int, wickets: int, **more: object) -> InningsScore:
    fields: dict[str, object] = {"number": 1, "team": "IN", "runs": runs, "wickets": wickets, **more}
    return InningsScore(**fields)  # type: ignore[arg-type]  # one builder for every kind of innings


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (innings(234, 5), "234/5"),
        (innings(0, 0), "0/0"),
        (innings(234, 10), "234"),
        (innings(350, 7, state=InningsState.DECLARED), "350/7d"),
        (innings(12, 1, state=InningsState.FORFEITED), "forfeited"),
    ],
)
def test_an_innings_is_written_as_on_a_scoreboard(score: InningsScore, text: str) -> None:
    assert innings_text(score) == text


def test_a_team_shows_all_its_innings() -> None:
    assert team_text([innings(412, 10), innings(151, 4, number=3)]) == "412 & 151/4"
    assert team_text([innings(160, 6), innings(12, 1, is_super_over=True)]) == "160/6 (SO 12/1)"
    assert team_text([]) == ""


@pytest.mark.parametrize(
    ("delivery", "text"),
    [
        (ball(1, 0, 1), "0"),
        (ball(1, 0, 1, 4), "4"),
        (ball(1, 0, 1, extras=Extras(wides=1)), "1wd"),
        (ball(1, 0, 1, extras=Extras(wides=5)), "5wd"),
        (ball(1, 0, 1, 2, extras=Extras(noballs=1)), "2+1nb"),
        (ball(1, 0, 1, extras=Extras(legbyes=2)), "2lb"),
        (ball(1, 0, 1, extras=Extras(byes=4)), "4b"),
        (ball(1, 0, 1, extras=Extras(penalty=5)), "5p"),
        (ball(1, 0, 1, dismissals=WICKET), "W"),
        (ball(1, 0, 1, 1, dismissals=WICKET), "1W"),
        (ball(1, 0, 1, extras=Extras(wides=1), dismissals=WICKET), "1wdW"),
    ],
)
def test_a_ball_is_written_short(delivery: Delivery, text: str) -> None:
    assert ball_text(delivery) == text


def test_a_chase_says_what_is_needed() -> None:
    assert chase_text(innings(95, 3, legal_balls=75, target_runs=140, target_overs="20"), 6, "IND") == (
        "IND need 45 from 45 balls"
    )
    assert chase_text(innings(139, 3, legal_balls=119, target_runs=140, target_overs="20"), 6, "IND") == (
        "IND need 1 from 1 ball"
    )
    assert chase_text(innings(95, 3, target_runs=140), 6, "IND") == "IND need 45"
    assert (
        chase_text(innings(95, 3, legal_balls=75, target_runs=100, target_overs="16.4"), 5, "X")
        == "X need 5 from 9 balls"
    )


def test_a_chase_that_is_over_says_nothing() -> None:
    assert chase_text(innings(95, 3), 6, "IND") == ""
    assert chase_text(innings(140, 3, target_runs=140), 6, "IND") == ""
    assert chase_text(innings(90, 10, target_runs=140, state=InningsState.CLOSED), 6, "IND") == ""


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Result("won", "IN", by_wickets=8), "India won by 8 wickets"),
        (Result("won", "IN", by_runs=1), "India won by 1 run"),
        (Result("won", "IN", by_innings=1, by_runs=46), "India won by an innings and 46 runs"),
        (Result("won", "IN", by_runs=62, method="D/L"), "India won by 62 runs (D/L)"),
        (Result("won", "IN", method="Awarded"), "India won (Awarded)"),
        (Result("tie", eliminator="IN"), "Match tied, India won the super over"),
        (Result("tie", bowl_out="IN"), "Match tied, India won the bowl-out"),
        (Result("tie"), "Match tied"),
        (Result("draw"), "Match drawn"),
        (Result("no result"), "No result"),
    ],
)
def test_a_result_is_one_line(result: Result, text: str) -> None:
    assert result_text(result, "India") == text


def test_overs_are_numbers_where_they_can_be() -> None:
    assert overs_number("12.3") == 12.3
    assert overs_number("") is None


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("4", "runs"),
        ("w", "wicket"),
        ("1w", "wicket"),
        ("1wd", "extra"),
        ("2lb", "extra"),
        ("nb", "extra"),
        ("o", "over_complete"),
        ("Innings Break", "note"),
        ("IND won by 8 wickets", "note"),
    ],
)
def test_the_last_event_has_a_type(words: str, kind: str) -> None:
    assert event_type(words) == kind


def test_a_team_that_has_not_batted_has_no_score() -> None:
    score = score_of(("IN", "AU"), (innings(12, 0), innings(5, 0, is_super_over=True)))
    assert score.team_a is not None
    assert score.team_a.runs == 12
    assert score.team_b is None


def test_codes_without_a_name_stay_codes() -> None:
    book = NameBook(NAMES)
    assert book.player("ZZ9").name == "ZZ9"
    assert book.team("XX").short_name == "XX"
    assert book.title("IN v XX, Final", ("IN", "XX")) == "India v XX, Final"
    assert book.title("Boxing Day Test", ("IN", "AU")) == "Boxing Day Test"
    assert book.title("IN v AUX, Final", ("IN", "AU")) == "IN v AUX, Final"
