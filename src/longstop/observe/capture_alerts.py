"""Which facts of football before kickoff somebody should be told of (S3 §4.3); the table is in `alerts.py`."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from longstop.observe.signals import AlertRaised, Signal, captures

_DOCS: Final = "docs/football.md says what each reason means."


def _on_break(broken: captures.SchemaBroken) -> AlertRaised:
    return AlertRaised(
        at=broken.at,
        alert="schema break",
        severity="CRITICAL",
        message=broken.message,
        hint="Its payloads wait in quarantine. Mend the contract, then run `longstop captures reread`.",
        context={
            "subject": broken.contract,
            "source": broken.source,
            "missing": list(broken.missing),
            "wrong": list(broken.wrong),
        },
    )


def _on_challenge(challenge: captures.ChallengePersisted) -> AlertRaised:
    return AlertRaised(
        at=challenge.at,
        alert="challenge",
        severity="ERROR",
        message=f"Every exit that {challenge.source} was asked by meets a challenge.",
        hint="It is never solved. Ask more gently, change the exits, or ask its owner on what terms it may be used.",
        context={"subject": challenge.source, "attempts": challenge.attempts},
    )


def _on_circuit(opened: captures.CircuitOpened) -> AlertRaised:
    return AlertRaised(
        at=opened.at,
        alert="circuit opened",
        severity="WARN",
        message=f"No match of {opened.source} is captured for {opened.open_seconds:g} s: {opened.reason}.",
        hint=f"It is tried again by itself. {_DOCS}",
        context={"subject": opened.source},
    )


def _on_capture(captured: captures.MatchCaptured) -> AlertRaised | None:
    if not captured.is_degraded:
        return None
    rate = captured.integrity.null_field_rate
    return AlertRaised(
        at=captured.at,
        alert="data integrity degraded",
        severity="WARN",
        match_id=captured.match_id,
        message=f"{rate:.0%} of the fields of confirmed line-ups are empty.",
        hint="Look at what the source shows; the bound is scraper.capture.max_null_percent.",
        context={"missing": list(captured.integrity.missing_required_fields)},
    )


CAPTURE_RULES: Final[Mapping[type[Signal], Callable[[Any], AlertRaised | None]]] = {
    captures.SchemaBroken: _on_break,
    captures.ChallengePersisted: _on_challenge,
    captures.CircuitOpened: _on_circuit,
    captures.MatchCaptured: _on_capture,
}
