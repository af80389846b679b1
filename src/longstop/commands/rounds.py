"""`longstop rounds`: bring a round, see what became of it, try again what failed."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import typer

from longstop.clock import SystemClock
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.commands.output import say
from longstop.domain.errors import InputError
from longstop.domain.rounds import JobState, RoundRef, Summary

if TYPE_CHECKING:
    from longstop.jobs.rounds.desk import JobView
    from longstop.rounding import RoundsRoom
    from longstop.settings import Settings

T = TypeVar("T")

FAILED = 1
BAR_WIDTH = 30
LOOK_SECONDS = 0.2
LINE_SECONDS = 5.0
app = typer.Typer(help="Brings rounds of a competition, whole or as dead letters.", no_args_is_help=True)

Competition = Annotated[str, typer.Argument(help="As its source calls it, for example serie-a.")]
Season = Annotated[int, typer.Argument(help="Its year.")]
Rounds = Annotated[str, typer.Argument(help="One round, or several: 14, or 1..38.")]
JobId = Annotated[str, typer.Argument(help="As `longstop rounds list` shows it.")]


@app.command("scrape")
def scrape(
    competition: Competition,
    season: Season,
    rounds: Rounds,
    recheck: Annotated[bool, typer.Option("--recheck", help="Ask for finished matches too.")] = False,
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> int:
    """Bring rounds and wait until nothing is left to do; exit 1 when there are dead letters."""
    numbers = read_rounds(rounds)

    async def work(room: "RoundsRoom") -> "list[JobView]":
        asked = [
            (await room.desk.ask(RoundRef(room.source.manifest.name, competition, season, number), is_recheck=recheck))[
                0
            ]
            for number in numbers
        ]
        return await _drained(room, [view.job.job_id for view in asked], is_shown=not as_json)

    return _tell(_run(config, overrides, work), as_json=as_json)


@app.command("list")
def list_jobs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 20,
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """The jobs, the newest first."""
    _tell(_run(config, overrides, lambda room: room.desk.views(limit=limit)), as_json=as_json)


@app.command("show")
def show(job_id: JobId, config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Every match of a job."""
    tasks = _run(config, overrides, lambda room: room.desk.tasks(job_id))
    if as_json:
        typer.echo(msgspec.json.encode(tasks).decode())
        return
    for task in tasks:
        told = task.outcome.value if task.outcome else (task.error.message if task.error else "")
        typer.echo(f"{task.state.value:8} {task.key:>12}  {task.title:40} attempt {task.attempt}  {told}")


@app.command("dead")
def dead(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Matches that failed for good, with why and where the evidence lies."""
    letters = _run(config, overrides, lambda room: room.desk.dead_letters(limit=1000))
    if as_json:
        typer.echo(msgspec.json.encode(letters).decode())
        return
    for task in letters:
        error = task.error
        typer.echo(f"{task.job_id}  {task.key:>12}  {task.title}")
        if error is not None:
            typer.echo(f"    {error.message} {error.hint}")
        for place in task.evidence:
            typer.echo(f"    evidence: {place}")


@app.command("retry-failed")
def retry_failed(
    job_id: Annotated[str, typer.Argument(help="Of this job only; all when it is left out.")] = "",
    matches: Annotated[list[str] | None, typer.Option("--match", help="Only this match; again for more.")] = None,
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> int:
    """Try dead letters again, and wait until nothing is left to do; exit 1 when some failed again."""

    async def work(room: "RoundsRoom") -> "list[JobView]":
        filters = {"job_id": job_id} if job_id else {}
        revived = await room.desk.retry_failed(tuple(matches or ()), **filters)
        return await _drained(room, list(revived), is_shown=not as_json)

    return _tell(_run(config, overrides, work), as_json=as_json)


@app.command("reread")
def reread(
    job_id: JobId,
    matches: Annotated[list[str] | None, typer.Option("--match", help="Only this match; again for more.")] = None,
    config: ConfigFile = None,
    overrides: Overrides = None,
) -> None:
    """Read dead letters of a job again from their stored payloads, after a fix; nothing is fetched."""

    async def work(room: "RoundsRoom") -> list[str]:
        job = (await room.desk.view(job_id)).job
        letters = await room.desk.dead_letters(job_id=job_id, limit=1000)
        wanted = [task.key for task in letters if not matches or task.key in matches]
        return [f"{key}: {await room.work.reread(job, key)}" for key in wanted]

    for line in _run(config, overrides, work):
        typer.echo(line)


@app.command("cancel")
def cancel(job_id: JobId, config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Begin nothing more of a job."""

    async def work(room: "RoundsRoom") -> "list[JobView]":
        return [await room.desk.cancel(job_id)]

    _tell(_run(config, overrides, work), as_json=as_json)


def read_rounds(text: str) -> range:
    first, dots, last = text.partition("..")
    if not (first.isascii() and first.isdigit() and (not dots or (last.isascii() and last.isdigit()))):
        raise InputError(f"{text[:20]!r} is no round.", hint="Give one, as 14, or several, as 1..38.")
    numbers = range(int(first), int(last or first) + 1)
    if not numbers or len(numbers) > 200:
        raise InputError(f"{text[:20]} is no round, and no 200 of them.", hint="Give one, as 14, or several, as 1..38.")
    return numbers


def _run(config: Any, overrides: Any, work: "Callable[[RoundsRoom], Awaitable[T]]") -> T:
    settings = load_settings(config, overrides).settings

    async def run() -> T:
        async with _room(settings) as room:
            return await work(room)

    return asyncio.run(run())


@asynccontextmanager
async def _room(settings: "Settings") -> "AsyncIterator[RoundsRoom]":
    from longstop import storing
    from longstop.observe.signals import Signals
    from longstop.rounding import open_rounds
    from longstop.switched_on import enabled_rounds

    source = enabled_rounds(settings)
    if source is None:
        raise InputError(
            "No source of rounds is switched on.",
            hint="Set sources.brasileirao.enabled=true where you may use it; `longstop up --origin` simulates some.",
        )
    clock = SystemClock()
    store = storing.store_for(settings, clock)
    await store.open()
    room = open_rounds(source, settings, store, clock, Signals())
    try:
        yield room
    finally:
        await room.close()
        with suppress(TimeoutError):
            await store.close()


async def _drained(room: "RoundsRoom", job_ids: Sequence[str], *, is_shown: bool) -> "list[JobView]":
    """Works until these jobs are settled, and shows how far they are."""
    from longstop.supervise.service import Stop

    stop = Stop(SystemClock())
    running = asyncio.create_task(room.runner.run(stop))
    shown = Shown(is_shown)
    try:
        while True:
            views = [await room.desk.view(job_id) for job_id in job_ids]
            shown.show(views)
            if all(view.job.state.is_settled for view in views) or running.done():
                return views
            await SystemClock().sleep(LOOK_SECONDS)
    finally:
        stop.ask("done")
        await running


class Shown:
    """A bar on a terminal, lines elsewhere."""

    def __init__(self, is_wanted: bool) -> None:
        self._is_wanted = is_wanted
        self._has_bar = sys.stderr.isatty()
        self._clock = SystemClock()
        self._said_at = float("-inf")

    def show(self, views: "Sequence[JobView]") -> None:
        if not self._is_wanted:
            return
        whole = _sum([view.summary for view in views])
        is_over = all(view.job.state.is_settled for view in views)
        if self._has_bar:
            sys.stderr.write(f"\r{bar(whole)}" + ("\n" if is_over else ""))
            sys.stderr.flush()
        elif is_over or self._clock.monotonic() - self._said_at >= LINE_SECONDS:
            self._said_at = self._clock.monotonic()
            sys.stderr.write(bar(whole) + "\n")


def bar(summary: Summary) -> str:
    share = summary.done / summary.all if summary.all else 0.0
    filled = "#" * int(BAR_WIDTH * share)
    return (
        f"[{filled:<{BAR_WIDTH}}] {summary.done} of {summary.all} done, "
        f"{summary.failed} failed, {summary.running} running, {summary.pending} pending"
    )


def _sum(summaries: Sequence[Summary]) -> Summary:
    names = ("all", "done", "failed", "pending", "running")
    return Summary(**{name: sum(getattr(each, name) for each in summaries) for name in names})


def _tell(views: "list[JobView]", *, as_json: bool) -> int:
    if as_json:
        typer.echo(msgspec.json.encode(views).decode())
    for view in views if not as_json else ():
        error = f"  {view.job.error.message}" if view.job.error else ""
        say(f"{view.job.job_id}  {view.job.ref!s:28} {view.job.state.value:9} {bar(view.summary)}{error}")
    return FAILED if any(view.job.state is JobState.FAILED for view in views) else 0
