"""When a match that keeps failing is given a rest. Pure; it counts what speaks against this match alone.

Five failed attempts in a row within ten minutes pause a match for five; more than ten payloads in a row that cannot
be read are a changed site, and are asked for every five minutes from then on.
"""

from enum import Enum

import msgspec


class PauseLimits(msgspec.Struct, frozen=True):
    failures: int = 5
    window_seconds: float = 600.0
    pause_seconds: float = 300.0
    unreadable: int = 10
    unreadable_seconds: float = 300.0


class Fault(Enum):
    """What an attempt failed of, as far as it matters here."""

    UNREACHED = "unreached"
    UNREADABLE = "unreadable"


class Rest(msgspec.Struct, frozen=True):
    seconds: float
    reason: str
    fault: Fault


class Failures(msgspec.Struct, frozen=True):
    """Those in a row, newest last; a success forgets them all. Moments are of the monotonic clock."""

    unreached_at: tuple[float, ...] = ()
    unreadable: int = 0

    @property
    def since(self) -> float | None:
        return self.unreached_at[0] if self.unreached_at else None

    def plus(self, fault: Fault, now: float, limits: PauseLimits) -> "Failures":
        if fault is Fault.UNREADABLE:
            return msgspec.structs.replace(self, unreadable=self.unreadable + 1)
        lately = [at for at in self.unreached_at if now - at < limits.window_seconds]
        return msgspec.structs.replace(self, unreached_at=(*lately, now)[-limits.failures - 1 :])

    def without(self, fault: Fault) -> "Failures":
        """It turned out that this kind speaks against nobody."""
        if fault is Fault.UNREADABLE:
            return msgspec.structs.replace(self, unreadable=0)
        return msgspec.structs.replace(self, unreached_at=())

    def rest(self, limits: PauseLimits, *, spare: int = 0) -> Rest | None:
        """None as long as it is worth going on. `spare` is one more for what a restart may have mended."""
        if self.unreadable > limits.unreadable:
            reason = f"{self.unreadable} payloads in a row could not be read"
            return Rest(limits.unreadable_seconds, reason, Fault.UNREADABLE)
        if len(self.unreached_at) >= limits.failures + spare:
            reason = f"{limits.failures + spare} attempts in a row failed within {limits.window_seconds / 60:g} minutes"
            return Rest(limits.pause_seconds, reason, Fault.UNREACHED)
        return None
