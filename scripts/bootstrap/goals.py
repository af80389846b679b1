"""What each `make` target needs before it can start."""

import argparse
import contextlib
import fcntl
import signal
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from scripts.bootstrap import environment, locks, machine
from scripts.bootstrap.apt import Apt
from scripts.bootstrap.console import ROOT, CallError, Exit, SetupError, say

_WAIT_SECONDS = 1200


def to_run(apt: Apt) -> None:
    _environment("run", apt)
    machine.prepare_browser(apt)


def to_develop(apt: Apt) -> None:
    _environment("dev", apt)


def to_test(apt: Apt) -> None:
    _environment("dev", apt)
    machine.prepare_browser(apt)
    machine.prepare_postgres(apt)
    machine.prepare_redis(apt)
    machine.prepare_strace(apt)
    machine.prepare_tinyproxy(apt)


def to_lock(apt: Apt) -> None:
    _environment("dev", apt)
    locks.write_all()


GOALS: dict[str, Callable[[Apt], None]] = {"run": to_run, "dev": to_develop, "test": to_test, "lock": to_lock}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts.bootstrap", description=__doc__)
    parser.add_argument("goal", choices=GOALS)
    parser.add_argument("--system-packages", choices=("yes", "no"), default="yes")
    given = parser.parse_args(arguments)
    try:
        with _one_at_a_time():
            GOALS[given.goal](Apt(is_allowed=given.system_packages == "yes"))
    except SetupError as error:
        say(str(error))
        return error.code
    except CallError as error:
        say(f"{error} Nothing further was done.")
        return Exit.ENVIRONMENT
    return 0


def _environment(lock_name: str, apt: Apt) -> None:
    if not environment.is_ready(lock_name):
        environment.prepare(lock_name, apt)


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two makes at once would fill the same environment; the second one waits."""
    folder = ROOT / "var"
    try:
        folder.mkdir(exist_ok=True)
        held = (folder / "bootstrap.lock").open("w")
    except OSError as error:
        hint = "Run as the user who owns the clone, or make a clone of your own."
        raise SetupError(Exit.ENVIRONMENT, f"{folder} cannot be written: {error.strerror}.", hint) from None
    with held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another make is setting up this clone; waiting for it")
            _wait_for(held.fileno())
        yield


def _wait_for(descriptor: int) -> None:
    def give_up(_signal: int, _frame: FrameType | None) -> None:
        hint = "Look for a stuck make (`ps aux | grep scripts.bootstrap`), end it and try again."
        raise SetupError(Exit.BUSY, f"The other make did not finish within {_WAIT_SECONDS // 60} minutes.", hint)

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_WAIT_SECONDS)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
