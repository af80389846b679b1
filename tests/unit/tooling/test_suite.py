"""`make test` runs every test there is, in one of its two runs."""

from pathlib import Path

from scripts.suite import COMPUTING, WAITING

TESTS = Path(__file__).parents[2]


def test_each_folder_with_tests_stands_in_one_run_and_only_one() -> None:
    found = {f"tests/{path.relative_to(TESTS).parts[0]}" for path in TESTS.rglob("test_*.py")}
    assert found == {*COMPUTING, *WAITING}
    assert not set(COMPUTING) & set(WAITING)
