"""The bytes came and are wrong."""

from longstop.domain.errors.root import LongstopError


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
