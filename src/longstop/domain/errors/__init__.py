"""Every error the house raises, in one tree.

    LongstopError                     says what happened, and in `hint` what to do
    ├── SettingsError                 the configuration is wrong (all faults at once)
    │   └── ExtraMissingError         it asks for a part that is not installed
    ├── InputError                    what a person handed in is wrong
    │   ├── MissingFileError          it is not there, or may not be read
    │   ├── MatchFileError            a file of a match, and not a whole one
    │   ├── UnknownSourceError        no source has this name
    │   ├── SourceNotReadyError       a source lacks what it needs to be watched
    │   ├── UnknownMatchError         no match of this name is watched
    │   ├── UnknownJobError           no job of this name, or no such match in it
    │   └── PortTakenError            somebody else listens there
    ├── OutputError                   what was found out could not be written down for whoever asked
    ├── FetchError                    the bytes did not come
    │   ├── SourceUnreachableError    no connection, or it broke
    │   │   └── UnreadableBodyError   packed in a way that we did not ask for, or broken
    │   ├── SourceTimeoutError        our own deadline passed
    │   ├── SourceFailingError        5xx
    │   ├── SourceThrottledError      429 or 503 with Retry-After
    │   ├── SourceRefusedError        401, 403
    │   │   ├── TokenUnavailableError no token can be had now
    │   │   └── ChallengeError        a page that asks whether we are a person
    │   ├── MatchGoneError            404, 410
    │   ├── UnexpectedStatusError     any other status
    │   ├── OversizedBodyError        more bytes than we are willing to read
    │   ├── EgressRefusedError        we do not go there: host, address, port or spelling
    │   │   └── SentAwayError         the source redirected the call to such a place
    │   ├── ExitFailedError           the proxy that we leave by, not the source
    │   ├── RobotsRefusedError        the site's robots.txt asks us not to
    │   ├── SourceCrowdedError        too many calls wait for this source already
    │   └── BudgetSpentError          what may move in a month has moved
    ├── BrowserError                  the browser could not do it
    │   ├── BrowserMissingError       there is none on this machine
    │   ├── BrowserLostError          it, its driver or its page has died
    │   ├── BrowserTimeoutError       our own deadline for a browser call passed
    │   └── PoolExhaustedError        every place is taken
    ├── PayloadError                  the bytes came and are wrong
    │   ├── MalformedPayloadError     ours, but broken
    │   │   └── SchemaBreakError      what its contract promises is missing or of another type
    │   ├── EmptyPayloadError         a good answer with nothing in it
    │   ├── MisfiledPayloadError      ours, and not what was asked for
    │   ├── ErrorAnswerError          an error, told in the body
    │   └── ForeignPayloadError       not this source's at all
    ├── StoreError                    the record could not be kept
    │   ├── StoreUnavailableError     heals when the database is back
    │   │   └── SpoolFullError        nor is there room on the local disk to wait for it
    │   ├── RecordRefusedError        what was handed in can never be kept
    │   ├── WritingOverError          this process may write no more, and ends
    │   │   ├── SyncFailedError       the disk did not take what it was given: the next process recovers
    │   │   │   ├── SpoolBrokenError  of the spool, be it a write or a sync
    │   │   │   └── DatabaseSyncError of the database's own file
    │   │   └── PlaceLostError        another one has taken over
    │   └── StoreClosedError          asked after the end
    ├── MemoryShortError              there is not enough of it
    │   ├── InsufficientMemoryError   for another scraper; the start is tried again
    │   └── OutOfMemoryError          the process has passed its hard bound
    ├── LeaseLostError                somebody else works on it by now
    ├── PushError                     what was pushed is not taken
    │   ├── PushConflictError         another content under a key that was used already
    │   └── PushesFullError           too much waits already; heals when it has been worked off
    └── IllegalTransitionError        a state machine was asked for a step it does not have

`heals` tells whether waiting alone may mend it; `kind` is the word of the documents' `error_type`.
"""

from longstop.domain.errors.asking import (
    ExtraMissingError,
    InputError,
    MatchFileError,
    MissingFileError,
    OutputError,
    PortTakenError,
    SettingsError,
    SourceNotReadyError,
    UnknownJobError,
    UnknownMatchError,
    UnknownSourceError,
)
from longstop.domain.errors.fetching import (
    BrowserError,
    BrowserLostError,
    BrowserMissingError,
    BrowserTimeoutError,
    BudgetSpentError,
    ChallengeError,
    EgressRefusedError,
    ExitFailedError,
    FetchError,
    MatchGoneError,
    OversizedBodyError,
    PoolExhaustedError,
    RobotsRefusedError,
    SentAwayError,
    SourceCrowdedError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
    TokenUnavailableError,
    UnexpectedStatusError,
    UnreadableBodyError,
)
from longstop.domain.errors.keeping import (
    DatabaseSyncError,
    InsufficientMemoryError,
    LeaseLostError,
    MemoryShortError,
    OutOfMemoryError,
    PlaceLostError,
    PushConflictError,
    PushError,
    PushesFullError,
    RecordRefusedError,
    SpoolBrokenError,
    SpoolFullError,
    StoreClosedError,
    StoreError,
    StoreUnavailableError,
    SyncFailedError,
    WritingOverError,
)
from longstop.domain.errors.reading import (
    EmptyPayloadError,
    ErrorAnswerError,
    ForeignPayloadError,
    MalformedPayloadError,
    MisfiledPayloadError,
    PayloadError,
    SchemaBreakError,
)
from longstop.domain.errors.root import (
    IllegalTransitionError,
    LongstopError,
)

__all__ = [
    "BrowserError",
    "BrowserLostError",
    "BrowserMissingError",
    "BrowserTimeoutError",
    "BudgetSpentError",
    "ChallengeError",
    "DatabaseSyncError",
    "EgressRefusedError",
    "EmptyPayloadError",
    "ErrorAnswerError",
    "ExitFailedError",
    "ExtraMissingError",
    "FetchError",
    "ForeignPayloadError",
    "IllegalTransitionError",
    "InputError",
    "InsufficientMemoryError",
    "LeaseLostError",
    "LongstopError",
    "MalformedPayloadError",
    "MatchFileError",
    "MatchGoneError",
    "MemoryShortError",
    "MisfiledPayloadError",
    "MissingFileError",
    "OutOfMemoryError",
    "OutputError",
    "OversizedBodyError",
    "PayloadError",
    "PlaceLostError",
    "PoolExhaustedError",
    "PortTakenError",
    "PushConflictError",
    "PushError",
    "PushesFullError",
    "RecordRefusedError",
    "RobotsRefusedError",
    "SchemaBreakError",
    "SentAwayError",
    "SettingsError",
    "SourceCrowdedError",
    "SourceFailingError",
    "SourceNotReadyError",
    "SourceRefusedError",
    "SourceThrottledError",
    "SourceTimeoutError",
    "SourceUnreachableError",
    "SpoolBrokenError",
    "SpoolFullError",
    "StoreClosedError",
    "StoreError",
    "StoreUnavailableError",
    "SyncFailedError",
    "TokenUnavailableError",
    "UnexpectedStatusError",
    "UnknownJobError",
    "UnknownMatchError",
    "UnknownSourceError",
    "UnreadableBodyError",
    "WritingOverError",
]
