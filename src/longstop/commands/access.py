"""`longstop access`: who asked the API for what, by consumer and day."""

import asyncio
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import orjson
import typer

from longstop.clock import Clock, SystemClock
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.domain.access import AccessEntry, require_consumer
from longstop.domain.errors import InputError
from longstop.settings import Settings

if TYPE_CHECKING:
    from longstop.store.entry.log_rows import AccessDay

ENTRIES_MAX = 100_000


def access(
    consumer: Annotated[str | None, typer.Option(help="Only this one's.")] = None,
    day: Annotated[str | None, typer.Option(help="As 2026-01-31, in UTC; else today.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=ENTRIES_MAX, help="At most this many, the newest first.")] = 100,
    summary: Annotated[bool, typer.Option("--summary", help="One line an endpoint; needs --consumer.")] = False,
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show who asked the API for what on one day."""
    clock = SystemClock()
    wanted = _day(day, clock.now())
    who = None if consumer is None else require_consumer(consumer)
    if summary and who is None:
        raise InputError("A summary is of one consumer.", hint="Add --consumer.")
    settings = load_settings(config, overrides).settings
    facts, lines = asyncio.run(_looked_up(settings, clock, wanted, who, limit, is_summary=summary))
    typer.echo(orjson.dumps(facts).decode() if as_json else "\n".join(lines) or "Nobody asked.")


async def _looked_up(
    settings: Settings, clock: Clock, wanted: date, who: str | None, limit: int, *, is_summary: bool
) -> tuple[dict[str, Any], list[str]]:
    from longstop.serve.entry.hall import store_of

    store = store_of(settings, clock)
    try:
        if is_summary and who is not None:
            days = await store.day(wanted, who)
            told = [msgspec.structs.asdict(each) for each in days]
            return {"consumer": who, "day": wanted.isoformat(), "endpoints": told}, list(map(_summed, days))
        entries = await store.entries(wanted, consumer=who, limit=limit)
        return {"day": wanted.isoformat(), "entries": [_plain(each) for each in entries]}, list(map(_line, entries))
    finally:
        await store.close()


def _day(text: str | None, now: datetime) -> date:
    try:
        return now.date() if text is None else date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is no day.", hint="Write it as 2026-01-31.") from None


def _plain(entry: AccessEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in AccessEntry.__struct_fields__[1:]} | {"at": entry.at.isoformat()}


def _line(entry: AccessEntry) -> str:
    age = "" if entry.data_age_seconds is None else f"  data {entry.data_age_seconds:.0f} s old"
    asked = f"{entry.method} {entry.endpoint}"
    return f"{entry.at:%H:%M:%S}  {entry.consumer}  {asked}  {entry.status}  {entry.duration_ms:.1f} ms{age}"


def _summed(day: "AccessDay") -> str:
    return (
        f"{day.requests:>8}  {day.endpoint}  refused {day.refused}  failed {day.failed}  "
        f"mean {day.duration_ms_mean:.1f} ms  longest {day.duration_ms_max:.1f} ms"
    )
