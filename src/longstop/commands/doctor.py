"""`longstop doctor`: what is installed, reachable and missing, and what to do about it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from longstop import __version__
from longstop.clock import SystemClock
from longstop.commands.checkup import configuration, disk, installation, machine, ports, services
from longstop.commands.checkup.finding import Check, Finding, State, absent, examined, secrets_in, veiled, within
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.serve.server import require_private
from longstop.settings import Loaded, Settings

# A check ends by itself sooner than this; this is for what cannot be given a deadline, as a name server.
PATIENCE_SECONDS = 8.0
UNWELL = 1

Deep = Annotated[bool, typer.Option("--deep", help="Also start the browser and see whether it draws a page.")]


def doctor(config: ConfigFile = None, overrides: Overrides = None, deep: Deep = False, as_json: AsJson = False) -> None:
    """Say what is installed, reachable and missing, and what to do. Exits with 1 when something is a problem."""
    findings = tuple(look_round(partial(load_settings, config, overrides), is_deep=deep))
    shown = as_document(findings) if as_json else as_text(findings)
    typer.echo(_printable(shown, sys.stdout.encoding))
    if any(finding.state is State.PROBLEM for finding in findings):
        raise typer.Exit(UNWELL)


def look_round(read: Callable[[], Loaded], *, is_deep: bool) -> Iterator[Finding]:
    """Every check in its order, the same names each time."""
    loaded, verdict = configuration.settings(read)
    settings = loaded.settings if loaded else None
    yield from (examined(name, check) for name, check in _of_the_machine(settings, is_deep=is_deep))
    yield verdict
    secrets = secrets_in(settings) if settings else frozenset()
    for name, check in _of_the_settings(settings or Settings()):
        if settings is None:
            yield absent(name, "not looked at, since the settings cannot be used")
        else:
            yield veiled(within(PATIENCE_SECONDS, name, check), secrets)


def _of_the_machine(settings: Settings | None, *, is_deep: bool) -> Iterator[tuple[str, Check]]:
    needed = installation.needs(settings)
    scraper = (settings or Settings()).scraper
    yield "python", installation.python
    yield "longstop", installation.longstop
    yield "sqlite", installation.sqlite
    for part in installation.EXTRAS:
        yield f"extra {part.name}", partial(installation.extra, part, needed.get(part.name, ""))
    yield "chromium", partial(installation.chromium, scraper.browser.executable_path, is_tried=is_deep)
    yield "commands", installation.commands
    yield "memory", partial(machine.memory, scraper.resources.memory.min_available_mb)
    yield "cores", machine.cores
    yield "open files", machine.open_files
    yield "clock", partial(machine.clock, SystemClock().now(), _installed_at())
    yield "encoding", machine.encoding


def _of_the_settings(settings: Settings) -> Iterator[tuple[str, Check]]:
    api, metrics = settings.api, settings.scraper.monitoring.prometheus
    yield "sources", partial(configuration.sources, settings)
    yield "storage", partial(disk.storage, settings.storage.root)
    yield "disk", partial(disk.disk, settings.storage.root)
    yield "database", partial(services.database, settings.database.url.get_secret_value())
    yield "port api", partial(_api_port, api.host, api.port)
    if metrics.enabled:
        yield "port metrics", partial(ports.port, "port metrics", metrics.host, metrics.port)
    else:
        yield "port metrics", partial(absent, "port metrics", "metrics are switched off")
    yield "redis", partial(services.redis, settings.redis.url.get_secret_value())
    yield "broker", partial(services.broker, settings.jobs.broker_url.get_secret_value())


def _api_port(host: str, number: int) -> Finding:
    require_private(host, allow_public=False)
    return ports.port("port api", host, number)


def _installed_at() -> datetime:
    """The clock was not before this when our files were written."""
    return datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)


def as_document(findings: Sequence[Finding]) -> str:
    counts = {state.value: sum(finding.state is state for finding in findings) for state in State}
    document: dict[str, Any] = {
        "version": __version__,
        "is_well": not counts[State.PROBLEM.value],
        "counts": counts,
        "findings": [
            {"name": each.name, "state": each.state.value, "said": _clean(each.said), "hint": _clean(each.hint)}
            for each in findings
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def as_text(findings: Sequence[Finding]) -> str:
    wide_state = max(len(state.value) for state in State)
    wide_name = max((len(finding.name) for finding in findings), default=0)
    margin = " " * (wide_state + wide_name + 4)
    lines = []
    for each in findings:
        said = each.said.replace("\n", f"\n{margin}")
        lines.append(f"{each.state.value:<{wide_state}}  {each.name:<{wide_name}}  {said}")
        if each.hint:
            lines.append(f"{margin}{each.hint}")
    return "\n".join([*lines, "", _summed_up(findings)])


def _summed_up(findings: Sequence[Finding]) -> str:
    counts = {state: sum(finding.state is state for finding in findings) for state in State}
    words = [
        _counted(counts[State.PROBLEM], "problem"),
        _counted(counts[State.WARNING], "warning"),
        f"{counts[State.ABSENT]} absent",
        f"{counts[State.OK]} ok",
    ]
    return f"{', '.join(words)}."


def _counted(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def _printable(shown: str, encoding: str | None) -> str:
    """A terminal that knows fewer letters gets the others escaped, not an error."""
    used = encoding or "utf-8"
    return shown.encode(used, "backslashreplace").decode(used)


def _clean(said: str) -> str:
    """File names may hold bytes that are no text."""
    return said.encode("utf-8", "backslashreplace").decode()
