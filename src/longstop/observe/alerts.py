"""What is worth waking somebody for: signals become alerts here, by one table and two counts.

| alert | when | severity |
|---|---|---|
| critical error | an error was raised as CRITICAL: a scraper given up, a source whose shape has changed | CRITICAL |
| error rate | a match has more errors a minute than scraper.health.errors_per_minute | ERROR |
| memory | a scraper or the process passed a bound: 80 % of the soft limit, soft, hard | WARN, ERROR, CRITICAL |
| database away | writes wait in the spool and in memory | ERROR |
| spool filled, spool full | it passed a level; it takes no more | WARN, ERROR, CRITICAL |
| wal grows | the WAL of an SQLite file passed its bound: somebody holds a read open | ERROR |
| bandwidth short, bandwidth spent | 80 and 95 % of the month's bytes have moved; all of them | WARN, ERROR, CRITICAL |
| spool damaged | a start found records that the disk has lost | CRITICAL |
| settings refused | a settings file that was read again cannot be used | ERROR |
| stale match | a live match is not fresh: no good poll, never seen, or the same content for too long | ERROR |
| failing | the instance is graded failing | CRITICAL |
| blind watchdog | a watchdog cannot see, work does not move, a service does not come round | CRITICAL |
| loop stalled | the event loop stood still | CRITICAL |
| breaker opened | a way to a match is shut after failures in a row | WARN |
| recovery failed | what was done to get well again did not help | ERROR |
| match not whole | a match is over, and not all that its board claimed is in the record | ERROR |
| keys unreadable | keys and revocations of the API cannot be read, so nothing can be revoked | ERROR |
| access log lost | who asked for what cannot be written down; requests are answered all the same | ERROR |
| access degraded | for five minutes a source or the sink has given us no token | ERROR |
| limits alone | Redis is away; each process keeps consumers to its share | WARN |
| schema break | a football source breaks what its contract promises, once until it heals | CRITICAL |
| challenge | every exit meets a challenge | ERROR |
| circuit opened | too many captures failed; nothing is sent to the source for a while | WARN |
| data integrity degraded | confirmed line-ups with more empty fields than scraper.capture.max_null_percent | WARN |
| round failed | a round of a league ended with dead letters, or could not be listed | ERROR |
| state lost | a scraper knew more than the record shows | CRITICAL |

To add one: a row in `alert_rules.RULES`, and here. The same alert about the same match is raised once in five minutes
and then says how often it was held back; whoever is told everything reads nothing.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from longstop.observe import signals as facts
from longstop.observe.alert_rules import RULES, Rule
from longstop.observe.error_rates import ErrorRates
from longstop.observe.signals import AlertRaised, Signals

FOLD_SECONDS: Final = 300.0
FOLDED_MAX: Final = 5_000


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
        # Two alarms of the house are two; two errors of a match are one.
        key = (alert.alert, alert.severity, alert.match_id or str(alert.context.get("subject", "")))
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
