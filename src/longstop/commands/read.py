"""`longstop read SOURCE FILE`: what does a saved payload say, and would it be believed? No network, no store."""

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from longstop.check import football, plausibility
from longstop.check.verdict import Verdict
from longstop.clock import SystemClock
from longstop.domain.errors import (
    ForeignPayloadError,
    InputError,
    MisfiledPayloadError,
    MissingFileError,
    PayloadError,
    SchemaBreakError,
)
from longstop.domain.match import Names
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.serve.unified import unified
from longstop.sources import registry
from longstop.sources.contract import Reader, Reading

REJECTED = 3
FOREIGN = 4
FILE_BYTES_MAX = 32 * 1024 * 1024
NOBODY = Names()


def read(
    source: Annotated[str, typer.Argument(help="Whose payload it is, for example crex.")],
    file: Annotated[Path, typer.Argument(readable=False, help="The saved payload; - reads standard input.")],
    names: Annotated[
        Path | None, typer.Option("--names", readable=False, help="A saved name map of the same source.")
    ] = None,
) -> int:
    """Read a saved payload and print it normalised; exit 0 accepted, 3 rejected, 4 not this source's."""
    vendor = registry.reader(source)
    snapshot = _snapshot(source, file)
    known = _known_names(vendor, source, names)
    try:
        reading = vendor.read(snapshot)
    except PayloadError as error:
        return _refuse(source, error)
    verdict = judge(reading)
    about = {"source": source, "kind": reading.kind, **_told_besides(reading)}
    if not verdict.is_accepted:
        _print({"accepted": False, "verdict": "held", **about, "reasons": verdict.reasons})
        return REJECTED
    _print({"accepted": True, "verdict": "accepted", **about, **normalised(reading, known)})
    return 0


def judge(reading: Reading) -> Verdict:
    """The same checks that a live payload has to pass."""
    if reading.football is not None:
        return football.judge(reading.football)
    if reading.observation is not None:
        return plausibility.judge(reading.observation)
    if reading.innings:
        return plausibility.judge_innings(reading.innings)
    return plausibility.judge_overs(reading.overs)


def normalised(reading: Reading, known: Names) -> dict[str, Any]:
    if reading.observation is not None:
        return unified(reading.observation, known)
    if reading.football is not None:
        return _football(reading)
    parts = {
        "matches": reading.listings,
        "overs": reading.overs,
        "innings": reading.innings,
        "names": reading.names,
        **(reading.digest or {}),
    }
    return {name: part for name, part in parts.items() if part}


def _football(reading: Reading) -> dict[str, Any]:
    """A list shows the matches that are believed, and beside them which are not, and why."""
    told = reading.football
    if told is None:
        return {}
    if told.events is None:
        parts = {
            "match": told.event,
            "incidents": told.incidents,
            "lineups": told.lineups,
            "statistics": told.statistics,
        }
        return {name: part for name, part in parts.items() if part is not None}
    held = football.held_rows(told)
    keys = {row.key for row in held}
    believed = [event for event in told.events if event.key not in keys]
    return {"matches": believed, **({"held": held} if held else {})}


def _told_besides(reading: Reading) -> dict[str, Any]:
    besides = {"schema": reading.schema, "notes": reading.notes}
    return {name: part for name, part in besides.items() if part}


def _known_names(vendor: Reader, source: str, file: Path | None) -> Names:
    if file is None:
        return NOBODY
    hint = "Give a saved answer of the same source that maps codes to names, or leave it out."
    try:
        found = vendor.read(_snapshot(source, file))
    except PayloadError as error:
        raise InputError(f"{file} is no name map of {source}: {error.message}", hint=hint) from error
    if found.names is None:
        raise InputError(f"{file} is no name map of {source}, but of the kind {found.kind}.", hint=hint)
    return found.names


def _snapshot(source: str, file: Path) -> Snapshot:
    body = _load(file)
    now = SystemClock().now()
    return Snapshot(FetchRequest(source, str(file), "read"), 200, body, now, now, rung="file")


def _load(file: Path) -> bytes:
    try:
        if str(file) == "-":
            body = sys.stdin.buffer.read(FILE_BYTES_MAX + 1)
        else:
            with file.open("rb") as stream:
                body = stream.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no file {file}.") from error
    except (OSError, ValueError) as error:
        raise MissingFileError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if len(body) > FILE_BYTES_MAX:
        raise InputError(f"{file} is larger than {FILE_BYTES_MAX >> 20} MiB.", hint="No payload of a source is.")
    return body


def _refuse(source: str, error: PayloadError) -> int:
    """What is wrong in one word, and all that is known of it."""
    about: dict[str, Any] = {"kind": error.family if isinstance(error, MisfiledPayloadError) else None}
    if isinstance(error, SchemaBreakError) and error.contract:
        about |= {"schema": error.contract, "missing": error.missing, "wrong": error.wrong}
    _print({"accepted": False, "verdict": error.verdict, "source": source, **about, "reasons": (error.message,)})
    return FOREIGN if isinstance(error, ForeignPayloadError) else REJECTED


def _print(document: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    sys.stdout.buffer.flush()
