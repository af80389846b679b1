"""`longstop scrape URL`: one match, once, whole. Nothing is stored."""

import asyncio
import ipaddress
import sys
import uuid
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
import typer

from longstop.clock import SystemClock
from longstop.commands.options import ConfigFile, Overrides, load_settings
from longstop.domain.errors import InputError
from longstop.domain.match import MatchListing, MatchRef, MatchStatus, Names
from longstop.fetch.http import HttpFetcher
from longstop.observe.signals import Signals
from longstop.pipeline import Outcome, Pipeline
from longstop.serve.unified import unified
from longstop.settings import Settings
from longstop.sources import registry
from longstop.sources.contract import Source
from longstop.store.sqlite import SqliteStore
from longstop.watch import Watch

POLLS_MAX = 20


def scrape(
    url: Annotated[str, typer.Argument(help="The page of a match.")],
    config: ConfigFile = None,
    overrides: Overrides = None,
    balls: Annotated[bool, typer.Option("--balls/--no-balls", help="Print every ball of the match.")] = True,
) -> None:
    """Scrape one match once and print it normalised."""
    from longstop.approach_options import http_limits
    from longstop.supervise.engine_settings import ledger_limits

    settings = load_settings(config, overrides).settings
    source, ref = find_source(url, settings)
    job = _Scrape(source, ref, HttpFetcher(SystemClock(), http_limits(settings)), ledger_limits(settings))
    document = asyncio.run(job.run(balls))
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def find_source(url: str, settings: Settings) -> tuple[Source, MatchRef]:
    """The source that knows this address. One that is not switched on is asked only on this machine."""
    site = _site_of(url)
    for name in registry.names():
        try:
            ref = registry.create(name, site).match_for_url(url)
        except InputError:
            continue
        if not (getattr(settings.sources, name).enabled or _is_loopback(urlsplit(url).hostname or "")):
            raise InputError(
                f"The source {name} is off.", hint=f"If its terms allow it, set sources.{name}.enabled=true."
            )
        wanted = getattr(settings.sources, name).base_url
        return registry.create(name, wanted if not _is_loopback(urlsplit(url).hostname or "") else site), ref
    raise InputError(f"{url[:120]!r} is a match page of no source.", hint=f"Known are: {', '.join(registry.names())}.")


def _site_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Scrape:
    def __init__(self, source: Source, ref: MatchRef, fetcher: HttpFetcher, limits: Any) -> None:
        self._clock = SystemClock()
        self._source = source
        self._fetcher = fetcher
        self._store = SqliteStore(None, clock=self._clock)
        self._pipeline = Pipeline(source, fetcher, self._store, self._clock, Signals())
        listing = MatchListing(ref, ref.key, ("", ""), MatchStatus.LIVE)
        self._watch = Watch(listing, str(uuid.uuid4()), self._clock.now(), limits)

    async def run(self, with_balls: bool) -> dict[str, Any]:
        await self._store.open()
        try:
            await self._until_whole()
            return await self._tell(with_balls)
        finally:
            await self._fetcher.close()
            await self._store.close()

    async def _until_whole(self) -> None:
        """Each poll reads some of the overs before; a long match takes a few."""
        for _ in range(POLLS_MAX):
            outcome = await self._pipeline.poll(self._watch)
            self._require_success(outcome)
            if self._watch.ledger.is_whole:
                return

    def _require_success(self, outcome: Outcome) -> None:
        if outcome.error is not None:
            raise outcome.error
        if outcome.reasons:
            raise InputError(
                f"What the source shows is not believed: {'; '.join(outcome.reasons)}.",
                hint="Try again in a moment; if it stays, save the payload and use `longstop read`.",
            )

    async def _tell(self, with_balls: bool) -> dict[str, Any]:
        observation = self._watch.accepted
        assert observation is not None
        records = await self._store.deliveries(self._watch.ref.match_id)
        document = unified(observation, await self._names())
        document["is_whole"] = self._watch.ledger.is_whole
        document["balls"] = len(records)
        if with_balls:
            document["deliveries"] = [record.delivery for record in records]
        return document

    async def _names(self) -> Names:
        codes = self._watch.codes
        players = sorted(codes.players)[: self._source.manifest.names_per_call - len(codes.teams)]
        snapshot = await self._fetcher.fetch(self._source.names_for(players, sorted(codes.teams)))
        return self._source.parse_names(snapshot)
