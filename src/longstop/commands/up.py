"""`longstop up`: engine, API, operations page and metrics in one process, until told to stop."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
import uvloop

from longstop import bootstrap, storing, switched_on
from longstop.clock import Clock, SystemClock
from longstop.commands.durations import read_duration
from longstop.commands.options import ConfigFile, Overrides, load_settings, rereading
from longstop.commands.origin_process import OriginError, OriginProcess
from longstop.commands.output import say
from longstop.domain.errors import InputError, LongstopError
from longstop.observe import report as reports
from longstop.serve.account import account_of
from longstop.settings import Loaded, Rank
from longstop.sources import registry
from longstop.supervise.machine import set_apart
from longstop.supervise.service import Stop

LOST = 1
ORIGIN_SOURCE = "crex"
ORIGIN_ROUNDS = "brasileirao"
FAULT_LEVELS = ("none", "mild", "storm")
ORIGIN_WISHES = {"--matches": 10, "--speed": 5.0, "--faults": "none"}
# Once the world stands still, a burst of faults may still keep a match from being seen for so long.
SETTLE_SECONDS_MAX = 45.0
UNSEEN_SECONDS_MAX = 10.0
LOOK_SECONDS_MIN = 1.0


class UpOptions(msgspec.Struct, frozen=True):
    with_origin: bool = False
    origin_arguments: tuple[str, ...] = ()
    seconds: float | None = None
    report: Path | None = None


def up(
    origin: Annotated[bool, typer.Option("--origin", help="Watch a simulated site, started beside us.")] = False,
    duration: Annotated[str | None, typer.Option("--for", help="Stop after this time, as 60s, 10m or 2h.")] = None,
    report: Annotated[
        Path | None, typer.Option(readable=False, help="Write what happened to this file, as JSON.")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, max=5000, show_default="10", help="Matches of the simulated site.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(min=1, max=1000, show_default="5", help="Speed of the simulated site.")
    ] = None,
    faults: Annotated[
        str | None, typer.Option(show_default="none", help="Faults of the simulated site: none, mild or storm.")
    ] = None,
    config: ConfigFile = None,
    overrides: Overrides = None,
) -> int:
    """Start Longstop and watch until stopped."""
    loaded = load_settings(config, overrides)
    options = UpOptions(
        with_origin=origin,
        origin_arguments=_origin_arguments(origin, {"--matches": matches, "--speed": speed, "--faults": faults}),
        seconds=None if duration is None else read_duration(duration),
        report=_writable(report),
    )
    logs = bootstrap.start_logs(loaded.settings, is_quiet=_is_for_a_person(loaded))
    try:
        set_apart()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(Run(loaded, options, SystemClock(), logs, rereading(loaded, overrides)).run())
    finally:
        logs.close()


def _is_for_a_person(loaded: Loaded) -> bool:
    """Somebody looks at the terminal, and has not said how the logs are wanted."""
    wishes = ("scraper.monitoring.logging.level", "scraper.monitoring.logging.structured")
    return sys.stderr.isatty() and all(loaded.origins[wish].rank is Rank.DEFAULT for wish in wishes)


def _has_terminal() -> bool:
    return any(os.isatty(number) for number in range(3))


def _origin_arguments(is_simulated: bool, wishes: dict[str, int | float | str | None]) -> tuple[str, ...]:
    """Nobody should think that a real site is given faults, or that it can be hurried."""
    given = {word: wish for word, wish in wishes.items() if wish is not None}
    if given and not is_simulated:
        raise InputError(f"{', '.join(given)}: that is for the simulated site.", hint="Add --origin, or leave it out.")
    _require_level(str(given.get("--faults", "none")))
    return ("--port", "0", *(str(part) for pair in (ORIGIN_WISHES | given).items() for part in pair))


def _require_level(faults: str) -> None:
    """The origin knows them too; but what it would say comes late, and from somebody else."""
    if faults not in FAULT_LEVELS:
        raise InputError(f"There is no fault level {faults[:20]!r}.", hint=f"Choose one of {', '.join(FAULT_LEVELS)}.")


def _writable(report: Path | None) -> Path | None:
    """A report that cannot be written should be known before the run, not after it."""
    if report is not None and not report.parent.is_dir():
        raise InputError(f"There is no folder {report.parent} for the report.", hint="Make it, or choose another.")
    if report is not None and not _can_be_written(report):
        raise InputError(f"The report cannot be written to {report}.", hint="Name a file that this user may write.")
    return report


def _can_be_written(report: Path) -> bool:
    return not report.is_dir() and os.access(report if report.exists() else report.parent, os.W_OK)


def _write(report: Path, summary: dict[str, Any]) -> None:
    """What was found out is not lost with the file: it goes to standard output then."""
    document = reports.encode(summary)
    try:
        report.write_bytes(document)
    except OSError as error:
        sys.stdout.write(document.decode())
        raise InputError(
            f"The report cannot be written to {report}: {error.strerror}.", hint="It was printed instead."
        ) from error
    say(f"The report is in {report}.")


class Run:
    """One life of the process: everything starts, somebody or something ends it, everything stops in order."""

    def __init__(
        self, loaded: Loaded, options: UpOptions, clock: Clock, logs: Any, reread: Callable[[], Loaded]
    ) -> None:
        self._loaded = loaded
        self._settings = loaded.settings
        self._reread = reread
        self._options = options
        self._clock = clock
        self._logs = logs
        self._stop = Stop(clock)
        self._origin: OriginProcess | None = None
        self._failure: LongstopError | None = None
        self._hangup = asyncio.Event()
        self._has_terminal = _has_terminal()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop.ask, number.name)
        # From the first moment on, since without a handler it would end the process.
        loop.add_signal_handler(signal.SIGHUP, self._hangup.set)
        try:
            return await self._live()
        finally:
            if self._origin is not None:
                await self._origin.stop()

    async def _live(self) -> int:
        instance = await self._build()
        addresses = await instance.start()
        self._say_where(addresses)
        began = self._clock.monotonic()
        await self._until_stopped(instance)
        try:
            accounts = await self._settle(instance)
        except LongstopError as error:
            # A site or a database that has gone is no reason to leave the rest open.
            accounts, self._failure = None, error
        late = await instance.stop(self._stop.reason)
        summary = instance.report.summary(instance.meter.summary(), self._clock.monotonic() - began)
        return await self._close(summary | {"late_services": list(late)}, accounts)

    async def _build(self) -> bootstrap.Instance:
        settings = self._settings
        if not self._options.with_origin:
            sources, rounds = switched_on.enabled_sources(settings), switched_on.enabled_rounds(settings)
            if not settings.api.push_only:
                switched_on.require_sources(sources, rounds, switched_on.enabled_captures(settings))
            store = storing.store_for(settings, self._clock)
        else:
            self._origin = OriginProcess(self._options.origin_arguments, self._clock)
            url = await self._origin.start()
            sources, rounds = (registry.create(ORIGIN_SOURCE, url),), registry.by_rounds(ORIGIN_ROUNDS, url)
            store = storing.simulated_store(settings, self._clock)
        is_simulated = self._options.with_origin
        instance = bootstrap.Instance(
            self._loaded, sources, store, self._clock, reread=self._reread, rounds=rounds, is_simulated=is_simulated
        )
        self._logs.subscribe(instance.bus)
        bootstrap.retune_logs(instance.reloader, self._logs)
        return instance

    async def _until_stopped(self, instance: bootstrap.Instance) -> None:
        """A signal, the time that was given, the origin's end, or a failure that no restart mends."""
        waits = [asyncio.create_task(self._watch_failure(instance)), asyncio.create_task(self._watch_hangup(instance))]
        if self._options.seconds is not None:
            waits.append(asyncio.create_task(self._watch_time(self._options.seconds)))
        if self._origin is not None:
            waits.append(asyncio.create_task(self._watch_origin(self._origin)))
        try:
            await self._stop.wait()
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _watch_time(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self._stop.ask(f"ran for {seconds:g} s")

    async def _watch_failure(self, instance: bootstrap.Instance) -> None:
        self._failure = await instance.failure()
        self._stop.ask("a failure that no restart mends")

    async def _watch_hangup(self, instance: bootstrap.Instance) -> None:
        """SIGHUP asks for the settings to be read again, but for a terminal that has gone it means the end."""
        while True:
            await self._hangup.wait()
            self._hangup.clear()
            if self._has_terminal and not _has_terminal():
                self._stop.ask("the terminal has gone")
                return
            await instance.reloader.reload("SIGHUP", is_asked_for=True)

    async def _watch_origin(self, origin: OriginProcess) -> None:
        code = await origin.ended()
        self._failure = OriginError(f"The origin simulator ended by itself (exit {code}).")
        self._stop.ask("the origin ended")

    async def _settle(self, instance: bootstrap.Instance) -> dict[str, Any] | None:
        """The world stands still and the last polls come in; what is kept then can be held against what is true."""
        if self._origin is None or self._options.report is None or self._failure is not None:
            return None
        say("The simulated site stands still; the last polls come in.")
        await self._origin.freeze()
        await self._see_everything_once_more(instance)
        return {
            watch.ref.key: await account_of(instance.store, watch.ref.match_id) for watch in instance.engine.watches
        }

    async def _see_everything_once_more(self, instance: bootstrap.Instance) -> None:
        """Nobody waits for the end of a break in which nothing happens any more."""
        interval = self._settings.scraper.lifecycle.polling_interval
        # What was asked for before may still be on its way; a poll's interval later it is not.
        frozen_at = self._clock.now() + timedelta(seconds=interval)
        deadline = self._clock.monotonic() + SETTLE_SECONDS_MAX
        look_at = self._clock.monotonic() + interval
        while not self._is_settled(instance, frozen_at) and self._clock.monotonic() < deadline:
            if self._clock.monotonic() >= look_at:
                look_at += max(interval, LOOK_SECONDS_MIN)
                self._hasten_unsettled(instance, frozen_at)
            await self._clock.sleep(0.25)

    def _hasten_unsettled(self, instance: bootstrap.Instance, frozen_at: datetime) -> None:
        for assignment in instance.engine.assignments():
            if not assignment.watch.is_settled_since(frozen_at):
                instance.engine.hasten(assignment.key)

    def _is_settled(self, instance: bootstrap.Instance, frozen_at: datetime) -> bool:
        """Every match was seen once more since, and nothing of it is missing. One that is over is polled rarely.

        One that was never seen is waited for too, but not for ever: the site may have lost it.
        """
        is_patient = self._clock.now() < frozen_at + timedelta(seconds=UNSEEN_SECONDS_MAX)
        watches = [each for each in instance.engine.watches if is_patient or each.captured_at is not None]
        if is_patient and not watches:
            return False
        return all(watch.is_settled_since(frozen_at) for watch in watches)

    async def _close(self, summary: dict[str, Any], accounts: dict[str, Any] | None) -> int:
        if self._failure is not None:
            raise self._failure
        if accounts is not None and self._origin is not None:
            summary |= await self._judge(accounts, self._origin)
        if self._options.report is not None:
            _write(self._options.report, summary)
        return LOST if summary.get("is_clean") is False else 0

    async def _judge(self, accounts: dict[str, Any], origin: OriginProcess) -> dict[str, Any]:
        found = await origin.compare(msgspec.json.encode(accounts))
        faults = {key: match["faults"] for key, match in found["matches"].items() if match["faults"]}
        events = found["total"]
        is_clean = not faults and not any(events[name] for name in ("lost", "duplicated", "unexpected", "wrong"))
        return {"events": events, "wrong_facts": faults, "is_clean": is_clean}

    def _say_where(self, addresses: bootstrap.Addresses) -> None:
        lines = [f"Longstop is up. Operations page: {addresses.api}/"]
        lines.append(f"  API:     {addresses.api}/cricket-data/matches   (OpenAPI: {addresses.api}/schema)")
        lines.append(f"  Health:  {addresses.api}/health")
        if addresses.metrics:
            lines.append(f"  Metrics: {addresses.metrics}")
        if self._origin is not None:
            lines.append(f"  Origin:  {self._origin.url}/ (simulated; it knows the truth)")
        lines.append(f"  Reload:  kill -HUP {os.getpid()}, or POST {addresses.api}/admin/reload with a token")
        if addresses.admin_key is not None:
            lines.append(f"  Login:   the admin key is in {addresses.admin_key} (yours alone to read)")
        lines.append("Ctrl-C stops it; the running cycle is finished first.")
        say("\n".join(lines))
