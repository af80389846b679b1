"""The command of rounds: how it reads what it is asked, and how it shows how far it is."""

import pytest

from longstop.commands.rounds import bar, read_rounds
from longstop.domain.errors import InputError
from longstop.domain.rounds import Summary


@pytest.mark.parametrize(("text", "numbers"), [("14", [14]), ("1..3", [1, 2, 3]), ("38..38", [38])])
def test_one_round_or_several_are_read(text: str, numbers: list[int]) -> None:
    assert list(read_rounds(text)) == numbers


@pytest.mark.parametrize("text", ["", "x", "1..", "..3", "3..1", "-1", "1..999", "١٤", "1.5"])
def test_what_is_no_round_is_told_with_what_is_one(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read_rounds(text)
    assert "1..38" in raised.value.hint


def test_the_bar_shows_how_much_is_done_and_what_is_left() -> None:
    told = bar(Summary(all=10, done=5, failed=1, pending=3, running=1))
    assert told == f"[{'#' * 15}{' ' * 15}] 5 of 10 done, 1 failed, 1 running, 3 pending"


def test_an_empty_job_has_an_empty_bar() -> None:
    assert bar(Summary()).startswith(f"[{' ' * 30}] 0 of 0")
