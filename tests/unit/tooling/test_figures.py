"""The framework of the proofs: what falls short is told, written down, and makes the command fail."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import figures
from benchmarks.figures import Figure, Proof, ProofError, Wishes, at_least, below, exactly, holds, noted, prove


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    return tmp_path


def proof(name: str, *found: Figure) -> Proof:
    return Proof(name, f"about {name}", lambda _: iter(found))


def written(folder: Path, part: str = "attic") -> dict[str, Any]:
    return dict(json.loads((folder / f"{part}.json").read_bytes()))


@pytest.mark.parametrize(
    ("figure", "ok"),
    [
        (below("age", 9.99, 10.0, "s"), True),
        (below("age", 10.0, 10.0, "s"), False),
        (at_least("matches", 8, 8), True),
        (at_least("matches", 7, 8), False),
        (exactly("lost", 0, 0), True),
        (exactly("lost", 1, 0), False),
        (holds("fresh", ok=False, seen="2 stale", bar="0 stale"), False),
        (noted("polls", 12345), True),
    ],
)
def test_a_figure_knows_whether_it_meets_its_bar(figure: Figure, ok: bool) -> None:
    assert figure.ok is ok


def test_when_all_figures_hold_the_command_succeeds(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove("attic", [proof("rats", exactly("rats", 0, 0), noted("floors", 2))], []) == 0
    assert "all 1 figures hold" in capsys.readouterr().out
    assert written(results)["is_proven"] is True
    assert written(results)["proofs"]["rats"][0] == {"name": "rats", "seen": 0, "bar": "0", "ok": True}


def test_one_figure_that_falls_short_makes_the_command_fail(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove("attic", [proof("rats", exactly("rats", 3, 0)), proof("mice", exactly("mice", 0, 0))], []) == 1
    assert "1 of 2 figures fall short: rats" in capsys.readouterr().out
    assert written(results)["is_proven"] is False


def test_a_proof_that_cannot_be_held_is_no_proof(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(_: Wishes) -> Iterator[Figure]:
        yield exactly("before", 0, 0)
        raise ProofError("the ladder is missing")

    assert prove("attic", [Proof("rats", "about rats", broken), proof("mice", exactly("mice", 0, 0))], []) == 1
    assert "the ladder is missing" in capsys.readouterr().out
    assert list(written(results)["proofs"]) == ["rats", "mice"]


def test_only_what_was_named_is_proven(results: Path) -> None:
    proofs = [proof("rats", exactly("rats", 3, 0)), proof("mice", exactly("mice", 0, 0))]
    assert prove("attic", proofs, ["--only", "mice"]) == 0
    assert list(written(results)["proofs"]) == ["mice"]


@pytest.mark.parametrize("words", [["--only", "cats"], ["--minutes", "0"], ["--minutes", "soon"]])
def test_words_that_make_no_sense_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        prove("attic", [proof("mice")], words)
    assert ended.value.code == 2
