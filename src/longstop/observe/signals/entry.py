"""What happens at doors: at ours, who is refused and when those who decide it cannot see; at those of others, whether
we get in."""

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


class AdminAuditLost(Signal, frozen=True, kw_only=True):
    """The operators' audit cannot be written; verbs are done all the same. `dropped` found no place any more."""

    reason: str
    waiting: int
    dropped: int
    hint: str = ""


class AdminAuditRecovered(Signal, frozen=True, kw_only=True):
    written: int
    dropped: int


class LimitsLost(Signal, frozen=True, kw_only=True):
    """The shared count of requests is away; each process keeps to its share by itself."""

    reason: str
    workers: int


class LimitsRecovered(Signal, frozen=True, kw_only=True):
    duration_seconds: float


class TokenFailed(Signal, frozen=True, kw_only=True):
    """No token could be had of a source or a sink; it is tried again, at growing intervals."""

    whose: str
    reason: str
    failures: int


class AccessDegraded(Signal, frozen=True, kw_only=True):
    """For five minutes no token could be had. What is meant for there waits."""

    whose: str
    reason: str
    seconds: float


class AccessRegained(Signal, frozen=True, kw_only=True):
    whose: str
    duration_seconds: float


class SinkPushed(Signal, frozen=True, kw_only=True):
    """Another Longstop has accepted payloads. `behind_seconds` is how old the newest of them was."""

    payloads: int
    bytes: int
    behind_seconds: float


class PushTaken(Signal, frozen=True, kw_only=True):
    """Somebody pushed payloads to us, and they are durable."""

    push_id: str
    payloads: int


class PushRefused(Signal, frozen=True, kw_only=True):
    """Too much waits to be read; nothing of the push was taken."""

    reason: str
    hint: str = ""


class PushJudged(Signal, frozen=True, kw_only=True):
    """A payload that was pushed has been read. `age_seconds` is since its capture, `waiting` how many are left."""

    match_id: str
    purpose: str
    verdict: str
    reasons: tuple[str, ...]
    age_seconds: float
    waiting: int


class SinkFailed(Signal, frozen=True, kw_only=True):
    """It did not accept them; they stay where they are and are pushed again."""

    reason: str
    failures: int
    hint: str = ""
