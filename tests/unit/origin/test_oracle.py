"""The oracle sees every kind of mistake, and sees none where there is none."""

from typing import Any

import pytest
from msgspec.structs import replace

from longstop_origin.oracle import Counts, compare, never_shown, truth_of, versions_of
from longstop_origin.script import BallKey, Delivery, Revision, ScriptBall
from longstop_origin.world import World
from tests.unit.origin.documents import BLUES, REDS, delivery, document, innings, over
from tests.unit.origin.test_cricsheet_odd import read

EPOCH = 1_700_000_000.0
LONG_AFTER = EPOCH + 1_000_000.0

CATCH = delivery(wickets=[{"player_out": "A One", "kind": "caught", "fielders": [{"name": "B Two"}]}])
WORLD = World.from_scripts(
    [read(document(innings(REDS, over(0, delivery(4), CATCH, delivery(1))), innings(BLUES)))], epoch=EPOCH
)
TRUTH = truth_of(WORLD.listed(EPOCH)[0], LONG_AFTER)


@pytest.fixture
def stored() -> list[dict[str, Any]]:
    """A ledger that kept everything."""
    return [ball.to_dict() for ball in TRUTH.balls]


def test_a_whole_ledger_is_clean(stored: list[dict[str, Any]]) -> None:
    counts = compare(TRUTH.balls, stored)
    assert counts == Counts(truth=9, stored=9)
    assert counts.is_clean


def test_a_ball_that_is_not_stored_is_lost(stored: list[dict[str, Any]]) -> None:
    assert compare(TRUTH.balls, stored[1:]) == Counts(truth=9, stored=8, lost=1)


def test_a_ball_stored_twice_is_duplicated(stored: list[dict[str, Any]]) -> None:
    assert compare(TRUTH.balls, [*stored, stored[3], stored[3]]) == Counts(truth=9, stored=11, duplicated=2)


def test_a_ball_that_never_was_is_unexpected(stored: list[dict[str, Any]]) -> None:
    assert compare(TRUTH.balls, [*stored, stored[0] | {"over": 7}]) == Counts(truth=9, stored=10, unexpected=1)


@pytest.mark.parametrize(
    "change",
    [
        {"runs_batter": 5},
        {"batter": "ZZZ"},
        {"wides": 1},
        {"wickets": [{"player": "ZZZ", "kind": "bowled", "fielders": []}]},
        {"replacements": [{"type": "match", "in": "ZZZ", "out": None, "team": None, "reason": "", "role": None}]},
        {"non_boundary": True},
        {"runs_batter": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_other_content_is_wrong(stored: list[dict[str, Any]], change: dict[str, Any]) -> None:
    assert compare(TRUTH.balls, [stored[0] | change, *stored[1:]]) == Counts(truth=9, stored=9, wrong=1)


def test_a_missing_wicket_is_wrong(stored: list[dict[str, Any]]) -> None:
    stored[1]["wickets"] = []
    assert compare(TRUTH.balls, stored).wrong == 1


def test_counts_of_matches_add_up() -> None:
    total = Counts(1, 2, 3, 4, 5, 6) + Counts(1, 1, 1, 1, 1, 1)
    assert total.to_dict() == {
        "truth": 2, "stored": 3, "lost": 4, "duplicated": 5, "unexpected": 6, "wrong": 7,
    }  # fmt: skip
    assert not total.is_clean


def test_nothing_is_true_before_the_start() -> None:
    truth = truth_of(WORLD.listed(EPOCH)[0], EPOCH - 1)
    assert (truth.status, truth.innings, truth.balls, truth.result) == ("upcoming", (), (), None)


def test_the_truth_grows_with_the_match() -> None:
    fixture = WORLD.listed(EPOCH)[0]
    times = [EPOCH + ball.at_seconds + 0.1 for _, ball in fixture.script.keyed_balls()]
    assert [len(truth_of(fixture, at).balls) for at in times] == list(range(1, 10))
    assert truth_of(fixture, times[-1]).result is None


def test_the_truth_as_plain_data_names_everybody() -> None:
    plain = TRUTH.to_dict()
    assert plain["result"] == {"result": "no result"}
    assert plain["names"][plain["balls"][1]["wickets"][0]["player"]] == "A One"
    assert TRUTH.to_dict(with_balls=False)["balls"] == 9


def test_what_was_shown_once_may_be_remembered_and_nothing_else() -> None:
    script = WORLD.listed(EPOCH)[0].script
    first = script.innings[0].balls[0]
    wrong = replace(first.delivery, runs_batter=6)
    corrected = ScriptBall(0, 1, wrong, first.at_seconds, (Revision(first.at_seconds + 30, first.delivery),))
    phantom = ScriptBall(0, 9, Delivery("A One", "A Two", "B Eleven"), 100.0, (Revision(150.0, None),))
    changed = replace(script.innings[0], balls=(corrected, phantom, *script.innings[0].balls[1:]))
    world = World.from_scripts([replace(script, innings=(changed, *script.innings[1:]))], epoch=EPOCH)
    fixture = world.listed(EPOCH)[0]
    history = versions_of(fixture, LONG_AFTER)
    assert len(history[BallKey(1, 0, 1)]) == 2
    assert BallKey(1, 0, 9) in history
    true = truth_of(fixture, LONG_AFTER).balls[0].to_dict()
    remembered = [true, true | {"runs_batter": 6}]
    assert never_shown(history, remembered) == []
    assert never_shown(history, [true | {"runs_batter": 3}]) == [BallKey(1, 0, 1)]
    assert never_shown(history, [true | {"over": 3}]) == [BallKey(1, 3, 1)]
    before = versions_of(fixture, EPOCH + first.at_seconds + 1)
    assert never_shown(before, [true]) == [BallKey(1, 0, 1)]
