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
    │   └── PortTakenError            somebody else listens there
    ├── OutputError                   what was found out could not be written down for whoever asked
    ├── FetchError                    the bytes did not come
    │   ├── SourceUnreachableError    no connection, or it broke
    │   │   └── UnreadableBodyError   packed in a way that we did not ask for, or broken
    │   ├── SourceTimeoutError        our own deadline passed
    │   ├── SourceFailingError        5xx
    │   ├── SourceThrottledError      429 or 503 with Retry-After
    │   ├── SourceRefusedError        401, 403
    │   │   └── TokenUnavailableError no token can be had now
    │   ├── MatchGoneError            404, 410
    │   ├── UnexpectedStatusError     any other status
    │   ├── OversizedBodyError        more bytes than we are willing to read
    │   ├── EgressRefusedError        we do not go there: host, address, port or spelling
    │   │   └── SentAwayError         the source redirected the call to such a place
    │   ├── RobotsRefusedError        the site's robots.txt asks us not to
    │   └── SourceCrowdedError        too many calls wait for this source already
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
    │   ├── SyncFailedError           the disk did not take what it was given: the process ends and recovers
    │   │   ├── SpoolBrokenError      of the spool, be it a write or a sync
    │   │   └── DatabaseSyncError     of the database's own file
    │   └── StoreClosedError          asked after the end
    ├── MemoryShortError              there is not enough of it
    │   ├── InsufficientMemoryError   for another scraper; the start is tried again
    │   └── OutOfMemoryError          the process has passed its hard bound
    ├── PushError                     what was pushed is not taken
    │   ├── PushConflictError         another content under a key that was used already
    │   └── PushesFullError           too much waits already; heals when it has been worked off
    └── IllegalTransitionError        a state machine was asked for a step it does not have

`heals` tells whether waiting alone may mend it; `kind` is the word of the documents' `error_type`.
"""

from typing import ClassVar


class LongstopError(Exception):
    """Root of the tree: a sentence that says what happened and a hint that says what to do."""

    kind: ClassVar[str] = "internal"
    heals: ClassVar[bool] = False
    exit_code: ClassVar[int] = 70
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class SettingsError(LongstopError):
    """The configuration is wrong; every fault found is in `faults`."""

    kind = "settings"
    exit_code = 78


class ExtraMissingError(SettingsError):
    """An optional part is asked for and not there; its extra installs it."""


class InputError(LongstopError):
    """What a person handed in is wrong."""

    kind = "input"
    exit_code = 65


class MissingFileError(InputError):
    exit_code = 66
    default_hint = "Check the path and its rights."


class MatchFileError(InputError):
    exit_code = 67


class UnknownSourceError(InputError):
    exit_code = 68


class SourceNotReadyError(InputError):
    default_hint = "Set what is named, restart, and ask again."
    needs: tuple[tuple[str, str], ...] = ()  # each setting that stands in the way, and what to do about it


class UnknownMatchError(InputError):
    default_hint = "The operations page and GET /health list what is watched."


class PortTakenError(InputError):
    exit_code = 69
    default_hint = "Stop the other program, or choose another port."


class OutputError(LongstopError):
    """What was found out could not be written down for whoever asked."""

    exit_code = 76
    default_hint = "Make room where it goes, then ask again."


class FetchError(LongstopError):
    """The bytes did not come. `evidence` is where the page was kept that was open meanwhile, if one was."""

    evidence: tuple[str, ...] = ()
    kind = "network"
    heals = True
    exit_code = 75


class SourceUnreachableError(FetchError):
    default_hint = "Check the network and that the source is up; the next poll tries again."


class UnreadableBodyError(SourceUnreachableError):
    default_hint = "The answer was damaged or packed strangely; the next poll tries again."


class SourceTimeoutError(FetchError):
    default_hint = "The source is slow; the next poll tries again."


class SourceFailingError(FetchError):
    default_hint = "The source itself is in trouble; the next poll tries again."


class SourceThrottledError(FetchError):
    """The source asked us to slow down; `retry_after_seconds` is its own wish."""

    default_hint = "Polling pauses as long as the source asks."

    def __init__(self, message: str, *, retry_after_seconds: float = 0.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class SourceRefusedError(FetchError):
    kind = "auth"
    default_hint = "Access was refused: renew the token, or check on what terms the source may be used."


class TokenUnavailableError(SourceRefusedError):
    """Whoever gives out tokens does not answer, or gives none; it is asked again after `retry_after_seconds`."""

    default_hint = "It is asked again by itself. Check the API key, and whether the token desk answers."

    def __init__(self, message: str, *, retry_after_seconds: float = 0.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class MatchGoneError(FetchError):
    default_hint = "The source no longer shows this match."


class UnexpectedStatusError(FetchError):
    default_hint = "Look at the address and at the source's terms."


class OversizedBodyError(FetchError):
    heals = False
    default_hint = "Raise the source's body limit only if such a size is really expected."


class EgressRefusedError(FetchError):
    """Nothing was sent. `reason` is one word of a small set, fit for a metric."""

    kind = "egress"
    heals = False
    default_hint = "If the source is meant to reach it, name the host in sources.<source>.allowed_hosts."

    def __init__(self, message: str, *, reason: str = "host", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class SentAwayError(EgressRefusedError):
    """A redirect led there: a login or consent page elsewhere, as a rule. What the source says to one way of asking it
    need not say to another."""


class RobotsRefusedError(FetchError):
    kind = "robots"
    heals = False
    default_hint = "Set sources.<source>.respect_robots to false only where its owner allowed it."


class SourceCrowdedError(FetchError):
    default_hint = "Watch fewer matches of this source, or raise its rate_limits if its terms allow it."


class BrowserError(LongstopError):
    """The browser could not do what it was asked."""

    kind = "browser"
    heals = True
    exit_code = 75


class BrowserMissingError(BrowserError):
    heals = False
    exit_code = 72
    default_hint = "Install one, on Debian with: apt-get install chromium; or set scraper.browser.executable_path."


class BrowserLostError(BrowserError):
    default_hint = "The pool replaces it; the next poll gets another."


class BrowserTimeoutError(BrowserError):
    default_hint = "A browser that stays silent is killed and replaced."


class PoolExhaustedError(BrowserError):
    default_hint = "Raise scraper.browser.pool.browsers or .contexts, or watch fewer matches by browser."


class PayloadError(LongstopError):
    """The bytes came and are wrong. `evidence` is where they were kept, if they were; `verdict` says what is wrong in
    one word of a small set."""

    evidence: tuple[str, ...] = ()
    verdict: str = "malformed"

    kind = "parsing"
    exit_code = 65


class MalformedPayloadError(PayloadError):
    heals = True
    default_hint = "If it stays, the source has changed: save a payload and read it with `longstop read`."


class SchemaBreakError(MalformedPayloadError):
    """`missing` and `wrong` are paths into the payload; `contract` is the version that it breaks."""

    verdict = "schema_break"

    def __init__(
        self,
        message: str,
        *,
        contract: str = "",
        missing: tuple[str, ...] = (),
        wrong: tuple[str, ...] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.contract = contract
        self.missing = missing
        self.wrong = wrong


class EmptyPayloadError(PayloadError):
    """The source has nothing to say yet, or no more."""

    verdict = "empty"
    heals = True
    default_hint = "The source shows nothing here now; asking later may help."


class MisfiledPayloadError(PayloadError):
    """`family` is what it really is."""

    verdict = "misfiled"
    heals = True
    default_hint = "Look at which call the answer was kept for."

    def __init__(self, message: str, *, family: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.family = family


class ErrorAnswerError(PayloadError):
    """An error that came as a body. `verdict` is challenge, not_found, refused, throttled, failing or error."""

    heals = True
    default_hint = "The source did not answer what was asked."

    def __init__(self, message: str, *, verdict: str = "error", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.verdict = verdict


class ForeignPayloadError(PayloadError):
    verdict = "foreign"
    default_hint = "The payload belongs to another source; `longstop read` lists the sources there are."


class StoreError(LongstopError):
    """The record could not be kept."""

    kind = "database"
    exit_code = 74


class StoreUnavailableError(StoreError):
    heals = True
    default_hint = "Check that the database is up; writes are repeated until they hold."


class SpoolFullError(StoreUnavailableError):
    default_hint = "Bring the database back, or raise storage.spool.max_size_mb and free some disk space."


class RecordRefusedError(StoreError):
    """The fault is in what was handed in, so waiting and repeating are in vain."""

    default_hint = "Nothing of the batch was written; see where it came from."


class SyncFailedError(StoreError):
    """After a failed sync nobody knows what is on the disk but one who reads it anew, so the process has to end."""

    exit_code = 73
    default_hint = "Look at the disk, then start again: what was acknowledged is read back from it."


class SpoolBrokenError(SyncFailedError):
    pass


class DatabaseSyncError(SyncFailedError):
    pass


class StoreClosedError(StoreError):
    default_hint = "The store was asked after it was closed."


class MemoryShortError(LongstopError):
    """There is not enough memory."""

    kind = "memory"
    exit_code = 71


class InsufficientMemoryError(MemoryShortError):
    """No scraper was started. `retry_after_seconds` is when it is tried again; None when too many wait already."""

    heals = True
    default_hint = "End other programs, watch fewer matches, or give the machine or container more memory."

    def __init__(self, message: str, *, retry_after_seconds: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class OutOfMemoryError(MemoryShortError):
    default_hint = "It ends and is to be started again; if it comes back, watch fewer matches or raise the hard limit."


class IllegalTransitionError(LongstopError):
    default_hint = "See docs/architecture.md for the steps this machine has."


class PushError(LongstopError):
    """What was pushed is not taken."""

    kind = "push"


class PushConflictError(PushError):
    default_hint = "Use a key once, for one content."


class PushesFullError(PushError):
    heals = True
    default_hint = "Push it again when Retry-After has passed; nothing of it was taken."
