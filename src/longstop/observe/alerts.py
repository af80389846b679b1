"""What is worth waking somebody for: signals become alerts here, by one table and two counts.

| alert | when | severity |
|---|---|---|
| critical error | an error was raised as CRITICAL: a scraper given up, a source whose shape has changed | CRITICAL |
| error rate | a match has more errors a minute than scraper.health.errors_per_minute | ERROR |
| memory | a scraper or the process passed a bound: 80 % of the soft limit, soft, hard | WARN, ERROR, CRITICAL |
| database away | writes wait in the spool and in memory | ERROR |
| spool filled, spool full | it passed a level; it takes no more | WARN, ERROR, CRITICAL |
| spool damaged | a start found records that the disk has lost | CRITICAL |
| settings refused | a settings file that was read again cannot be used | ERROR |

To add one: a row in `RULES`, and here. The same alert about the same match is raised once in five minutes and then says
how often it was held back; whoever is told everything reads nothing.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from longstop.observe import signals as facts
from longstop.observe.error_rates import ErrorRates
from longstop.observe.signals import AlertRaised, Signals

FOLD_SECONDS: Final = 300.0
FOLDED_MAX: Final = 5_000

Rule = Callable[[Any], AlertRaised | None]


def _on_error(error: facts.ErrorRaised) -> AlertRaised | None:
    if error.severity.upper() != "CRITICAL":
        return None
    context = {**error.context, "error_type": error.error_type, "operation": error.operation, "url": error.url}
    return AlertRaised(
        at=error.at,
        alert="critical error",
        severity="CRITICAL",
        match_id=error.match_id,
        message=error.error_message,
        hint=error.hint,
        context={name: value for name, value in context.items() if value not in ("", None)},
    )


def _on_refused(refused: facts.ConfigurationRefused) -> AlertRaised:
    return AlertRaised(
        at=refused.at,
        alert="settings refused",
        severity="ERROR",
        message=refused.message,
        hint=refused.hint,
        context={"faults": list(refused.faults), "reason": refused.reason},
    )


def _on_memory(rose: facts.MemoryRose) -> AlertRaised:
    who = rose.match_id or "the process"
    return AlertRaised(
        at=rose.at,
        alert="memory",
        severity={"high": "WARN", "soft": "ERROR"}.get(rose.level, "CRITICAL"),
        match_id=rose.match_id or None,
        message=f"The memory of {who} is above its {rose.level} bound.",
        hint="What passes soft or hard is replaced by itself; if it comes back, see docs/resources.md.",
        context={"memory_bytes": rose.memory_bytes, "limit_bytes": rose.limit_bytes},
    )


def _on_lost(lost: facts.StoreLost) -> AlertRaised:
    return AlertRaised(at=lost.at, alert="database away", severity="ERROR", message=lost.reason, hint=lost.hint)


def _on_filled(filled: facts.SpoolFilled) -> AlertRaised:
    level, is_full = filled.level_percent, filled.level_percent >= 100
    return AlertRaised(
        at=filled.at,
        alert="spool full" if is_full else "spool filled",
        severity="CRITICAL" if level >= 95 else "ERROR" if level >= 80 else "WARN",
        message="The spool takes no more." if is_full else f"The spool is {level:g} % full.",
        hint="Bring the database back, or raise storage.spool.max_size_mb and restart.",
        context={"bytes": filled.bytes, "bytes_max": filled.bytes_max},
    )


def _on_found(found: facts.SpoolFound) -> AlertRaised | None:
    if not found.damaged:
        return None
    return AlertRaised(
        at=found.at,
        alert="spool damaged",
        severity="CRITICAL",
        message=f"{found.damaged} records of the spool are damaged.",
        hint="Look at the disk; what could not be read lies in the spool's quarantine.",
        context={"damaged": found.damaged, "records": found.records},
    )


RULES: Final[Mapping[type[facts.Signal], Rule]] = {
    facts.ErrorRaised: _on_error,
    facts.ConfigurationRefused: _on_refused,
    facts.MemoryRose: _on_memory,
    facts.StoreLost: _on_lost,
    facts.SpoolFilled: _on_filled,
    facts.SpoolFound: _on_found,
}


class _Fold(msgspec.Struct):
    raised_at: datetime
    held_back: int = 0


class Alerts:
    """Listens to the bus, and says its alerts on the same bus."""

    def __init__(self, errors_per_minute: int) -> None:
        self.rates = ErrorRates(errors_per_minute)
        self._folds: dict[tuple[str, str, str], _Fold] = {}

    def subscribe(self, bus: Signals) -> None:
        for kind, rule in RULES.items():
            bus.subscribe(kind, self._following(rule, bus))
        bus.subscribe(facts.ErrorRaised, self._following(self.rates.count, bus))

    def _following(self, rule: Rule, bus: Signals) -> Callable[[Any], None]:
        def follow(signal: facts.Signal) -> None:
            alert = rule(signal)
            if alert is not None:
                self._raise(alert, bus)

        return follow

    def _raise(self, alert: AlertRaised, bus: Signals) -> None:
        key = (alert.alert, alert.severity, alert.match_id or "")
        fold = self._folds.get(key)
        if fold is not None and alert.at - fold.raised_at < timedelta(seconds=FOLD_SECONDS):
            fold.held_back += 1
            return
        if len(self._folds) >= FOLDED_MAX:
            self._folds.pop(next(iter(self._folds)))
        # At its end, so that the one that goes first is the one that was raised longest ago.
        self._folds.pop(key, None)
        self._folds[key] = _Fold(alert.at)
        bus.emit(alert if fold is None else msgspec.structs.replace(alert, held_back=fold.held_back))
