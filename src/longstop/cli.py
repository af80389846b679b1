"""The command line: reads the words, calls the part that does it, and exits with a meaning.

| exit | meaning |
|---|---|
| 0 | done, accepted |
| 1 | done, and something was lost, duplicated or wrong |
| 2 | the words of the command are wrong |
| 3 | the payload is this source's, and is rejected |
| 4 | the payload is not this source's |
| 65 | what was handed in is wrong |
| 66 | there is no such file, or no such source |
| 69 | a port is taken |
| 70 | a fault of ours |
| 74 | the store failed |
| 75 | the source did not answer |
| 78 | the settings are wrong |
| 130 | interrupted |
"""

import os
import sys
from importlib.metadata import entry_points

import click
import orjson
import typer

from longstop.commands import config, db, doctor, read, scrape, up
from longstop.domain.errors import LongstopError

INTERRUPTED = 130

app = typer.Typer(
    name="longstop",
    help="Keeps live sports data fresh and whole.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("up")(up.up)
app.command("scrape")(scrape.scrape)
app.command("read")(read.read)
app.command("doctor")(doctor.doctor)
app.add_typer(config.app, name="config")
app.add_typer(db.app, name="db")


def main() -> None:
    """Every failure ends in one sentence on standard error, or one JSON object where a program asked for one."""
    try:
        command = build()
        status = command.main(args=sys.argv[1:], prog_name="longstop", standalone_mode=False)
    except LongstopError as error:
        sys.exit(fail(error))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(status if isinstance(status, int) else 0)


def build() -> click.Command:
    """Our own commands, and those that other packages add: the origin simulator brings `origin` and `replay`."""
    for point in sorted(entry_points(group="longstop.commands"), key=lambda point: point.name):
        app.command(point.name)(point.load())
    return typer.main.get_command(app)


def fail(error: LongstopError) -> int:
    if "--json" in sys.argv:
        said = {"error": type(error).__name__, "message": error.message, "hint": error.hint}
        sys.stderr.buffer.write(orjson.dumps(said) + b"\n")
    else:
        sys.stderr.write(f"longstop: {error}\n")
    return error.exit_code
