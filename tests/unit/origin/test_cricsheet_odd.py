"""Odd but real: what Cricsheet's files hold besides the ordinary, and what later versions may add."""

from typing import Any

import pytest

from longstop_origin.cricsheet import parse_cricsheet
from longstop_origin.oracle import MatchTruth, truth_of
from longstop_origin.script import MatchScript
from longstop_origin.site import Site
from longstop_origin.world import World
from tests.unit.origin import readings
from tests.unit.origin.documents import BLUES, REDS, Document, delivery, document, innings, over

EPOCH = 1_700_000_000.0
LONG_AFTER = EPOCH + 10_000_000.0


def read(whole: Document) -> MatchScript:
    return parse_cricsheet(whole, source="match.json", identity="123")


def played(whole: Document) -> tuple[dict[str, Any], MatchTruth]:
    """The final state as the site shows it, and as the oracle knows it."""
    site = Site(World.from_scripts([read(whole)], epoch=EPOCH, speed=100.0))
    fixture = site.world.listed(LONG_AFTER)[0]
    return readings.state(site, fixture, LONG_AFTER), truth_of(fixture, LONG_AFTER)


def test_penalty_runs_before_and_after_an_innings_count() -> None:
    first = innings(REDS, over(0), penalty_runs={"pre": 5, "post": 10})
    shown, truth = played(document(first, innings(BLUES, over(0, delivery(1, {"penalty": 5})))))
    assert shown["in"][0]["d"] == "21/0(6"
    assert (shown["in"][0]["pp"], shown["in"][0]["pq"]) == (5, 10)
    assert shown["in"][0]["x"].endswith("pn15")
    assert shown["in"][1]["d"] == "6/0(1"
    assert [each.runs for each in truth.innings] == [21, 6]
    assert truth.innings[0].extras["penalty"] == 15


def test_penalty_runs_after_the_innings_wait_for_its_end() -> None:
    script = read(document(innings(REDS, penalty_runs={"post": 5}), innings(BLUES)))
    world = World.from_scripts([script], epoch=EPOCH)
    fixture = world.listed(EPOCH)[0]
    first = fixture.script.innings[0]
    before = world.board(fixture, EPOCH + first.balls[-1].at_seconds + 0.1).innings[0].runs
    after = world.board(fixture, EPOCH + first.closes_seconds + 0.1).innings[0].runs
    assert (before, after) == (6, 11)


def test_a_forfeited_innings_needs_no_overs() -> None:
    forfeited = {"team": BLUES, "forfeited": True}
    outcome = {"winner": REDS, "by": {"runs": 3}}
    whole = document(
        innings(REDS, declared=True), forfeited, {"team": REDS, "forfeited": True}, innings(BLUES), outcome=outcome
    )
    whole["info"] |= {"match_type": "Test", "overs": None}
    shown, truth = played(whole)
    assert [each["z"] for each in shown["in"]] == ["declared", "forfeited", "forfeited", "closed"]
    assert shown["in"][1]["d"] == "0/0(0"
    assert [each.forfeited for each in truth.innings] == [False, True, True, False]


def test_the_feed_of_a_forfeited_innings_is_empty() -> None:
    whole = document(innings(REDS), {"team": BLUES, "forfeited": True})
    site = Site(World.from_scripts([read(whole)], epoch=EPOCH, speed=100.0))
    fixture = site.world.listed(LONG_AFTER)[0]
    assert readings.feed(site, fixture, 2, LONG_AFTER) == []


def test_players_absent_hurt_are_named_once_the_innings_is_over() -> None:
    shown, truth = played(document(innings(REDS, absent_hurt=["A Eleven"]), innings(BLUES)))
    code = shown["in"][0]["ab"][0]
    assert truth.names[code] == "A Eleven"
    assert truth.innings[0].wickets == 0


@pytest.mark.parametrize(("kind", "wickets"), [("retired hurt", 0), ("retired not out", 0), ("retired out", 1)])
def test_only_a_retirement_that_is_out_costs_a_wicket(kind: str, wickets: int) -> None:
    leaving = delivery(0, wickets=[{"player_out": "A Two", "kind": kind}])
    shown, truth = played(document(innings(REDS, over(0, leaving)), innings(BLUES)))
    assert shown["in"][0]["d"] == f"0/{wickets}(1"
    assert truth.innings[0].wickets == wickets
    assert [each[2] for each in truth.retirements] == [kind]


def test_two_may_leave_on_one_ball() -> None:
    both = [
        {"player_out": "A One", "kind": "caught", "fielders": [{"name": "B Two"}]},
        {"player_out": "A Two", "kind": "retired hurt"},
    ]
    shown, truth = played(document(innings(REDS, over(0, delivery(wickets=both))), innings(BLUES)))
    assert shown["in"][0]["d"] == "0/1(1"
    assert len(truth.wickets) == 2


def test_a_substitute_fielder_may_have_no_name() -> None:
    caught = delivery(wickets=[{"player_out": "A One", "kind": "caught", "fielders": [{"substitute": True}]}])
    script = read(document(innings(REDS, over(0, caught)), innings(BLUES)))
    assert script.innings[0].balls[0].delivery.wickets[0].fielders == ()


def test_replacements_keep_what_the_file_says_of_them() -> None:
    replacements = {
        "match": [{"in": "A Twelve", "out": "A Two", "team": REDS, "reason": "concussion_substitute"}],
        "role": [{"in": "B Three", "reason": "too_many_overs", "role": "bowler"}],
    }
    _, truth = played(document(innings(REDS, over(0, delivery(replacements=replacements))), innings(BLUES)))
    match, role = truth.replacements
    assert (truth.names[match["in"]], truth.names[match["out"]], truth.names[match["team"]]) == (
        "A Twelve", "A Two", REDS,
    )  # fmt: skip
    assert (truth.names[role["in"]], role["out"], role["role"]) == ("B Three", None, "bowler")


def test_a_miscounted_over_counts_as_one() -> None:
    short = over(0, *[delivery(1)] * 5)
    shown, truth = played(
        document(innings(REDS, short, over(1), miscounted_overs={"0": {"balls": "5"}}), innings(BLUES))
    )
    assert shown["in"][0]["d"] == "11/0(11"
    assert shown["in"][0]["ov"] == truth.innings[0].overs == "2.0"


def test_a_miscounted_last_over_is_complete_with_the_balls_it_had() -> None:
    long = over(0, *[delivery(1)] * 7)
    shown, _ = played(document(innings(REDS, long, miscounted_overs={"0": {"balls": 7}}), innings(BLUES)))
    assert shown["in"][0]["ov"] == "1.0"


def test_an_over_number_that_comes_again_goes_on_where_it_stopped() -> None:
    whole = document(innings(REDS, over(0, *[delivery(1)] * 3), over(0, *[delivery(2)] * 3), over(5)), innings(BLUES))
    script = read(whole)
    places = [(ball.over, ball.position) for ball in script.innings[0].balls]
    assert places == [(0, position) for position in range(1, 7)] + [(5, position) for position in range(1, 7)]
    shown, truth = played(whole)
    assert shown["in"][0]["ov"] == truth.innings[0].overs == "2.0"


def test_an_over_number_that_comes_back_later_keeps_its_places_unique() -> None:
    whole = document(innings(REDS, over(0), over(1), over(0, delivery(4))), innings(BLUES))
    keys = [key for key, _ in read(whole).keyed_balls()]
    assert len(keys) == len(set(keys))
    shown, truth = played(whole)
    assert shown["in"][0]["d"] == "16/0(13"
    assert truth.innings[0].runs == 16


def test_overs_may_have_other_than_six_balls() -> None:
    five = over(0, *[delivery(1)] * 5)
    shown, truth = played(document(innings(REDS, five), innings(BLUES, five), balls_per_over=5))
    assert shown["bpo"] == 5
    assert shown["in"][0]["ov"] == truth.innings[0].overs == "1.0"


def test_several_super_overs_follow_each_other() -> None:
    supers = [innings(team, super_over=True) for team in (BLUES, REDS, REDS, BLUES)]
    outcome = {"result": "tie", "eliminator": BLUES}
    shown, truth = played(document(innings(REDS), innings(BLUES), *supers, outcome=outcome))
    assert [each["so"] for each in shown["in"]] == [0, 0, 1, 1, 1, 1]
    assert (shown["j"], shown["k"]) == ("6/0(1.0", "6/0(1.0")
    assert truth.result == outcome


@pytest.mark.parametrize(
    "outcome",
    [
        {"winner": REDS, "method": "Awarded"},
        {"result": "tie", "bowl_out": BLUES},
        {"result": "draw"},
        {"result": "no result"},
        {"winner": BLUES, "by": {"wickets": 3}, "method": "VJD"},
        {"result": "tie"},
        {"winner": REDS, "by": {"runs": 1000}},
    ],
    ids=str,
)
def test_every_outcome_is_told_as_it_is(outcome: Document) -> None:
    shown, truth = played(document(outcome=outcome))
    assert truth.result == outcome
    assert shown["B"] == truth.result_text != ""
    assert ("w" in shown["rs"]) == ("winner" in outcome)


def test_a_win_by_an_innings_needs_three_innings() -> None:
    outcome = {"winner": REDS, "by": {"innings": 1, "runs": 20}}
    whole = document(innings(REDS), innings(BLUES), innings(BLUES), outcome=outcome, match_type="Test")
    assert played(whole)[0]["rs"]["by"] == {"innings": 1, "runs": 20}


def test_a_match_without_an_outcome_ends_without_a_result() -> None:
    whole = document()
    del whole["info"]["outcome"]
    shown, truth = played(whole)
    assert "rs" not in shown
    assert truth.result is None


def test_a_match_may_be_abandoned_without_a_ball() -> None:
    shown, truth = played(document(outcome={"result": "no result"}) | {"innings": []})
    assert (shown["in"], truth.innings) == ([], ())
    assert shown["rs"] == {"res": "no result"}
    assert truth.result == {"result": "no result"}


def test_what_is_not_known_is_ignored() -> None:
    whole = document(innings(REDS, over(0, delivery(1, review={"by": BLUES}, speed_kph=141.2))), innings(BLUES))
    whole["info"]["registry"] = {"people": {}}
    whole["hologram"] = [1, 2, 3]
    whole["innings"][0]["mood"] = "tense"
    assert read(whole).innings[0].balls[0].delivery.runs == 1


def test_players_in_no_list_still_have_names() -> None:
    stranger = delivery(1, batter="Nobody Listed")
    shown, truth = played(document(innings(REDS, over(0, stranger)), innings(BLUES), players={}, registry={}))
    assert truth.names[shown["rb"][0]["b"][0]["p"]] == "A One"
    assert "Nobody Listed" in truth.names.values()


def test_a_target_may_count_balls_of_an_over() -> None:
    chase = innings(BLUES, target={"runs": 5, "overs": 3.4})
    shown, _ = played(document(innings(REDS), chase, outcome={"winner": BLUES, "by": {"wickets": 9}, "method": "D/L"}))
    assert (shown["in"][1]["tg"], shown["in"][1]["to"]) == (5, 3.4)
    assert shown["C"] == "Match reduced to 3.4 overs"


def test_the_same_file_twice_becomes_two_matches() -> None:
    script = read(document())
    world = World.from_scripts([script, script, script], epoch=EPOCH)
    assert len({fixture.key for fixture in world.listed(EPOCH)}) == 3
