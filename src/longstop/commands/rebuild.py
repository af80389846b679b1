"""`longstop rebuild MATCH`: derives the ledger again from the raw captures, and shows what differs from the record."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from longstop.clock import SystemClock
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.settings import Settings

if TYPE_CHECKING:
    from longstop.rebuilding import Comparison

DIFFERS = 1
UNPROVEN = 3
LINES_MAX = 40


def rebuild(
    match: Annotated[str, typer.Argument(help="Its id, for example crex_QUY.")],
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
    write: Annotated[bool, typer.Option("--write", help="Write what differs, as new revisions.")] = False,
) -> int:
    """Derive the ledger of a match again from its raw captures; exit 0 same, 1 differs, 3 not all can be proven."""
    settings = load_settings(config, overrides).settings
    before, after = asyncio.run(_rebuild(match, settings, is_written=write))
    if as_json:
        typer.echo(msgspec.json.encode(_document(before, after)).decode())
    else:
        _say(before, after)
    found = after or before
    if not found.is_same:
        return DIFFERS
    return 0 if found.is_proven else UNPROVEN


async def _rebuild(match_id: str, settings: Settings, *, is_written: bool) -> "tuple[Comparison, Comparison | None]":
    """What differs, and what still does after it was written."""
    from longstop.rebuilding import Rebuild, row_of
    from longstop.sources import registry
    from longstop.store.open import open_store

    clock = SystemClock()
    store = open_store(settings.database.url.get_secret_value(), clock=clock)
    await store.open()
    try:
        row = await row_of(store, match_id)
        job = Rebuild(registry.create(row.ref.source), store, row)
        before = await job.compare()
        if not is_written or before.is_same:
            return before, None
        await job.write(clock.now())
        return before, await job.compare()
    finally:
        with suppress(TimeoutError):
            await store.close()


def _document(before: "Comparison", after: "Comparison | None") -> dict[str, object]:
    document = msgspec.to_builtins(before)
    proven = {"is_same": before.is_same, "is_proven": before.is_proven}
    return {**proven, **document, "is_written": after is not None, "left": _left(after)}


def _left(after: "Comparison | None") -> list[object]:
    return [] if after is None else list(msgspec.to_builtins(after.differences))


def _say(before: "Comparison", after: "Comparison | None") -> None:
    from longstop.rebuilding import told

    for line in told(before, LINES_MAX):
        typer.echo(line)
    if after is not None:
        typer.echo("Written as new revisions." if after.is_same else "Written, and not all of it took:")
        for line in told(after, LINES_MAX) if not after.is_same else ():
            typer.echo(line)
