"""A broken file is refused with one sentence that names it, says what is wrong and what to do."""

import random
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from longstop_origin.cricsheet import CricsheetError, load_cricsheet, parse_cricsheet
from longstop_origin.timing import with_times
from tests.unit.origin.documents import BLUES, REDS, Document, delivery, document, having, innings, over, without

WON = {"winner": REDS, "by": {"runs": 3}}
FIRST = ("innings", 0, "overs", 0, "deliveries", 0)


def _four(**info: Any) -> Document:
    return document(*(innings(team) for team in (REDS, BLUES, REDS, BLUES)), **info)


BROKEN: dict[str, tuple[object, str]] = {
    "a list": ([], "not an object"),
    "an over beyond all innings": (having(document(), 1000, "innings", 0, "overs", 0, "over"), "larger than any"),
    "overs beyond all innings": (document(overs=9000), "info.overs is larger than any"),
    "more balls an over than anybody bowls": (document(balls_per_over=21), "info.balls_per_over is larger than any"),
    "a number": (3, "not an object"),
    "no info": (without(document(), "info"), '"info"'),
    "no innings": (without(document(), "innings"), '"innings"'),
    "innings of another type": (having(document(), {}, "innings"), "should be a list"),
    "no innings of a match that was played": (having(document(outcome=WON), [], "innings"), "no innings"),
    "info of another type": (having(document(), "T20", "info"), "should be an object"),
    "no teams": (without(document(), "info", "teams"), '"teams"'),
    "one team": (having(document(), [REDS], "info", "teams"), "two teams"),
    "the same team twice": (having(document(), [REDS, REDS], "info", "teams"), "two teams"),
    "no match type": (without(document(), "info", "match_type"), '"match_type"'),
    "an unknown team bats": (having(document(), "Greens", "innings", 0, "team"), "Greens"),
    "an unknown team wins": (document(outcome={"winner": "Greens"}), "Greens"),
    "no overs": (without(document(), "innings", 1, "overs"), '"overs"'),
    "overs of another type": (having(document(), 7, "innings", 0, "overs"), "should be a list"),
    "the first innings has a target": (document(innings(REDS, target={"runs": 9, "overs": 20})), "missing"),
    "won with one innings": (document(innings(REDS), outcome=WON), "missing"),
    "a tie with one innings": (document(innings(REDS), outcome={"result": "tie"}), "missing"),
    "a Test won with three": (
        document(innings(REDS), innings(BLUES), innings(REDS), outcome=WON, match_type="Test"),
        "missing",
    ),
    "an innings victory with two": (
        document(outcome={"winner": REDS, "by": {"innings": 1, "runs": 4}}, match_type="Test"),
        "missing",
    ),
    "the first two innings by one team": (document(innings(REDS), innings(REDS)), "missing"),
    "a draw whose first innings is gone": (document(innings(BLUES), innings(REDS), outcome={"result": "draw"}), "toss"),
    "half a super over": (
        document(
            innings(REDS), innings(BLUES), innings(BLUES, super_over=True),
            outcome={"result": "tie", "eliminator": REDS},
        ),
        "super over",
    ),
    "a super over without a ball": (
        document(
            innings(REDS), innings(BLUES), innings(BLUES, super_over=True),
            {"team": REDS, "overs": [], "super_over": True},
            outcome={"result": "tie", "eliminator": REDS},
        ),
        "super over",
    ),
    "no super over, though it was won in one": (
        document(innings(REDS), innings(BLUES), outcome={"result": "tie", "eliminator": REDS}),
        "whose innings are missing",
    ),
    "eleven wickets": (
        document(innings(REDS, over(0, *[delivery(wickets=[{"player_out": "A One", "kind": "bowled"}])] * 11))),
        "11 wickets",
    ),
    "a won match without a ball in an innings": (
        document(innings(REDS), {"team": BLUES, "overs": []}, outcome=WON),
        "no deliveries",
    ),
    "a total that does not add up": (having(document(), 3, *FIRST, "runs", "total"), "add up"),
    "extras that do not add up": (
        document(innings(REDS, over(0, delivery(0, {"wides": 1}) | {"extras": {"wides": 2}}))),
        "add up",
    ),
    "negative runs": (
        having(document(), {"batter": -1, "extras": 0, "total": -1}, *FIRST, "runs"),
        "negative",
    ),
    "runs as a text": (having(document(), "1", *FIRST, "runs", "batter"), "whole number"),
    "runs as true": (having(document(), True, *FIRST, "runs", "batter"), "whole number"),
    "more runs than there can be": (having(document(), 10**30, *FIRST, "runs", "batter"), "larger"),
    "no runs": (without(document(), *FIRST, "runs"), '"runs"'),
    "no batter": (without(document(), *FIRST, "batter"), '"batter"'),
    "an empty bowler": (having(document(), "", *FIRST, "bowler"), "empty"),
    "a delivery that is none": (having(document(), None, *FIRST), "should be an object"),
    "an over without deliveries": (without(document(), "innings", 0, "overs", 0, "deliveries"), '"deliveries"'),
    "an over without a number": (without(document(), "innings", 0, "overs", 0, "over"), '"over"'),
    "a wicket without a player": (having(document(), [{"kind": "bowled"}], *FIRST, "wickets"), '"player_out"'),
    "wickets of another type": (having(document(), {"kind": "bowled"}, *FIRST, "wickets"), "should be a list"),
    "overs of no balls": (document(balls_per_over=0), "balls_per_over"),
    "a toss won by nobody known": (document(toss={"winner": "Greens", "decision": "bat"}), "Greens"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_document_is_refused_in_one_sentence(name: str) -> None:
    broken, expected = BROKEN[name]
    with pytest.raises(CricsheetError) as caught:
        parse_cricsheet(broken, source="broken.json")
    message = str(caught.value)
    assert message.startswith("broken.json: ")
    assert expected in message
    assert "\n" not in message
    assert caught.value.hint.endswith(".")


def test_the_fault_is_named_by_its_place() -> None:
    broken = having(document(), 9, "innings", 1, "overs", 0, "deliveries", 3, "runs", "total")
    with pytest.raises(CricsheetError, match=r"innings 2, over 0, delivery 4: runs\.total is 9"):
        parse_cricsheet(broken)


@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b'{"info": ', b"\xff\xfe\x00", b"[" * 100_000, b'{"info": {}} trailing', b"\xef\xbb\xbf nope"],
    ids=["empty", "words", "cut", "bytes", "deep", "trailing", "marked"],
)
def test_a_file_that_is_not_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "12345.json"
    path.write_bytes(content)
    with pytest.raises(CricsheetError, match=r"12345\.json: it is not JSON"):
        load_cricsheet(path)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CricsheetError, match="it cannot be read"):
        load_cricsheet(tmp_path / name)


def test_a_file_without_an_end_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(CricsheetError, match=r"/dev/zero: it is larger than 32 MiB"):
        load_cricsheet(Path("/dev/zero"))


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "123.json"
    path.write_bytes(b"\xef\xbb\xbf" + msgspec.json.encode(document()))
    assert load_cricsheet(path).key == "C003F"


def test_four_innings_won_by_runs_are_whole() -> None:
    assert len(parse_cricsheet(_four(outcome=WON, match_type="Test")).innings) == 4


def test_no_damage_whatever_ends_in_another_error() -> None:
    """Every part of a document replaced by every kind of nonsense: a script or a CricsheetError, nothing else."""
    odd: list[Any] = [None, True, -1, 0, 2.5, 10**40, "", "x", "\x00", [], [None], {}, {"x": 1}, [[]]]
    rng = random.Random(7)
    whole = document(
        innings(REDS, over(0, delivery(0, {"wides": 1}), delivery(wickets=[{"player_out": "A", "kind": "bowled"}]))),
        innings(BLUES, target={"runs": 2, "overs": 20}, penalty_runs={"pre": 5}, miscounted_overs={"0": {"balls": 5}}),
        outcome={"winner": REDS, "by": {"runs": 3}},
        event={"name": "Cup", "match_number": 3},
    )
    for path in _paths(whole):
        for value in rng.sample(odd, 6):
            damaged = having(deepcopy(whole), value, *path)
            with suppress(CricsheetError):
                with_times(parse_cricsheet(damaged), seed=1)


def _paths(part: Any, *above: Any) -> list[tuple[Any, ...]]:
    found = [above] if above else []
    steps = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for step, below in steps:
        found += _paths(below, *above, step)
    return found
