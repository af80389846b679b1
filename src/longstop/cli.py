"""The command line: reads the words, calls the part that does it, and exits with a meaning.

| exit | meaning |
|---|---|
| 0 | done, accepted |
| 1 | done, and something was lost, duplicated or wrong |
| 2 | the words of the command are wrong |
| 3 | the payload is this source's, and is rejected |
| 4 | the payload is not this source's |
| 65 | what was handed in is wrong: no JSON, no duration, no source switched on … |
| 66 | there is no such file, or it may not be read |
| 67 | a match file that is none, or not a whole one |
| 68 | there is no such source |
| 69 | a port is taken |
| 70 | a fault of ours |
| 71 | memory ran out |
| 72 | no browser was found |
| 73 | the local disk failed the spool or the database: look at the disk, start again |
| 74 | the store failed |
| 75 | the source did not answer |
| 76 | standard output cannot be written: what was found out is lost |
| 77 | another Longstop has taken over while this one stood still |
| 78 | the settings are wrong |
| 81 | the event loop stood still for too long: start it again |
| 130 | interrupted |
| 141 | whoever read the output has gone, as after `| head` |
"""

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, cast

import orjson
import typer

from longstop import __version__
from longstop.commands import (
    access,
    capture,
    captures,
    config,
    db,
    doctor,
    keys,
    read,
    rebuild,
    rounds,
    scrape,
    up,
    worker,
)
from longstop.commands.output import ReaderGoneError, guard_output
from longstop.domain.errors import LongstopError

READER_GONE = 141


def exit_with(status: object, **_: object) -> None:
    """A command that has something to say by its exit returns the number."""
    raise typer.Exit(status if isinstance(status, int) else 0)


app = typer.Typer(
    name="longstop",
    help="Keeps live sports data fresh and whole.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    result_callback=exit_with,
)


def say_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"longstop {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=say_version, is_eager=True, help="Say which one this is.")]


@app.callback()
def answer(version: Version = False) -> None:
    """Keeps live sports data fresh and whole."""


app.command("up")(up.up)
app.command("worker")(worker.worker)
app.command("scrape")(scrape.scrape)
app.command("read")(read.read)
app.command("rebuild")(rebuild.rebuild)
app.command("capture")(capture.capture)
app.add_typer(captures.app, name="captures")
app.command("doctor")(doctor.doctor)
app.add_typer(config.app, name="config")
app.command("access")(access.access)
app.add_typer(db.app, name="db")
app.add_typer(keys.app, name="keys")
app.add_typer(rounds.app, name="rounds")


def main() -> None:
    """Every failure ends in one sentence on standard error, or one JSON object where a program asked for one."""
    add_foreign_commands()
    guard_output()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except LongstopError as error:
        sys.exit(fail(error))
    except ReaderGoneError:
        sys.exit(READER_GONE)


def add_foreign_commands() -> None:
    """Commands that other packages bring: the origin simulator has `origin` and `replay`."""
    for point in sorted(entry_points(group="longstop.commands"), key=lambda point: point.name):
        app.command(point.name)(_loaded(point))


def _loaded(point: EntryPoint) -> Callable[..., object]:
    """One package that is broken costs its own commands, not ours."""
    try:
        return cast("Callable[..., object]", point.load())
    except (ImportError, AttributeError) as error:
        return _broken(point.name, error)


def _broken(name: str, error: Exception) -> Callable[[], None]:
    def command() -> None:
        """Cannot be loaded."""
        raise LongstopError(
            f"The command {name} cannot be loaded: {error}.", hint="Install again the package that brings it."
        )

    return command


def fail(error: LongstopError) -> int:
    if "--json" in sys.argv:
        said = {"error": type(error).__name__, "message": error.message, "hint": error.hint}
        sys.stderr.buffer.write(orjson.dumps(said) + b"\n")
    else:
        sys.stderr.write(f"longstop: {error}\n")
    return error.exit_code
