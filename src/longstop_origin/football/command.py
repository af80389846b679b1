"""`longstop origin-football`: the simulated football site by itself, on loopback."""

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from longstop.domain.errors import InputError, MatchFileError, MissingFileError
from longstop_origin.commands import CLOCK, Place, serve_until_stopped
from longstop_origin.football.fixture import Fixture
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.server import serve_football
from longstop_origin.football.statsbomb import StatsBombError, load_statsbomb
from longstop_origin.football.world import FootballOptions, FootballWorld
from longstop_origin.guards import GuardError

PORT, MATCHES, DAYS, PAST_DAYS = 8200, 60, 3, 1
# A match from a file begins so long after the start, the next one a quarter of an hour later.
FILE_LEAD_SECONDS, FILE_STEP_SECONDS = 2 * 3600.0, 900.0


class FootballCommand(msgspec.Struct, frozen=True):
    """`announces` is for the process that has started us: one line of JSON, and an end when our input ends."""

    announces: bool = False

    def serve(
        self,
        host: Annotated[str, typer.Option(help="Only addresses of this machine are taken.")] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = PORT,
        matches: Annotated[int, typer.Option(min=0, max=5000, help="Invented matches, over all days.")] = MATCHES,
        days: Annotated[int, typer.Option(min=1, max=30, help="From today on.")] = DAYS,
        lead: Annotated[float, typer.Option(min=0, max=110, help="Minutes before kickoff that line-ups come.")] = 60.0,
        seed: Annotated[int | None, typer.Option("--seed", help="Same seed and day, same world.")] = None,
        statsbomb: Annotated[
            list[Path] | None,
            typer.Option(readable=False, help="A StatsBomb file, …_event.json or …_lineup.json; again for more."),
        ] = None,
        guards: Annotated[
            list[str] | None, typer.Option("--guard", help="What goes wrong, as limit=30 or schema=lineups.")
        ] = None,
    ) -> None:
        """Serve a simulated football site that knows the truth."""
        now = CLOCK.now().timestamp()
        options = FootballOptions(
            epoch=now,
            seed=int(now) if seed is None else seed,
            matches=matches,
            days=days,
            past_days=PAST_DAYS,
            lead_minutes=lead,
        )
        world = FootballWorld(options, tuple(_fixtures(statsbomb or (), now)))
        read = read_guards(guards or ())
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(world, read, Place(host, port), announces=self.announces))


origin_football = FootballCommand().serve
announced_football = FootballCommand(announces=True).serve


async def _serve(world: FootballWorld, guards: FootballGuards, wanted: Place, *, announces: bool) -> None:
    server = serve_football(
        world, now=lambda: CLOCK.now().timestamp(), host=wanted.host, port=wanted.port, guards=guards
    )
    words = f"(football, {len(world.fixtures)} matches, seed {world.options.seed})"
    await serve_until_stopped(server, wanted, words, announces=announces)


def read_guards(words: Sequence[str]) -> FootballGuards:
    try:
        return FootballGuards.from_words(words)
    except GuardError as error:
        raise InputError(str(error)) from error


def _fixtures(files: Sequence[Path], now: float) -> list[Fixture]:
    return [_load(path, now + FILE_LEAD_SECONDS + FILE_STEP_SECONDS * number) for number, path in enumerate(files)]


def _load(path: Path, kickoff: float) -> Fixture:
    """The sentence of the origin, as an error of the house."""
    try:
        return load_statsbomb(path, kickoff)
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no file {error.filename}.") from error
    except StatsBombError as error:
        raise MatchFileError(str(error)) from error
