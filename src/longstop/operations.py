"""What the API tells of the instance that it serves: its queue, its recoveries, the settings by which it works."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from longstop.domain.recovery import RecoveryAuditEntry
from longstop.serve.connections import ConnectionLimits
from longstop.serve.reading import Progress
from longstop.serve.streaming.following import StreamLimits
from longstop.settings import Settings
from longstop.settings.keys import catalog_of
from longstop.supervise.engine import Engine
from longstop.supervise.watchdogs.pack import Watchdogs

# What somebody who reads the grade wants to know: by which figures it is given, and at which pace all is done.
_SHOWN: Final = (
    "scraper.health.",
    "scraper.lifecycle.",
    "scraper.scheduling.",
    "scraper.resources.",
    "scraper.resilience.",
)


class InstanceOperations:
    """Asked for at each use: the API stands before there is an engine."""

    def __init__(
        self,
        engine: Callable[[], Engine | None],
        watchdogs: Callable[[], Watchdogs | None],
        settings: Callable[[], Settings],
    ) -> None:
        self._engine = engine
        self._watchdogs = watchdogs
        self._settings = settings
        self._shown: tuple[Settings, dict[str, Any]] | None = None

    @property
    def is_started(self) -> bool:
        return self._watchdogs() is not None

    def progress(self) -> Progress:
        engine = self._engine()
        if engine is None:
            return Progress()
        found = engine.progress()
        return Progress(waiting=sum(found.waiting.values()), running=found.running)

    def recoveries(self) -> Sequence[RecoveryAuditEntry]:
        watchdogs = self._watchdogs()
        return () if watchdogs is None else watchdogs.recoveries.entries

    def thresholds(self) -> dict[str, Any]:
        """By their documented names where they have one. Read once for each settings there are."""
        settings = self._settings()
        if self._shown is None or self._shown[0] is not settings:
            self._shown = (settings, _thresholds(settings))
        return self._shown[1]


def _thresholds(settings: Settings) -> dict[str, Any]:
    keys = catalog_of(settings).keys.values()
    return {
        key.documented_name or key.path: key.default
        for key in keys
        if key.path.startswith(_SHOWN) and isinstance(key.default, int | float | str) and not key.is_secret
    }


def connection_limits(settings: Settings) -> ConnectionLimits:
    limits = settings.api.limits
    return ConnectionLimits(limits.connections, limits.connections_per_address, proxies=limits.trusted_proxies)


def stream_limits(settings: Settings) -> StreamLimits:
    wanted = settings.api.streams
    return StreamLimits(wanted.max, wanted.max_per_consumer, wanted.heartbeat, wanted.patience)
