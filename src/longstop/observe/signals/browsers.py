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


class BrowsersMeasured(Signal, frozen=True, kw_only=True):
    """What the pool holds, as last measured. PSS is that of browsers and drivers; `contexts_bytes` is each context's
    own share of it, as well as Chromium lets it be told, by source."""

    pool: str
    browsers: int
    contexts: int
    pages: int
    pids: int
    pss_bytes: int
    waiting: int
    contexts_bytes: tuple[tuple[str, int], ...] = ()


class PagesTransferred(Signal, frozen=True, kw_only=True):
    """What the pages of one source moved since it was told last, as the filtering proxy counts it."""

    source: str
    requests: int
    refused: int
    bytes_in: int
    bytes_out: int


class BandwidthUsed(Signal, frozen=True, kw_only=True):
    """What visits may move in a month passed a level of it: told once each. At 100 nothing is sent any more."""

    level_percent: int
    bytes: int
    bytes_max: int
    period: str


class ExitRested(Signal, frozen=True, kw_only=True):
    """An exit was sent away and is not used for a while. `proxy` is a hash: no address, no account."""

    source: str
    proxy: str
    reason: str
    rests_seconds: float
    resting: int
    exits: int


class ExitsShort(Signal, frozen=True, kw_only=True):
    """Half of a source's exits rest already, so one that was sent away goes on being used."""

    source: str
    proxy: str
    reason: str
    resting: int
    exits: int


class OrphanKilled(Signal, frozen=True, kw_only=True):
    pid: int
    name: str
    mark: str
    memory_bytes: int
