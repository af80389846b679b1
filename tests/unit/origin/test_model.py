"""Invented matches are cricket: over many seeds the laws hold and the result follows from the score."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from longstop_origin.chances import FORMATS, RETIREMENTS, WICKET_KINDS
from longstop_origin.invented import PLAYERS_A_TEAM, League, invented_team, player_name
from longstop_origin.model import invent_match
from longstop_origin.script import MatchScript, ScriptInnings

SEEDS = {"T20": 300, "ODI": 40, "T10": 60, "The Hundred": 60, "Test": 12}
LEAGUE = League(20, seed=5)


@cache
def matches() -> tuple[MatchScript, ...]:
    return tuple(
        invent_match(LEAGUE.pairing(seed), name, Random(f"{name}:{seed}"))
        for name, count in SEEDS.items()
        for seed in range(count)
    )


def all_innings() -> Iterator[tuple[MatchScript, ScriptInnings]]:
    for match in matches():
        for innings in match.innings:
            yield match, innings


def runs_of(innings: ScriptInnings) -> int:
    return sum(ball.delivery.runs for ball in innings.balls) + innings.penalty_pre + innings.penalty_post


def wickets_of(innings: ScriptInnings) -> int:
    return sum(ball.delivery.wickets_lost for ball in innings.balls)


def overs_of(innings: ScriptInnings) -> dict[int, list[int]]:
    """Per over the indices of its balls."""
    found: dict[int, list[int]] = {}
    for index, ball in enumerate(innings.balls):
        found.setdefault(ball.over, []).append(index)
    return found


def test_every_over_but_the_last_has_its_legal_balls() -> None:
    for match, innings in all_innings():
        overs = overs_of(innings)
        legal = [sum(innings.balls[index].delivery.is_legal for index in each) for each in overs.values()]
        assert all(count == match.balls_per_over for count in legal[:-1])
        assert legal[-1] <= match.balls_per_over
        assert list(overs) == list(range(len(overs)))


def test_places_in_an_over_count_from_one_without_a_hole() -> None:
    for _, innings in all_innings():
        for each in overs_of(innings).values():
            assert [innings.balls[index].position for index in each] == list(range(1, len(each) + 1))


def test_one_bowler_bowls_an_over_and_never_two_in_a_row() -> None:
    for _, innings in all_innings():
        bowlers = [{innings.balls[index].delivery.bowler for index in each} for each in overs_of(innings).values()]
        assert all(len(each) == 1 for each in bowlers)
        assert all(one != other for one, other in pairwise(bowlers))


def test_no_bowler_bowls_more_than_his_share() -> None:
    for match, innings in all_innings():
        if match.overs_limit is None or innings.super_over:
            continue
        limit = int(innings.target_overs or match.overs_limit)
        bowled = Counter(innings.balls[each[0]].delivery.bowler for each in overs_of(innings).values())
        assert max(bowled.values()) <= -(-limit // 5)
        assert len(overs_of(innings)) <= limit


def test_batters_bat_and_bowlers_bowl_for_different_teams() -> None:
    for match, innings in all_innings():
        own = set(match.players[innings.team])
        for ball in innings.balls:
            assert {ball.delivery.batter, ball.delivery.non_striker} <= own
            assert ball.delivery.bowler not in own
            assert ball.delivery.batter != ball.delivery.non_striker


def test_whoever_is_out_does_not_bat_again() -> None:
    for _, innings in all_innings():
        gone: set[str] = set()
        for ball in innings.balls:
            assert ball.delivery.batter not in gone
            assert ball.delivery.non_striker not in gone
            gone.update(wicket.player for wicket in ball.delivery.wickets if wicket.is_counted)


def test_the_strike_changes_with_odd_runs_and_at_the_end_of_an_over() -> None:
    for match, innings in all_innings():
        legal = 0
        for ball, following in pairwise(innings.balls):
            legal = (legal if ball.position > 1 else 0) + ball.delivery.is_legal
            if ball.delivery.wickets:
                continue
            extras = ball.delivery.extras
            ran = ball.delivery.runs_batter + extras.byes + extras.legbyes + max(extras.wides - 1, 0)
            swaps = (ran % 2 == 1) != (legal == match.balls_per_over)
            expected = ball.delivery.non_striker if swaps else ball.delivery.batter
            assert following.delivery.batter == expected


def test_an_innings_ends_with_its_target_or_its_last_wicket() -> None:
    for _, innings in all_innings():
        most = 2 if innings.super_over else 10
        assert wickets_of(innings) <= most
        if innings.target_runs is not None:
            before_last = runs_of(innings) - innings.balls[-1].delivery.runs
            assert before_last < innings.target_runs


def test_wins_by_runs_and_wickets_follow_from_the_score() -> None:
    for match in matches():
        by, main = match.outcome.by, [innings for innings in match.innings if not innings.super_over]
        if not by:
            continue
        last, target = main[-1], main[-1].target_runs
        if "wickets" in by:
            assert target is not None
            assert runs_of(last) >= target
            assert (match.outcome.winner, by["wickets"]) == (last.team, 10 - wickets_of(last))
        elif "innings" in by:
            scores = Counter({innings.team: 0 for innings in main})
            for innings in main:
                scores[innings.team] += runs_of(innings)
            assert scores[match.outcome.winner or ""] - scores[last.team] == by["runs"]
        elif match.outcome.method is None:
            assert target is not None
            assert match.outcome.winner != last.team
            assert by["runs"] == target - 1 - runs_of(last)


def test_a_tie_is_a_tie_and_its_super_overs_decide() -> None:
    ties = [match for match in matches() if match.outcome.result == "tie" and match.outcome.method is None]
    assert any(match.outcome.eliminator for match in ties)
    for match in ties:
        main = [innings for innings in match.innings if not innings.super_over]
        assert runs_of(main[1]) == (main[1].target_runs or 0) - 1
        supers = [innings for innings in match.innings if innings.super_over]
        assert len(supers) % 2 == 0
        assert bool(supers) == bool(match.outcome.eliminator)
        if supers:
            assert supers[0].team == main[1].team


def test_targets_are_one_more_than_the_score_to_beat() -> None:
    for match in matches():
        main = [innings for innings in match.innings if not innings.super_over]
        if match.overs_limit is None or len(main) < 2 or match.outcome.method:
            continue
        assert main[1].target_runs == runs_of(main[0]) + 1


def test_tests_end_in_every_way_they_can() -> None:
    scripts = [invent_match(LEAGUE.pairing(seed), "Test", Random(f"ways:{seed}")) for seed in range(60)]
    ways = {tuple(match.outcome.by) or match.outcome.result for match in scripts}
    assert {("runs",), ("wickets",), ("innings", "runs"), "draw"} <= ways
    assert any(innings.declared for match in scripts for innings in match.innings)
    assert any(_followed_on(match) for match in scripts)


def _followed_on(match: MatchScript) -> bool:
    return len(match.innings) > 2 and match.innings[1].team == match.innings[2].team


def test_every_kind_of_wicket_and_extra_is_seen() -> None:
    kinds: Counter[str] = Counter()
    extras: Counter[str] = Counter()
    for _, innings in all_innings():
        for ball in innings.balls:
            kinds.update(wicket.kind for wicket in ball.delivery.wickets)
            for name in ball.delivery.extras.__struct_fields__:
                extras[name] += getattr(ball.delivery.extras, name) > 0
    assert set(WICKET_KINDS) | set(RETIREMENTS) | {"timed out"} <= set(kinds)
    assert kinds["caught"] > kinds["bowled"] > kinds["run out"] > kinds["hit wicket"]
    assert all(extras[name] for name in ("wides", "noballs", "byes", "legbyes", "penalty"))


def test_rain_shortens_matches_and_ends_some() -> None:
    outcomes = [match.outcome for match in matches()]
    assert any(outcome.method == "D/L" for outcome in outcomes)
    assert any(outcome.result == "no result" for outcome in outcomes)


@pytest.mark.parametrize(("name", "lowest", "highest"), [("T20", 140, 190), ("ODI", 210, 270), ("Test", 200, 340)])
def test_scores_are_believable_ones(name: str, lowest: int, highest: int) -> None:
    scores = [runs_of(innings) for match, innings in all_innings() if match.format == name and not innings.super_over]
    assert lowest < sum(scores) / len(scores) < highest


def test_the_same_seed_invents_the_same_match() -> None:
    one, other = (invent_match(LEAGUE.pairing(3), "ODI", Random("same")) for _ in range(2))
    assert one == other
    assert one != invent_match(LEAGUE.pairing(3), "ODI", Random("other"))


def test_names_are_their_own_up_to_a_thousand_matches() -> None:
    names = [player_name(ordinal) for ordinal in range(2000 * PLAYERS_A_TEAM)]
    assert len(set(names)) == len(names)
    teams = [invented_team(ordinal).name for ordinal in range(2000)]
    assert len(set(teams)) == len(teams)


def test_some_names_need_care() -> None:
    names = [player_name(ordinal) for ordinal in range(3000)]
    assert any("'" in name for name in names)
    assert any(not name.isascii() for name in names)


def test_all_formats_are_played() -> None:
    assert {match.format for match in matches()} == set(FORMATS)
