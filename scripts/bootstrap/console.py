"""Talking to the person at the terminal, and to other programs: one line per step, a deadline on every call."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES_SHOWN_ON_FAILURE = 20


class Exit(IntEnum):
    """What went wrong, for a program that started us."""

    ENVIRONMENT = 11
    PACKAGES = 12
    PROJECT = 13
    BUSY = 14
    LOCK = 15


class SetupError(Exception):
    """A step that cannot go on. Carries what the person should do."""

    def __init__(self, code: Exit, what: str, hint: str) -> None:
        super().__init__(f"{what} {hint}")
        self.code = code


class CallError(Exception):
    """Another program failed, was not there, or took too long."""


def say(text: str) -> None:
    print(f"[longstop] {text}", file=sys.stderr, flush=True)


def call(
    command: Sequence[str | os.PathLike[str]],
    *,
    timeout_seconds: float,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run a program to its end, quietly; what it printed is shown only when it fails."""
    words = [os.fspath(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout_seconds,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CallError(f"`{_shown(words)}` did not end within {timeout_seconds:.0f} s.") from None
    except OSError as error:
        raise CallError(f"`{_shown(words)}` cannot be started: {error.strerror}.") from None
    if done.returncode != 0:
        tail = "\n".join(done.stdout.strip().splitlines()[-LINES_SHOWN_ON_FAILURE:])
        raise CallError(f"`{_shown(words)}` ended with {done.returncode}:\n{tail}")
    return done.stdout


def _shown(words: Sequence[str]) -> str:
    return " ".join([Path(words[0]).name, *words[1:4], *(["…"] if len(words) > 4 else [])])
