"""Everything `make check` holds the code to, each check named, all of them run, one answer at the end."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
_SECONDS = 600


@dataclass(frozen=True)
class Check:
    name: str
    command: tuple[str, ...]
    hint: str


CHECKS = (
    Check("lint", (f"{BIN}/ruff", "check", "--quiet", "."), "`make format` mends much of it"),
    Check("format", (f"{BIN}/ruff", "format", "--check", "--quiet", "."), "run `make format`"),
    Check("types", (f"{BIN}/mypy", "--no-error-summary"), "each line names file, line and code"),
    Check("import law", (f"{BIN}/lint-imports", "--no-logo"), "the law is in pyproject.toml and DESIGN.md"),
    Check("style", (sys.executable, "-m", "tests.style.checker"), "its numbers stand in tests/style/checker.py"),
    Check("generated docs", (sys.executable, "-m", "scripts.diagrams", "--check"), "run `make docs`"),
)


def main() -> int:
    failed = [check for check in CHECKS if not passes(check)]
    for check in failed:
        print(f"[longstop] {check.name}: failed ({check.hint})", file=sys.stderr)
    return 1 if failed else 0


def passes(check: Check) -> bool:
    """Quiet when all is well; the whole answer when it is not."""
    try:
        done = subprocess.run(
            check.command,
            cwd=ROOT,
            env={**os.environ, "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"[longstop] {check.name}: did not end within {_SECONDS} s", flush=True)
        return False
    print(f"[longstop] {check.name}: {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
    if done.returncode != 0:
        print(done.stdout, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
