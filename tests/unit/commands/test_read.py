"""`longstop read`: one verdict on a saved payload, as an exit code and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from longstop.commands.read import FOREIGN, REJECTED, read
from longstop.domain.errors import InputError, UnknownSourceError
from tests import crex, sofascore

Document = dict[str, Any]


@pytest.fixture
def verdict(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    def told(source: str, content: object, name: str = "saved.json") -> tuple[int, Document]:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        code = read(source, path, None)
        return code, json.loads(capsysbinary.readouterr().out)

    return told


def test_a_football_match_is_accepted_and_printed_in_our_words(verdict: Any) -> None:
    code, document = verdict("sofascore", {"event": sofascore.event()})
    assert (code, document["accepted"], document["verdict"]) == (0, True, "accepted")
    assert (document["kind"], document["schema"]) == ("event", "sofascore.event.v1")
    assert document["match"]["home"]["name"] == "Reds"
    assert document["match"]["phase"] == "finished"


def test_what_is_odd_about_an_accepted_line_up_is_noted(verdict: Any) -> None:
    code, document = verdict("sofascore", {"confirmed": False})
    assert (code, document["kind"]) == (0, "lineups")
    assert "unconfirmed" in document["notes"]


@pytest.mark.req("B10")
def test_a_football_match_that_contradicts_itself_is_held_with_all_reasons(verdict: Any) -> None:
    code, document = verdict(
        "sofascore", {"event": sofascore.event(winnerCode=2, homeScore=sofascore.score(1, 1, current=4))}
    )
    assert (code, document["accepted"], document["verdict"]) == (REJECTED, False, "held")
    assert len(document["reasons"]) == 2
    assert "match" not in document


@pytest.mark.req("D4")
def test_a_broken_contract_is_told_with_its_version_and_the_missing_paths(verdict: Any) -> None:
    event = {key: value for key, value in sofascore.event().items() if key != "startTimestamp"}
    code, document = verdict("sofascore", {"event": event})
    assert (code, document["verdict"], document["schema"]) == (REJECTED, "schema_break", "sofascore.event.v1")
    assert document["missing"] == ["event.startTimestamp"]


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        ({"error": {"code": 403, "reason": "challenge"}}, REJECTED, "challenge"),
        ({"error": {"code": 404, "message": "Not Found"}}, REJECTED, "not_found"),
        (b"", REJECTED, "empty"),
        (b'{"event": {', REJECTED, "malformed"),
        ({"fixtures": []}, FOREIGN, "foreign"),
    ],
)
def test_every_refusal_has_its_word(verdict: Any, content: object, code: int, word: str) -> None:
    found, document = verdict("sofascore", content)
    assert (found, document["verdict"], document["accepted"]) == (code, word, False)
    assert document["reasons"]


def test_a_misfiled_answer_is_told_as_what_it_is(verdict: Any) -> None:
    code, document = verdict("sofascore", sofascore.statistics(), "lineups.json")
    assert (code, document["verdict"], document["kind"]) == (REJECTED, "misfiled", "statistics")


def test_a_list_shows_what_it_believes_and_what_it_holds(verdict: Any) -> None:
    good = [sofascore.event(id=number) for number in (1, 2)]
    code, document = verdict("sofascore", {"events": [*good, sofascore.event(id=3, winnerCode=2)]})
    assert code == 0
    assert [match["key"] for match in document["matches"]] == ["1", "2"]
    assert [row["key"] for row in document["held"]] == ["3"]


def test_a_list_of_which_half_is_wrong_is_wrong(verdict: Any) -> None:
    code, document = verdict("sofascore", {"events": [sofascore.event(), sofascore.event(id=3, winnerCode=2)]})
    assert (code, document["verdict"]) == (REJECTED, "held")
    assert document["reasons"] == ["match 3: it ended 2-1 and its winner is told as away"]


def test_a_match_that_a_list_tells_twice_and_differently_is_held(verdict: Any) -> None:
    rows = [sofascore.event(id=key) for key in (1, 2, 3, 3, 4)]
    assert "held" not in verdict("sofascore", {"events": rows})[1]
    rows[3] = sofascore.event(id=3, homeScore=sofascore.score(2, 1))
    _, document = verdict("sofascore", {"events": rows})
    assert [row["key"] for row in document["held"]] == ["3", "3"]


def test_a_cricket_state_has_the_same_words(verdict: Any) -> None:
    code, document = verdict("crex", crex.state())
    assert (code, document["verdict"]) == (0, "accepted")
    code, document = verdict("crex", crex.state(j="107/9(31.1"))
    assert (code, document["verdict"], document["kind"]) == (REJECTED, "held", "live_state")
    code, document = verdict("crex", sofascore.event())
    assert (code, document["verdict"]) == (FOREIGN, "foreign")


def test_a_source_that_nobody_knows_is_refused_with_those_that_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownSourceError) as refused:
        read("crick", tmp_path, None)
    assert "crex, sofascore" in refused.value.hint


@pytest.mark.parametrize("content", [b"root:x:0:0", b"[]", b"state"])
def test_what_is_no_name_map_is_not_taken_for_the_payload(tmp_path: Path, content: bytes) -> None:
    payload, names = tmp_path / "state.json", tmp_path / "names.json"
    payload.write_text(json.dumps(crex.state()), encoding="utf-8")
    names.write_bytes(payload.read_bytes() if content == b"state" else content)
    with pytest.raises(InputError, match=r"names\.json is no name map of crex"):
        read("crex", payload, names)
