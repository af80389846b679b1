"""`longstop captures`: what was captured of football before kickoff: listed, shown, exported, read again."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import typer

from longstop.clock import SystemClock
from longstop.commands.capture import moment_in
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.domain.errors import ExtraMissingError, UnknownMatchError
from longstop.domain.football_record import CaptureProgress, FootballMatch

if TYPE_CHECKING:
    from longstop.jobs.captures.rereading import Reread
    from longstop.store.contract import Store

T = TypeVar("T")
STILL_BROKEN = 1
QUARANTINED_MAX = 1000
app = typer.Typer(no_args_is_help=True, help="What was captured of football before kickoff.")
AsOf = Annotated[str | None, typer.Option("--as-of", help="What was known at this moment, in UTC.")]


class Kind(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"


@app.command("list")
def list_matches(
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
    days: Annotated[int, typer.Option(help="Matches from so many days ago to so many ahead.", min=0, max=3650)] = 3,
) -> None:
    """List matches with how far their captures are."""

    async def ask(store: "Store") -> list[tuple[FootballMatch, CaptureProgress | None]]:
        now = SystemClock().now()
        begins, ends = now - timedelta(days=days), now + timedelta(days=days)
        matches = await store.football_matches(kickoff_from=begins, kickoff_until=ends, limit=100_000)
        known = {each.match_id: each for each in await store.capture_progresses(begins, ends)}
        return [(match, known.get(match.match_id)) for match in matches]

    found = _asked(config, overrides, ask)
    if as_json:
        _say([{"match": match, "captures": progress} for match, progress in found])
        return
    for match, progress in found:
        typer.echo(_line(match, progress))


@app.command()
def show(
    match_id: int, config: ConfigFile = None, overrides: Overrides = None, as_of: AsOf = None, schema: str = ""
) -> None:
    """Show every team sheet of a match that was captured before its kickoff, and what waits in quarantine."""
    moment = moment_in(as_of) if as_of else None

    async def ask(store: "Store") -> dict[str, Any]:
        match = await store.football_match(match_id)
        held = [each for each in await store.quarantined(limit=QUARANTINED_MAX) if each.match_id == match_id]
        progress = await store.capture_progress(match_id)
        if match is None and progress is None and not held:
            raise UnknownMatchError(
                f"There is no football match {match_id}.", hint="`longstop captures list` has those there are."
            )
        sheets = await store.line_ups(match_id, as_of=moment)
        told = [_sheet(sheet, schema) for sheet in sheets]
        return {"match": match, "captures": progress, "sheets": told, "quarantined": held}

    _say(_asked(config, overrides, ask))


@app.command()
def export(
    to: Annotated[Kind, typer.Option("--format", help="csv or parquet.")] = Kind.CSV,
    kickoff_from: Annotated[str | None, typer.Option("--from", help="Kickoffs from this moment on, in UTC.")] = None,
    kickoff_until: Annotated[str | None, typer.Option("--until", help="Kickoffs up to this moment, in UTC.")] = None,
    as_of: AsOf = None,
    is_whole: Annotated[bool, typer.Option("--all", help="Every sheet that said something new, not the last.")] = False,
    config: ConfigFile = None,
    overrides: Overrides = None,
) -> None:
    """Write players of line-ups to standard output, one row each, none captured at or after kickoff."""
    begins, ends, moment = (moment_in(text) if text else None for text in (kickoff_from, kickoff_until, as_of))

    async def ask(store: "Store") -> bytes:
        from longstop.jobs.captures.exports import csv_of, feature_rows, parquet_of

        rows = []
        for match in await store.football_matches(kickoff_from=begins, kickoff_until=ends, limit=1_000_000):
            rows += feature_rows(match, await store.line_ups(match.match_id, as_of=moment), moment, is_whole=is_whole)
        try:
            return csv_of(rows) if to is Kind.CSV else parquet_of(rows)
        except ImportError:
            raise ExtraMissingError(
                "Parquet cannot be written here.", hint="Install the extra `parquet`, or write csv."
            ) from None

    sys.stdout.buffer.write(_asked(config, overrides, ask))


@app.command()
def reread(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> int:
    """Read once more what broke its contract; exit 0 when nothing is left, 1 when some still breaks it."""

    async def ask(store: "Store") -> "list[Reread]":
        from longstop.jobs.captures.rereading import reread as read_again

        return await read_again(store, SystemClock().now())

    found = _asked(config, overrides, ask)
    if as_json:
        _say(found)
    else:
        for each in found:
            typer.echo(f"{each.match_id} {each.captured_at:%Y-%m-%d %H:%M:%S} {each.contract}: {each.outcome}")
    return STILL_BROKEN if any(each.outcome in ("broken", "gone") for each in found) else 0


def _sheet(sheet: Any, schema: str) -> dict[str, Any]:
    from longstop.sources.sofascore.upgrades import upgraded_sheet

    told: dict[str, Any] = msgspec.to_builtins(sheet)
    if schema:
        told["sheet"] = upgraded_sheet(told["sheet"], sheet.schema_version, schema)
        told["schema_version"] = schema
    return told


def _line(match: FootballMatch, progress: CaptureProgress | None) -> str:
    told = "not looked at yet"
    if progress is not None:
        reason = f" ({progress.reason})" if progress.reason else ""
        confirmed = "confirmed" if progress.confirmed_at else "not confirmed"
        told = f"{progress.status}{reason}, {confirmed}, {progress.attempts} attempts, {progress.bytes_in // 1024} kB"
    return f"{match.match_id}  {match.kickoff_at:%Y-%m-%d %H:%M}  {match.home_team} - {match.away_team}: {told}"


def _say(document: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def _asked(config: Any, overrides: Any, ask: "Callable[[Store], Awaitable[T]]") -> T:
    return asyncio.run(_with_store(load_settings(config, overrides).settings, ask))


async def _with_store(settings: Any, ask: "Callable[[Store], Awaitable[T]]") -> T:
    from longstop.store.open import open_store

    store = open_store(settings.database.url.get_secret_value(), clock=SystemClock())
    await store.open()
    try:
        return await ask(store)
    finally:
        with suppress(TimeoutError):
            await store.close()
