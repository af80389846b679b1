"""Which requirement is proved by which test: runs the tests, then lists every row of docs/requirements.md."""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from tests.requirements_plugin import RECORD, ROOT, rows

_SECONDS = 3600


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts.requirements", description=__doc__)
    parser.add_argument("--tests", action="store_true", help="name the tests too")
    parser.add_argument("--json", action="store_true", help="print JSON for another program")
    given = parser.parse_args(arguments)
    if not _run_tests():
        print("The tests could not be run to their end; see above.", file=sys.stderr)
        return 2
    outcomes: dict[str, dict[str, str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    if given.json:
        print(json.dumps({name: outcomes.get(name, {}) for name in rows()}, indent=1))
    else:
        _print_table(outcomes, names_tests=given.tests)
    return 1 if any("failed" in tests.values() for tests in outcomes.values()) else 0


def state_of(tests: Mapping[str, str]) -> str:
    """`none` covers rows whose tests were all skipped: a skipped test proves nothing."""
    if "failed" in tests.values():
        return "FAILING"
    passed = sum(outcome == "passed" for outcome in tests.values())
    return f"{passed} passed" if passed else "none"


def _run_tests() -> bool:
    """Failing tests are part of the answer (0, 1); an aborted run is none."""
    RECORD.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "--requirements", "-q", "--no-header", "--tb=line"]
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, timeout=_SECONDS, check=False)
    return done.returncode in {0, 1} and RECORD.exists()


def _print_table(outcomes: Mapping[str, Mapping[str, str]], *, names_tests: bool) -> None:
    states = {name: state_of(outcomes.get(name, {})) for name in rows()}
    for name, text in rows().items():
        print(f"{name:4}{states[name]:>11}  {text}")
        if names_tests:
            for test, outcome in sorted(outcomes.get(name, {}).items()):
                print(f"{'':17}{outcome:8}{test}")
    proved = sum(state.endswith("passed") for state in states.values())
    print(f"\n{proved} of {len(states)} rows have a passing test and no failing one.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
