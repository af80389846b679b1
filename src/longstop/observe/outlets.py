"""What is told beyond logs and metrics: alerts with their webhook, and the logs of matches. Joined here."""

import random
from collections.abc import Callable, Iterator

from longstop.clock import Clock
from longstop.observe.alerts import Alerts
from longstop.observe.match_files import MatchFiles
from longstop.observe.match_keeping import MatchLogKeeping
from longstop.observe.match_log import MatchLogs
from longstop.observe.signals import Signals
from longstop.observe.webhook import Webhook
from longstop.settings import Settings

# Name, keys, and what takes them while running.
Adjustment = tuple[str, tuple[str, ...], Callable[[Settings], None]]


class Outlets:
    """`services` belong into the tree; `close` comes after everything else has ended."""

    def __init__(self, settings: Settings, clock: Clock, bus: Signals, chance: random.Random) -> None:
        retention = settings.storage.retention
        self._bus = bus
        self._alerts = Alerts(settings.scraper.health.errors_per_minute)
        self._webhook = Webhook(webhook_url(settings), clock, bus, chance)
        self._logs = MatchLogs()
        self._files = MatchFiles(settings.storage.root, retention.match_logs_max_mb, retention.match_log_days)
        self._keeping = MatchLogKeeping(self._logs, self._files, clock, bus)
        self.services = (self._webhook, self._keeping)

    def subscribe(self) -> None:
        self._logs.subscribe(self._bus)
        self._alerts.subscribe(self._bus)
        self._webhook.subscribe()

    def match_lines(self, match_id: str) -> list[bytes]:
        """The log of a match, as far as it was not written down yet."""
        return self._logs.lines(match_id)

    async def open(self) -> None:
        await self._keeping.adopt()

    async def close(self, reason: str) -> None:
        await self._keeping.close(reason)

    def adjustments(self) -> Iterator[Adjustment]:
        retention = "storage.retention"
        yield "webhook", ("scraper.monitoring.alerts.webhook_url",), self._readdress
        yield "alerts", ("scraper.health.errors_per_minute",), self._retune
        yield "match logs", (f"{retention}.match_logs_max_mb", f"{retention}.match_log_days"), self._rebound

    def _readdress(self, settings: Settings) -> None:
        self._webhook.readdress(webhook_url(settings))

    def _retune(self, settings: Settings) -> None:
        self._alerts.rates.per_minute = settings.scraper.health.errors_per_minute

    def _rebound(self, settings: Settings) -> None:
        retention = settings.storage.retention
        self._files.quota_mb, self._files.days = retention.match_logs_max_mb, retention.match_log_days


def webhook_url(settings: Settings) -> str:
    return settings.scraper.monitoring.alerts.webhook_url.get_secret_value()
