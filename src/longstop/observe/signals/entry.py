"""What happens at the door: who is refused, and when those who decide it cannot see."""

from longstop.observe.signals.bus import Signal


class CallerRefused(Signal, frozen=True, kw_only=True):
    """`reason` is the name of the problem type; `endpoint` the route, never what the caller wrote."""

    reason: str
    endpoint: str


class KeysUnreadable(Signal, frozen=True, kw_only=True):
    """What was read last goes on; nothing can be revoked meanwhile."""

    reason: str
    hint: str = ""


class AccessLogLost(Signal, frozen=True, kw_only=True):
    """It cannot be written; requests are answered all the same. `dropped` found no place to wait any more."""

    reason: str
    waiting: int
    dropped: int
    hint: str = ""


class AccessLogRecovered(Signal, frozen=True, kw_only=True):
    written: int
    dropped: int


class LimitsLost(Signal, frozen=True, kw_only=True):
    """The shared count of requests is away; each process keeps to its share by itself."""

    reason: str
    workers: int


class LimitsRecovered(Signal, frozen=True, kw_only=True):
    duration_seconds: float
