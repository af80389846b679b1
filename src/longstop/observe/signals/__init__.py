"""Facts about the machine, typed. Logic emits them; logs, metrics and health subscribe.

Those of the watchdogs stand in `troubles.py`.

| signal | when | fields worth a metric |
|---|---|---|
| EngineStarted, EngineStopped | the service came up, went down | |
| SourceListed | a source's list of matches was read | source, matches, live |
| MatchDiscovered | a source listed a match for the first time | source |
| MatchStateChanged | a step of the match lifecycle | from, to |
| PollFinished | one poll ended, whatever its outcome | outcome, rung, duration, bytes |
| RungChanged | a match is fetched another way | from, to |
| BreakerOpened | a way to a match is shut | rung, reason |
| RecipeLearnt | a browser showed how a call is made | duration |
| SelectorsMatched | a page was read off the screen | source, place of the selector by field |
| SelectorDrifted | a page is read by fallback selectors only | source, field |
| EventsStored | critical events became durable | count, extraction to stored |
| FactsStored | the same, with the events and gaps themselves, for who tells them on | |
| ScoreStored | a changed state of a match became durable; what the page shows | |
| ObservationRejected | a payload was not believed | reason |
| GapOpened, GapClosed | the balls and the board disagree, agree again | missing balls and runs |
| ErrorRaised | something failed; has the documents' log fields | error_type |
| ConfigurationReloaded, ConfigurationRefused | the settings were read again while running | |
| AdminVerbUsed | somebody asked for something under /admin, whatever came of it | |
| CallerRefused | somebody was not let in to the API, or asked too often | reason |
| KeysUnreadable | keys and revocations cannot be read | |
| AccessLogLost, AccessLogRecovered | the access log cannot be written, is written again | dropped |
| AdminAuditLost, AdminAuditRecovered | the operators' audit cannot be written, is written again | dropped |
| LimitsLost, LimitsRecovered | the shared count of requests is away, is back | |
| TokenFailed, AccessDegraded, AccessRegained | no token of a source or a sink, for long, again | whose |
| PushTaken, PushRefused | somebody has pushed payloads to us | how many, reason |
| PushJudged | what was pushed has been read | verdict, reasons, age, waiting |
| SinkPushed, SinkFailed | another Longstop has accepted payloads, has not | payloads, age |
| AlertRaised | something that somebody should be told of | alert, severity |
| AlertDelivered, AlertLost | the webhook took an alert, or did not | |
| CapturesPruned | raw captures beyond their bounds were removed | captures |
| ServiceRestarted | supervision restarted a child | service, reason |
| ScraperStarted, ScraperStopped | a match is watched, no longer watched | |
| ScraperResumed | a scraper goes on where another stood | disagreements |
| ScraperReplaced, ReplacementFailed | make before break | reason, gap |
| PaceChanged | a match is polled at another pace | seconds, reason |
| TaskAbandoned | a look at a match failed in all its attempts | error_type |
| MatchPaused | a match that keeps failing rests | reason |
| MatchConcluded | a match is over and was read to its end | verified |
| ResourcesMeasured | memory and CPU were read | memory, cpu |
| LoopLagged | the event loop was late | lag |
| ScrapersMeasured | the memory of process and browsers was told apart by scraper | memory by match |
| MemoryRose | a scraper, or the whole process, passed a bound of memory | level |
| ReadingFailed | a reading that others rely on cannot be had, or cannot be true | reading |
| ReplacementOrdered | a scraper is to be replaced or killed before it spoils | reason, action |
| StartRefused, StartRetried | memory was too short for another scraper; it is tried again | |
| MemoryBrokenDown | memory is short; who has how much of it | |
| ScraperIdled | a scraper that nobody needs was stopped | memory |
| CleanupFinished | a round of cleaning up ended | orphans, folders, scrapers |
| StoreLost, StoreRecovered | the database went away, is back and has what waited | reason, duration, records |
| BacklogMeasured | what waits for the database was counted | records, bytes, age |
| BacklogWaited | the database has been away for another minute | the same |
| SpoolFilled | the spool passed one of its levels | level |
| WalGrew, WalShrank | the WAL of an SQLite file passed its bound, is short again | bytes |
| SpoolFound | a start found records of the run before | records, damaged |
| WritesDropped | what was not critical had to go | items |
| BrowserStarted, BrowserStopped | a browser came up, is gone with all its processes | reason, duration, pids left |
| BrowserLost | a browser died, hung, or grew too large | reason, leases |
| BrowserRecycled | a browser or a context is replaced before it spoils | subject, reason, action |
| BrowsersMeasured | what the pool holds was measured | browsers, contexts, memory |
| BandwidthUsed | the month's budget of bytes passed a level: slower, very slow, at its end | level |
| ExitRested | an exit was sent away and rests | reason, resting of all |
| ExitsShort | half of the exits rest, and another was sent away | reason, resting of all |
| PagesTransferred | what the pages of a source moved since the last time | source, bytes, refused |
| LeaseLost | a lease was taken away from who held it | source, reason |
| StreamEnded | somebody follows no longer | reason |
| RoundAsked, RoundSettled | a round was asked for, nothing of it is left to do | state |
| RoundWorked | a match of a round was stored, failed, or its round was listed | outcome, duration |
| OrphanKilled | a process that an earlier run left behind was ended | memory |
"""

from longstop.observe.signals.browsers import (
    BandwidthUsed,
    BrowserLost,
    BrowserRecycled,
    BrowsersMeasured,
    BrowserStarted,
    BrowserStopped,
    ExitRested,
    ExitsShort,
    LeaseLost,
    OrphanKilled,
    PagesTransferred,
)
from longstop.observe.signals.bus import Signal, Signals
from longstop.observe.signals.entry import (
    AccessDegraded,
    AccessLogLost,
    AccessLogRecovered,
    AccessRegained,
    AdminAuditLost,
    AdminAuditRecovered,
    CallerRefused,
    KeysUnreadable,
    LimitsLost,
    LimitsRecovered,
    PushJudged,
    PushRefused,
    PushTaken,
    SinkFailed,
    SinkPushed,
    TokenFailed,
)
from longstop.observe.signals.house import (
    AdminVerbUsed,
    AlertDelivered,
    AlertLost,
    AlertRaised,
    CapturesPruned,
    ConfigurationRefused,
    ConfigurationReloaded,
    EngineStarted,
    EngineStopped,
    ErrorRaised,
    LoopLagged,
    ResourcesMeasured,
    ServiceRestarted,
)
from longstop.observe.signals.matches import (
    FRESH_OUTCOMES,
    BreakerOpened,
    EventsStored,
    FactsStored,
    GapClosed,
    GapOpened,
    MatchConcluded,
    MatchDiscovered,
    MatchStateChanged,
    ObservationRejected,
    PollFinished,
    RecipeLearnt,
    RungChanged,
    ScoreStored,
    SelectorDrifted,
    SelectorsMatched,
    SourceListed,
    about_gap,
)
from longstop.observe.signals.resources import (
    CleanupFinished,
    MemoryBrokenDown,
    MemoryRose,
    ReadingFailed,
    ReplacementOrdered,
    ScraperIdled,
    ScrapersMeasured,
    StartRefused,
    StartRetried,
)
from longstop.observe.signals.rounds import RoundAsked, RoundSettled, RoundWorked
from longstop.observe.signals.scrapers import (
    MatchPaused,
    PaceChanged,
    ReplacementFailed,
    ScraperReplaced,
    ScraperResumed,
    ScraperStarted,
    ScraperStopped,
    TaskAbandoned,
)
from longstop.observe.signals.serving import StreamEnded
from longstop.observe.signals.storing import (
    BacklogMeasured,
    BacklogWaited,
    SpoolFilled,
    SpoolFound,
    StoreLost,
    StoreRecovered,
    WalGrew,
    WalShrank,
    WritesDropped,
)

__all__ = [
    "FRESH_OUTCOMES",
    "AccessDegraded",
    "AccessLogLost",
    "AccessLogRecovered",
    "AccessRegained",
    "AdminAuditLost",
    "AdminAuditRecovered",
    "AdminVerbUsed",
    "AlertDelivered",
    "AlertLost",
    "AlertRaised",
    "BacklogMeasured",
    "BacklogWaited",
    "BandwidthUsed",
    "BreakerOpened",
    "BrowserLost",
    "BrowserRecycled",
    "BrowserStarted",
    "BrowserStopped",
    "BrowsersMeasured",
    "CallerRefused",
    "CapturesPruned",
    "CleanupFinished",
    "ConfigurationRefused",
    "ConfigurationReloaded",
    "EngineStarted",
    "EngineStopped",
    "ErrorRaised",
    "EventsStored",
    "ExitRested",
    "ExitsShort",
    "FactsStored",
    "GapClosed",
    "GapOpened",
    "KeysUnreadable",
    "LeaseLost",
    "LimitsLost",
    "LimitsRecovered",
    "LoopLagged",
    "MatchConcluded",
    "MatchDiscovered",
    "MatchPaused",
    "MatchStateChanged",
    "MemoryBrokenDown",
    "MemoryRose",
    "ObservationRejected",
    "OrphanKilled",
    "PaceChanged",
    "PagesTransferred",
    "PollFinished",
    "PushJudged",
    "PushRefused",
    "PushTaken",
    "ReadingFailed",
    "RecipeLearnt",
    "ReplacementFailed",
    "ReplacementOrdered",
    "ResourcesMeasured",
    "RoundAsked",
    "RoundSettled",
    "RoundWorked",
    "RungChanged",
    "ScoreStored",
    "ScraperIdled",
    "ScraperReplaced",
    "ScraperResumed",
    "ScraperStarted",
    "ScraperStopped",
    "ScrapersMeasured",
    "SelectorDrifted",
    "SelectorsMatched",
    "ServiceRestarted",
    "Signal",
    "Signals",
    "SinkFailed",
    "SinkPushed",
    "SourceListed",
    "SpoolFilled",
    "SpoolFound",
    "StartRefused",
    "StartRetried",
    "StoreLost",
    "StoreRecovered",
    "StreamEnded",
    "TaskAbandoned",
    "TokenFailed",
    "WalGrew",
    "WalShrank",
    "WritesDropped",
    "about_gap",
]
