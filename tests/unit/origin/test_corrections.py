"""A site that errs and corrects itself: wrong at first, right in the end, and never impossible in between."""

from functools import cache
from itertools import pairwise

import pytest

from longstop_origin.board import MatchBoard
from longstop_origin.corrections import with_corrections
from longstop_origin.script import BallKey, Delivery, MatchScript, Revision, ScriptBall
from tests.unit.origin.test_timing import timed

FORMATS = ("T20", "ODI", "Test", "T10")


@cache
def scripts(level: str) -> tuple[tuple[MatchScript, MatchScript], ...]:
    """The truth, and what the site makes of it."""
    plain = [timed(name, seed) for name in FORMATS for seed in range(6)]
    return tuple((script, with_corrections(script, 5, level)) for script in plain)


def content(script: MatchScript) -> dict[BallKey, Delivery]:
    return {key: ball.truth for key, ball in script.keyed_balls() if ball.truth is not None}


def corrected(script: MatchScript) -> list[ScriptBall]:
    return [ball for _, ball in script.keyed_balls() if ball.revisions]


@pytest.mark.parametrize("level", ["none", "mild", "storm"])
def test_the_last_word_on_every_ball_is_the_truth(level: str) -> None:
    for plain, made in scripts(level):
        assert content(made) == content(plain)


def test_without_corrections_the_script_stays_as_it_is() -> None:
    assert all(made is plain for plain, made in scripts("none"))


@pytest.mark.parametrize(("level", "lowest", "highest"), [("mild", 0.004, 0.02), ("storm", 0.02, 0.06)])
def test_a_level_corrects_its_share_of_balls(level: str, lowest: float, highest: float) -> None:
    balls = sum(len(list(made.keyed_balls())) for _, made in scripts(level))
    assert lowest < sum(len(corrected(made)) for _, made in scripts(level)) / balls < highest


def test_everything_is_right_before_the_match_ends() -> None:
    for _, made in scripts("storm"):
        for ball in corrected(made):
            times = [ball.at_seconds, *(each.at_seconds for each in ball.revisions)]
            assert times == sorted(times)
            assert times[-1] < made.end_seconds


def test_what_is_shown_at_first_differs_from_what_follows() -> None:
    for _, made in scripts("storm"):
        for ball in corrected(made):
            shown = [ball.delivery, *(each.delivery for each in ball.revisions)]
            assert all(one != other for one, other in pairwise(shown))


def test_balls_too_many_are_taken_away_in_a_storm_only() -> None:
    def phantoms(level: str) -> int:
        return sum(ball.truth is None for _, made in scripts(level) for ball in corrected(made))

    assert phantoms("storm") > 10
    assert phantoms("mild") == 0


def test_a_ball_too_many_stands_at_the_end_of_its_over() -> None:
    for _, made in scripts("storm"):
        keys = [key for key, _ in made.keyed_balls()]
        assert len(keys) == len(set(keys))
        for key, ball in made.keyed_balls():
            if ball.truth is None:
                assert not any(other[:2] == key[:2] and other.position > key.position for other in keys)


def test_every_way_of_being_wrong_is_seen() -> None:
    ways = set()
    for _, made in scripts("storm"):
        for ball in corrected(made):
            ways.add(_way(ball.delivery, ball.truth))
    assert ways == {"taken away", "batters swapped", "wicket overturned", "wicket missed", "wide or bye", "rescored"}


def _way(wrong: Delivery, truth: Delivery | None) -> str:
    if truth is None:
        return "taken away"
    if wrong.batter != truth.batter:
        return "batters swapped"
    if wrong.wickets_lost != truth.wickets_lost:
        return "wicket overturned" if wrong.wickets_lost else "wicket missed"
    return "wide or bye" if wrong.extras != truth.extras else "rescored"


def test_no_moment_shows_an_impossible_score() -> None:
    for _, made in scripts("storm"):
        board = MatchBoard(made)
        for change_at in sorted({change.at_seconds for change in board._changes}):
            board.advance(change_at)
            for innings in board.innings:
                assert 0 <= innings.wickets <= 10
                assert innings.runs >= 0
                target = innings.innings.target_runs
                if target is not None and not innings.is_closed and innings.runs >= target:
                    assert innings.runs - target < 7


def test_the_same_seed_errs_the_same() -> None:
    script = timed("ODI", 1)
    assert with_corrections(script, 1, "storm") == with_corrections(script, 1, "storm")
    assert with_corrections(script, 1, "storm") != with_corrections(script, 2, "storm")


def test_an_unknown_level_is_refused_with_its_alternatives() -> None:
    with pytest.raises(ValueError, match="none, mild, storm"):
        with_corrections(timed("T20"), 1, "gale")


def test_a_ball_shows_what_was_last_said_of_it() -> None:
    one, two = Delivery("A", "B", "C", 1), Delivery("A", "B", "C", 2)
    ball = ScriptBall(0, 1, one, 10.0, (Revision(20.0, two), Revision(30.0, None)))
    assert [ball.shown_at(at) for at in (9.9, 10.0, 19.9, 20.0, 30.0)] == [None, one, one, two, None]
    assert ball.truth is None
