"""What a visit is asked for and what it brings. How it is made, and by which exit, is not the caller's to know."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from longstop.domain.capture import ExitView, NetworkFigures
from longstop.domain.errors import LongstopError
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.visits.gate import OPEN, Gate

# Steps of the visit, told as events of the attempt's machine: browser_leased, asked_directly, sent, arrived, caught.
OnStep = Callable[[str], None]


class VisitOrder(msgspec.Struct, frozen=True):
    """`calls` are the endpoint families wanted, by purpose; those in `required` must come for the visit to succeed.
    `key` is the match as the source knows it, `page` its page. Attempts count from 1. `is_plain` is about no match: it
    is asked for directly first, learnt or not, and its page teaches nothing. `gate` is asked right before each thing
    that is sent."""

    source: str
    key: str
    page: str
    calls: Mapping[str, FetchRequest]
    required: frozenset[str]
    attempt: int = 1
    deadline_seconds: float = 45.0
    is_plain: bool = False
    gate: Gate = OPEN


class Visit(msgspec.Struct, frozen=True):
    """`snapshots` by purpose; `exit` and `network` are fit to be told. `rung` is intercept or replay. `refusals` says
    why a family did not come; MatchGoneError there says that it is not published yet."""

    snapshots: Mapping[str, Snapshot]
    rung: str
    exit: ExitView = ExitView()
    network: NetworkFigures = NetworkFigures()
    refusals: Mapping[str, LongstopError] = {}


class Visitor(Protocol):
    """Raises a FetchError, BrowserError or PayloadError of domain.errors when it brought not what is required, and
    whatever the gate raises when that is shut.

    `judged` hands the caller's verdict back: a session whose visits fail is changed or rests, and one that met a
    challenge loses its cookies. Every visit is judged exactly once, also one that raised.
    """

    async def visit(self, order: VisitOrder, on_step: OnStep) -> Visit: ...

    def judged(self, order: VisitOrder, error: Exception | None) -> None: ...

    async def list(self, request: FetchRequest, gate: Gate = OPEN) -> Snapshot:
        """A call about no one match, such as the fixtures of a day."""
        ...

    async def close(self) -> None: ...
