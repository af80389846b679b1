"""The lines of football before kickoff, with the fields that its own document asks for (S3 §4.1)."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from longstop.observe.signals import Signal, captures

Told = tuple[int, str, dict[str, Any]]
SERVICE: Final = "sofascore_scraper"
_LEVELS: Final = {"success": logging.INFO, "soft_fail": logging.WARNING, "hard_fail": logging.ERROR}


def _of_attempt(told: captures.CaptureAttempted) -> Told:
    fields = _whose(told) | {
        "attempt": told.attempt,
        "state": told.state,
        "rung": told.rung,
        "proxy": _exit(told),
        "network": {
            "bytes_in_est": told.network.bytes_in,
            "requests_total": told.network.requests_total,
            "requests_blocked": told.network.requests_blocked,
            "xhr_captured_count": told.network.calls_captured,
        },
        "result": {
            "status": told.status,
            "error_type": told.reason or None,
            "http_status": told.http_status,
            "duration_ms": round(told.duration_seconds * 1000, 1),
        },
        "error_type": told.error_type,
        "error_message": told.error_message,
    }
    return _LEVELS.get(told.status, logging.INFO), "capture attempted", fields


def _exit(told: captures.CaptureAttempted) -> dict[str, str]:
    """Nothing that names or opens it."""
    by = told.exit
    return {"proxy_pool": by.pool, "geo": by.country, "session_id": by.session_id, "ip_hash": by.proxy_hash}


def _of_capture(told: captures.MatchCaptured) -> Told:
    whole = told.integrity
    fields = _whose(told) | {
        "captured_at": told.captured_at.isoformat(),
        "kickoff_at": told.kickoff_at.isoformat(),
        "is_confirmed": told.is_confirmed,
        "is_news": told.is_news,
        "integrity": {"schema_version": told.schema_version, **msgspec.to_builtins(whole)},
    }
    return logging.INFO if told.is_news else logging.DEBUG, "match captured", fields


def _whose(told: captures.CaptureAttempted | captures.MatchCaptured) -> dict[str, Any]:
    return {
        "service": SERVICE,
        "source": told.source,
        "run_id": told.run_id,
        "match_id": told.match_id,
        "source_event_id": told.source_event_id,
    }


def _telling(level: int, event: str) -> Callable[[Any], Told]:
    return lambda told: (level, event, _plain(told))


def _plain(told: Signal) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(told)
    fields.pop("at")
    return {"service": SERVICE} | fields


CAPTURE_TELLERS: Final[Mapping[type[Signal], Callable[[Any], Told]]] = {
    captures.CaptureAttempted: _of_attempt,
    captures.MatchCaptured: _of_capture,
    captures.CaptureSkipped: _telling(logging.WARNING, "capture skipped"),
    captures.SchemaBroken: _telling(logging.ERROR, "schema_break"),
    captures.SchemaHealed: _telling(logging.INFO, "schema healed"),
    captures.ChallengePersisted: _telling(logging.ERROR, "anti_bot_challenge"),
    captures.KickoffMoved: _telling(logging.WARNING, "kickoff moved"),
    captures.FixturesListed: _telling(logging.INFO, "fixtures listed"),
    captures.CircuitOpened: _telling(logging.WARNING, "circuit_opened"),
    captures.CircuitHalfOpened: _telling(logging.INFO, "circuit_half_open"),
    captures.CircuitClosed: _telling(logging.INFO, "circuit_closed"),
}
