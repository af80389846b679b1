"""What happens to browsers."""

from longstop.observe.signals.bus import Signal


class BrowserStarted(Signal, frozen=True, kw_only=True):
    unit: str
    pid: int
    driver_pid: int
    duration_seconds: float


class BrowserStopped(Signal, frozen=True, kw_only=True):
    """`pids_after` should be 0: it is counted, not believed."""

    unit: str
    reason: str
    pids_before: int
    pids_after: int
    duration_seconds: float


class BrowserLost(Signal, frozen=True, kw_only=True):
    unit: str
    reason: str
    leases: int


class BrowserRecycled(Signal, frozen=True, kw_only=True):
    """`subject` is browser or context; `action` is replace or kill; `detail` gives the figure and its limit."""

    unit: str
    subject: str
    reason: str
    action: str
    detail: str = ""


class LeaseLost(Signal, frozen=True, kw_only=True):
    unit: str
    source: str
    reason: str


class OrphanKilled(Signal, frozen=True, kw_only=True):
    pid: int
    name: str
    mark: str
    memory_bytes: int
