"""Gives a reader thousands of broken payloads and counts what becomes of them: `Tally`.

A reader returns what it would have published, or None when it held the payload back; it refuses with an error of the
house. What it publishes must be something that the payload it was broken from says, or says of an earlier moment.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec import MsgspecError

from longstop.domain.errors import LongstopError, PayloadError

SECONDS_MAX = 0.25
SENTENCE_CHARS_MAX = 900
KEPT_MAX = 5

# Whatever a reader may fall over.
CRASHES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LongstopError,
    LookupError,
    MemoryError,
    MsgspecError,
    RuntimeError,
    TypeError,
    ValueError,
)

Reader = Callable[[bytes], Any]
Judge = Callable[[Any], bool]


@dataclass(frozen=True)
class Case:
    """`is_true` says whether something that was published may have been."""

    payload: Any
    read: Reader
    is_true: Judge = lambda _: True


@dataclass
class Tally:
    tried: int = 0
    published: int = 0
    held: int = 0
    refused: int = 0
    slowest_seconds: float = 0.0
    crashes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    lies: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.crashes or self.hangs or self.lies)

    @property
    def faults(self) -> list[str]:
        return [*self.crashes, *self.hangs, *self.lies]


def endured(case: Case, bodies: Iterable[bytes]) -> Tally:
    tally = Tally()
    for number, body in enumerate(bodies):
        tally.tried += 1
        started = time.thread_time()
        _try_one(case, body, number, tally)
        spent = time.thread_time() - started
        if spent >= SECONDS_MAX and _is_slow_each_time(case, body):
            _keep(tally.hangs, number, body, f"{spent:.2f} s")
        tally.slowest_seconds = max(tally.slowest_seconds, min(spent, SECONDS_MAX) if not tally.hangs else spent)
    return tally


def _try_one(case: Case, body: bytes, number: int, tally: Tally) -> None:
    try:
        told = case.read(body)
    except PayloadError as error:
        tally.refused += 1
        if len(str(error)) >= SENTENCE_CHARS_MAX:
            _keep(tally.crashes, number, body, f"a sentence of {len(str(error))} characters")
    except CRASHES as error:
        _keep(tally.crashes, number, body, f"{type(error).__name__}: {error}"[:200])
    else:
        _count(case, told, body, number, tally)


def _count(case: Case, told: Any, body: bytes, number: int, tally: Tally) -> None:
    if told is None:
        tally.held += 1
        return
    tally.published += 1
    if not case.is_true(told):
        _keep(tally.lies, number, body, "it was published")


def _is_slow_each_time(case: Case, body: bytes) -> bool:
    """A collection of garbage may fall into one run, not into three."""
    for _ in range(3):
        started = time.thread_time()
        with suppress(*CRASHES):
            case.read(body)
        if time.thread_time() - started < SECONDS_MAX:
            return False
    return True


def _keep(where: list[str], number: int, body: bytes, what: str) -> None:
    if len(where) < KEPT_MAX:
        where.append(f"mutant {number}: {what}: {body[:300]!r}")
