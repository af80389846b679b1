"""`longstop capture`: one football match before its kickoff, now."""

import asyncio
import ipaddress
import sys
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
import typer

from longstop.clock import SystemClock
from longstop.commands.options import ConfigFile, Overrides, load_settings
from longstop.domain.errors import InputError
from longstop.settings import Settings


def capture(
    home: Annotated[str, typer.Option(help="The home team.")],
    away: Annotated[str, typer.Option(help="The away team.")],
    kickoff: Annotated[str, typer.Option(help="Its kickoff in UTC, as 2026-05-24T18:00:00Z.")],
    match_id: Annotated[int, typer.Option(help="Your own number of the match.", min=1, max=2**63 - 1)],
    config: ConfigFile = None,
    overrides: Overrides = None,
    is_stored: Annotated[bool, typer.Option("--store/--no-store", help="Keep what was captured.")] = True,
) -> None:
    """Capture the line-ups of one football match before its kickoff, and print them normalised."""
    settings = load_settings(config, overrides).settings
    require_allowed(settings)
    asked = {"match_id": match_id, "home_team": home, "away_team": away, "kickoff_utc": moment_in(kickoff)}
    document = asyncio.run(_captured(settings, asked, is_stored=is_stored))
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


async def _captured(settings: Settings, asked: dict[str, Any], *, is_stored: bool) -> Any:
    from longstop.football import football
    from longstop.store.open import open_store

    clock = SystemClock()
    async with AsyncExitStack() as stack:
        store = None
        if is_stored:
            store = open_store(settings.database.url.get_secret_value(), clock=clock)
            await store.open()
            stack.push_async_callback(_closed, store)
        service = await stack.enter_async_context(football(settings, clock, store=store))
        return msgspec.to_builtins(await service.scrape_match(**asked))


async def _closed(store: Any) -> None:
    with suppress(TimeoutError):
        await store.close()


def moment_in(text: str) -> datetime:
    """Without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(f"{text[:40]!r} is no moment.", hint="Write it as 2026-05-24T18:00:00Z.") from None


def require_allowed(settings: Settings) -> None:
    """A source that is not switched on is asked only on this machine."""
    wanted = settings.sources.sofascore
    if not (wanted.enabled or _is_loopback(urlsplit(wanted.base_url).hostname or "")):
        raise InputError(
            "The source sofascore is off.", hint="If its terms allow it, set sources.sofascore.enabled=true."
        )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
