"""Thousands of broken payloads through parser, check and ledger: never a crash, a hang or a wrong score.

`make proof-payloads` tries a hundred thousand of each.
"""

import msgspec
import pytest

from tests import mutated_crex, mutated_sofascore
from tests.endurance import Case, endured
from tests.mutations import mutants

EACH = 650
SEED = 20240918
CASES: dict[str, Case] = {
    **{f"crex {name}": case for name, case in mutated_crex.CASES.items()},
    **{f"sofascore {name}": case for name, case in mutated_sofascore.CASES.items()},
}


@pytest.mark.req("B10")
@pytest.mark.req("D4")
@pytest.mark.parametrize("name", CASES)
def test_a_mutated_payload_is_read_held_or_refused_and_never_breaks_the_house(name: str) -> None:
    case = CASES[name]
    told = case.read(msgspec.json.encode(case.payload))
    assert told is not None
    assert case.is_true(told)
    tally = endured(case, mutants(SEED, EACH, case.payload))
    assert tally.is_clean, tally.faults
    # A mutation that nothing notices, or one that breaks everything, would try nothing.
    assert 0.1 * EACH < tally.refused < 0.95 * EACH


def test_there_are_ten_thousand_mutants() -> None:
    assert EACH * len(CASES) >= 10_000
