"""What routes take and how it is checked, told once for all of them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import PathParameter, QueryParameter, SkipValidation

from longstop.domain.errors import InputError
from longstop.domain.match import require_safe_key
from longstop.serve.problems import MEDIA_TYPE, Problem, bad_parameter
from longstop.serve.reading import ReadModel
from longstop.store.contract import FeedCursor

_REST_OF_MILLISECOND: Final = timedelta(microseconds=999)
CURSOR_MAX: Final = 2**53
# Told in the document; what breaks it is refused with words of our own.
FEED_CURSOR: Final = {"pattern": r"^[0-9]{1,18}(\.[0-9]{1,18})?$"}

Model = NamedDependency[SkipValidation[ReadModel]]
MatchId = Annotated[str, PathParameter(description="As /cricket-data/matches has it, as in crex_QUY.", max_length=129)]
AsOf = Annotated[
    str | None,
    QueryParameter(
        max_length=40, description="What was known at this moment, by its capture: ISO 8601, 2025-11-12T10:30:00Z."
    ),
]


def problems(*rows: tuple[int, str]) -> dict[int, ResponseSpec]:
    """The errors of a route, for the document."""
    return {
        status: ResponseSpec(Problem, generate_examples=False, description=words, media_type=MEDIA_TYPE)
        for status, words in rows
    }


READING: Final = ((400, "A parameter is wrong."), (406, "Only JSON."), (503, "The database does not answer."))
ERRORS: Final = problems(*READING)
ERRORS_OF_CURSORS: Final = problems((410, "The cursor is of another record."))
ERRORS_OF_ONE: Final = problems(*READING, (404, "No such match."))


def require_key(parameter: str, value: str) -> None:
    """A match id is a source and a key of that source, each of them harmless."""
    for part in value.split("_", 1) if parameter == "match_id" else (value,):
        try:
            require_safe_key(part)
        except InputError as error:
            raise bad_parameter(parameter, error.hint) from None


def moment_of(parameter: str, text: str | None) -> datetime | None:
    """A `+` that was not encoded arrives as a space; what was meant is beyond doubt. Without a zone it is UTC. Moments
    are told to the millisecond, and a whole one means all of it, so that what was told at a moment is known then."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.strip().replace(" ", "+") if "T" in text else text.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment if moment.microsecond % 1000 else moment + _REST_OF_MILLISECOND
    except (ValueError, OverflowError):
        raise bad_parameter(parameter, "must be a moment in ISO 8601, for example 2025-11-12T10:30:00Z.") from None


def seq_of(parameter: str, text: str) -> int:
    """A cursor in the events of one match."""
    if text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= CURSOR_MAX:
        return int(text)
    raise bad_parameter(parameter, "must be a cursor that was given before: a whole number.")


def feed_cursor_of(parameter: str, text: str) -> FeedCursor:
    """A cursor in the events of all matches; `0` is before all of them."""
    transaction, _, position = text.partition(".")
    parts = [transaction, position or "0"]
    if all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
        return FeedCursor(*map(int, parts))
    raise bad_parameter(parameter, "must be a cursor that was given before, or 0 for the beginning.")
