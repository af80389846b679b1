"""The commands that the origin adds to the command line: `longstop origin` and `longstop replay`."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
import typer

from longstop.clock import SystemClock
from longstop.commands.output import say
from longstop.domain.errors import InputError, LongstopError, MatchFileError, MissingFileError, PortTakenError
from longstop_origin.cricsheet import CricsheetError, load_cricsheet
from longstop_origin.cricsheet_reading import NotJsonError, UnreadableFileError
from longstop_origin.faults import LEVELS, FaultPlan
from longstop_origin.guards import GuardError, Guards
from longstop_origin.league.season import Season, SeasonOptions
from longstop_origin.league.site import LeagueSite
from longstop_origin.server import OriginAddressError, serve_site
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions

MATCHES_DEFAULT = 10
CLOCK = SystemClock()
ERRORS: dict[type[CricsheetError], type[InputError]] = {
    UnreadableFileError: MissingFileError,
    NotJsonError: InputError,
}
LOST = 1

Files = Annotated[
    list[Path] | None, typer.Option("--file", readable=False, help="A Cricsheet JSON file to play; again for more.")
]
Faults = Annotated[str, typer.Option("--faults", help="What goes wrong: none, mild or storm.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Same seed, same world; else a new one each time.")]
GuardWords = Annotated[
    list[str] | None, typer.Option("--guard", hidden=True, help="What the site asks of callers: name=value.")
]
Speed = Annotated[float, typer.Option("--speed", min=1, max=1000, help="How many times faster than life.")]


class OriginCommand(msgspec.Struct, frozen=True):
    """`announces` is for the process that has started us: one line of JSON, and an end when our input ends."""

    announces: bool = False

    def serve(
        self,
        host: Annotated[str, typer.Option(help="Only addresses of this machine are taken.")] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8100,
        matches: Annotated[
            int, typer.Option(min=0, max=5000, help="Invented matches, live at any time.")
        ] = MATCHES_DEFAULT,
        files: Files = None,
        speed: Speed = 1.0,
        seed: Seed = None,
        faults: Faults = "none",
        guards: GuardWords = None,
    ) -> None:
        """Serve a simulated cricket site that knows the truth."""
        require_level(faults)
        now = CLOCK.now().timestamp()
        options = WorldOptions(
            epoch=now,
            seed=int(now) if seed is None else seed,
            speed=speed,
            matches=matches,
            scripts=[load(path) for path in files or ()],
            corrections=faults,
        )
        plan = FaultPlan(faults, options.seed)
        league = LeagueSite(Season.invented(SeasonOptions(options.seed, now=now, played=20, put_off_every=9)), plan)
        site = Site(World(options), plan, read_guards(guards or ()), league)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(site, host, port, self.announces))


origin = OriginCommand().serve
announced_origin = OriginCommand(announces=True).serve


def run_alone(command: Callable[..., None]) -> None:
    """Without the rest of the command line; what goes wrong is one sentence here too."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    try:
        app()
    except LongstopError as error:
        typer.echo(f"longstop origin: {error}", err=True)
        sys.exit(error.exit_code)


async def _serve(site: Site, host: str, port: int, announces: bool) -> None:
    options = site.world.options
    server = serve_site(site, now=lambda: CLOCK.now().timestamp(), host=host, port=port)
    words = f"(seed {options.seed}, {options.speed:g} times life)"
    await serve_until_stopped(server, Place(host, port), words, announces=announces)


class Running(Protocol):
    """A site that listens."""

    @property
    def url(self) -> str: ...


class Place(msgspec.Struct, frozen=True):
    host: str
    port: int


async def serve_until_stopped(
    opened: AbstractAsyncContextManager[Running], wanted: Place, words: str, *, announces: bool
) -> None:
    """Until a signal, or the end of our input when somebody started us and hears the announcement."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        async with opened as server:
            if announces:
                _announce(server.url)
                loop.add_reader(sys.stdin.fileno(), _end_with_input, stop)
            else:
                say(f"The origin serves {server.url}/ {words}.")
            await stop.wait()
    except OriginAddressError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        where = f"{wanted.host}:{wanted.port}"
        raise PortTakenError(f"The origin cannot listen on {where}: {_reason(error)}.") from error


def _reason(error: OSError) -> str:
    """The machine's own words: asyncio puts address and port around them, which are said already."""
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error)


def _end_with_input(stop: asyncio.Event) -> None:
    """Nobody sends anything: what can be read is the end."""
    if not os.read(sys.stdin.fileno(), 1024):
        stop.set()


def _announce(url: str) -> None:
    """One line for the process that started us."""
    sys.stdout.buffer.write(msgspec.json.encode({"url": url}) + b"\n")
    sys.stdout.buffer.flush()


def replay(
    files: Annotated[list[Path], typer.Argument(readable=False, help="Cricsheet JSON files.")],
    seed: Annotated[int, typer.Option(help="Of the timing and the faults.")] = 0,
    faults: Faults = "none",
    speed: Speed = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Play real matches through the whole engine on virtual time; exit 1 when anything is lost, duplicated or wrong."""
    from longstop_origin.replay import ReplayOptions, replay_file

    require_level(faults)
    for path in files:
        load(path)
    options = ReplayOptions(seed=seed, faults=faults, speed=speed)
    reports = []
    for path in files:
        report = replay_file(path, options)
        reports.append(report)
        if not as_json:
            typer.echo(_line(report))
    if as_json:
        typer.echo(msgspec.json.encode(_summary(reports, options)))
    else:
        typer.echo(_closing(reports))
    return 0 if all(report["is_clean"] for report in reports) else LOST


def require_level(faults: str) -> None:
    if faults not in LEVELS:
        raise InputError(f"There is no fault level {faults[:20]!r}.", hint=f"Choose one of {', '.join(LEVELS)}.")


def read_guards(words: Sequence[str]) -> Guards:
    try:
        return Guards.from_words(words)
    except GuardError as error:
        problem, _, hint = str(error).partition(". ")
        raise InputError(f"{problem}.", hint=hint) from error


def load(path: Path) -> Any:
    """The sentence of the origin, as an error of the house."""
    try:
        return load_cricsheet(path)
    except CricsheetError as error:
        kind = ERRORS.get(type(error), MatchFileError)
        raise kind(f"{error.source}: {error.problem}.", hint=error.hint) from error


def _summary(reports: list[dict[str, Any]], options: Any) -> dict[str, Any]:
    return {
        "seed": options.seed,
        "faults": options.faults,
        "speed": options.speed,
        "is_clean": all(report["is_clean"] for report in reports),
        "events": _added(reports),
        "matches": reports,
    }


def _added(reports: list[dict[str, Any]]) -> dict[str, int]:
    names = ("truth", "stored", "lost", "duplicated", "unexpected", "wrong")
    return {name: sum(report["events"][name] for report in reports) for name in names}


def _line(report: dict[str, Any]) -> str:
    events = report["events"]
    counts = ", ".join(f"{events[name]} {name}" for name in ("stored", "lost", "duplicated", "unexpected", "wrong"))
    words = f"{report['file']}: {events['truth']} balls, {counts}; {report['polls']} polls"
    return "\n  ".join([words, *report["faults"]])


def _closing(reports: list[dict[str, Any]]) -> str:
    bad = [report["file"] for report in reports if not report["is_clean"]]
    if not bad:
        return f"{len(reports)} of {len(reports)} matches are whole."
    return f"{len(bad)} of {len(reports)} matches are not whole: {', '.join(bad)}."
