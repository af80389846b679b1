"""Football before kickoff as values: whom to capture, how one attempt goes, and what it brings.

Point in time is the law here: what was captured at or after kickoff is never told as known before it.
"""

from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from longstop.domain.machine import Machine, Transition


class AttemptState(Enum):
    INIT = "INIT"
    BROWSER_READY = "BROWSER_READY"
    NAVIGATING = "NAVIGATING"
    INTERCEPTING = "INTERCEPTING"
    CAPTURED = "CAPTURED"
    VALIDATED = "VALIDATED"
    PERSISTED = "PERSISTED"
    DONE = "DONE"
    SOFT_FAIL = "SOFT_FAIL"
    HARD_FAIL = "HARD_FAIL"
    CIRCUIT_OPEN = "CIRCUIT_OPEN"


_S = AttemptState
_UNDER_WAY = (_S.INIT, _S.BROWSER_READY, _S.NAVIGATING, _S.INTERCEPTING, _S.CAPTURED, _S.VALIDATED)
_FAILURES = tuple(
    row
    for state in _UNDER_WAY
    for row in (
        Transition(state, "failed_softly", _S.SOFT_FAIL, "wait, change the exit where that helps, try again"),
        Transition(state, "failed_hard", _S.HARD_FAIL, "alert, skip with a reason, spend no more proxies"),
    )
)

CAPTURE_ATTEMPT = Machine(
    name="capture-attempt",
    title="Capture attempt",
    initial=_S.INIT,
    transitions=(
        Transition(_S.INIT, "refused", _S.CIRCUIT_OPEN, "the source rests; nothing is sent"),
        Transition(_S.INIT, "browser_leased", _S.BROWSER_READY, "a session of the exit has a context"),
        Transition(_S.INIT, "asked_directly", _S.INTERCEPTING, "the sticky session knows the calls: no page is opened"),
        Transition(_S.BROWSER_READY, "sent", _S.NAVIGATING, "open the match page, its document once"),
        Transition(_S.NAVIGATING, "arrived", _S.INTERCEPTING, "listen for the page's own calls on the allow-list"),
        Transition(_S.INTERCEPTING, "caught", _S.CAPTURED, "every family that is needed has come"),
        Transition(_S.CAPTURED, "kept_promise", _S.VALIDATED, "contract, consistency, right match, before kickoff"),
        Transition(_S.VALIDATED, "stored", _S.PERSISTED, "one transaction"),
        Transition(_S.PERSISTED, "told", _S.DONE, "signals, figures, the session goes back"),
        *_FAILURES,
        Transition(_S.SOFT_FAIL, "retried", _S.INIT, "one attempt more"),
        Transition(_S.SOFT_FAIL, "exhausted", _S.HARD_FAIL, "no attempt is left"),
    ),
)


class CapturePriority(Enum):
    NORMAL = "normal"
    HIGH = "high"


class SnapshotType(Enum):
    """What a stored capture is of: line-ups as expected, as confirmed, or as told after the match, which is never a
    feature of a forecast."""

    PREDICTED = "predicted"
    CONFIRMED = "confirmed"
    POST_MATCH = "post_match"


class Fixture(msgspec.Struct, frozen=True):
    """One match to be captured, by our own number; `event_key` is the source's, once it is known."""

    match_id: int
    kickoff_utc: datetime
    home_team: str
    away_team: str
    league_id: int | None = None
    season: int | None = None
    priority: CapturePriority = CapturePriority.NORMAL
    event_key: str = ""
    page: str = ""


class NetworkFigures(msgspec.Struct, frozen=True):
    """What one visit cost on the way: estimated where the browser does not tell."""

    bytes_in: int = 0
    requests_total: int = 0
    requests_blocked: int = 0
    calls_captured: int = 0


class ExitView(msgspec.Struct, frozen=True):
    """The exit a visit left by, fit to be told: no address, no name, no password. Empty is our own address."""

    pool: str = ""
    country: str = ""
    session_id: str = ""
    proxy_hash: str = ""


class CaptureIntegrity(msgspec.Struct, frozen=True):
    """How whole a captured payload is. `xi_missing` is 1 unless all 22 who begin are told, `starters_missing` how many
    of them are not."""

    null_field_rate: float = 0.0
    missing_required_fields: tuple[str, ...] = ()
    xi_missing: int = 0
    starters_missing: int = 0
    flags: tuple[str, ...] = ()


class ScrapeResult(msgspec.Struct, frozen=True):
    """What a caller of the service gets: normalised, versioned, with the moment it was captured."""

    source: str
    schema_version: str
    captured_at: datetime
    source_event_id: str
    normalized: dict[str, Any]
    raw_payload: dict[str, Any] | None = None
    integrity: dict[str, Any] | None = None
