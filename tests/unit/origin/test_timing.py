"""Times that nobody wrote down: believable, in order, and the same for the same seed."""

from itertools import pairwise
from random import Random

import pytest

from longstop_origin.invented import League
from longstop_origin.model import invent_match
from longstop_origin.script import MatchScript
from longstop_origin.timing import with_times
from tests.unit.origin.documents import BLUES, REDS, document, innings, over
from tests.unit.origin.test_cricsheet_odd import read

LEAGUE = League(10, seed=1)


def timed(name: str, seed: int = 0) -> MatchScript:
    return with_times(invent_match(LEAGUE.pairing(seed), name, Random(f"{name}:{seed}")), seed)


@pytest.mark.parametrize("name", ["T20", "ODI", "T10", "The Hundred", "Test"])
def test_every_ball_comes_after_the_one_before(name: str) -> None:
    for seed in range(8):
        script = timed(name, seed)
        times = [ball.at_seconds for each in script.innings for ball in each.balls]
        assert all(later - earlier >= 20 for earlier, later in pairwise(times))
        assert times[-1] < script.innings[-1].closes_seconds < script.end_seconds


def test_innings_lie_one_after_the_other() -> None:
    for each in (timed("Test", seed) for seed in range(4)):
        edges = [edge for one in each.innings for edge in (one.begins_seconds, one.closes_seconds)]
        assert edges == sorted(edges)


@pytest.mark.parametrize("name", ["T20", "ODI", "Test"])
def test_no_ball_is_bowled_in_a_break(name: str) -> None:
    for seed in range(8):
        script = timed(name, seed)
        times = [ball.at_seconds for each in script.innings for ball in each.balls]
        for span in script.spans:
            assert span.from_seconds < span.to_seconds
            assert not any(span.from_seconds <= at < span.to_seconds for at in times)


def test_a_test_has_its_days() -> None:
    states = [span.state for span in timed("Test", 3).spans]
    assert {"L", "T", "S", "D"} <= set(states)
    nights = [span.to_seconds - span.from_seconds for span in timed("Test", 3).spans if span.state == "S"]
    assert min(nights) > 3600


@pytest.mark.parametrize(("name", "shortest", "longest"), [("T20", 2.0, 5.0), ("ODI", 4.0, 10.0), ("Test", 12.0, 60.0)])
def test_matches_last_as_long_as_they_do(name: str, shortest: float, longest: float) -> None:
    scripts = [timed(name, seed) for seed in range(10)]
    hours = [script.end_seconds / 3600 for script in scripts if script.outcome.result != "no result"]
    assert shortest < sum(hours) / len(hours) < longest


def test_an_over_takes_minutes() -> None:
    balls = timed("ODI", 1).innings[0].balls
    assert 2.5 < (balls[120].at_seconds - balls[0].at_seconds) / 60 / 20 < 6.5


def test_rain_falls_on_matches_that_it_ended_or_shortened() -> None:
    washed = with_times(read(document()), 0)
    shortened = read(document(innings(REDS), innings(BLUES, over(0), target={"runs": 5, "overs": 5})))
    assert [span.state for span in washed.spans][-1] == "R"
    assert "R" in [span.state for span in with_times(shortened, 0).spans]
    assert [each.text for each in with_times(shortened, 0).announcements] == ["Match reduced to 5 overs"]


def test_the_same_seed_gives_the_same_times() -> None:
    assert timed("T20", 2) == timed("T20", 2)
    script = read(document())
    assert with_times(script, 1) != with_times(script, 2)
