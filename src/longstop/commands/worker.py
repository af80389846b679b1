"""`longstop worker`: works off rounds that somebody asks another Longstop for, by way of a broker."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longstop.clock import SystemClock
from longstop.commands.options import ConfigFile, Overrides, load_settings
from longstop.domain.errors import ExtraMissingError, InputError, SettingsError

if TYPE_CHECKING:
    from longstop.settings import Settings
    from longstop.sources.contract import RoundSource

MARK = "mark"


def worker(
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, max=64, show_default="jobs.concurrency", help="Processes, each at one match at a time."),
    ] = None,
    beat: Annotated[
        bool, typer.Option("--beat", help="Also send what is due. One worker with it is enough; more do no harm.")
    ] = False,
    child: Annotated[Path | None, typer.Option("--child", hidden=True, readable=False)] = None,
    config: ConfigFile = None,
    overrides: Overrides = None,
) -> int:
    """Work off rounds that are asked for elsewhere, until stopped. Needs a broker and PostgreSQL."""
    settings = load_settings(config, overrides).settings
    source = _require_ready(settings)
    processes = concurrency or settings.jobs.concurrency
    if child is None:
        return _keep(settings)
    return _work(settings, source, child, processes, has_beat=beat)


def _require_ready(settings: "Settings") -> "RoundSource":
    from longstop.switched_on import enabled_rounds
    from longstop.working import require_shared

    if not settings.jobs.broker_url.get_secret_value():
        raise SettingsError(
            "A worker needs a broker, and jobs.broker_url is empty.",
            hint="Set it to a redis:// or amqp:// address; without one `longstop up` brings rounds by itself.",
        )
    require_shared(settings)
    try:
        import_module("celery")
    except ImportError as error:
        raise ExtraMissingError("Celery is not installed.", hint="Install longstop[celery].") from error
    source = enabled_rounds(settings)
    if source is None:
        raise InputError(
            "No source of rounds is switched on.",
            hint="Set sources.brasileirao.enabled=true where you may use it.",
        )
    return source


# ---- the keeper: no store, no source, only a child and its pulse ----


def _keep(settings: "Settings") -> int:
    from longstop import bootstrap
    from longstop.observe.signals import Signals

    logs = bootstrap.start_logs(settings)
    bus = Signals()
    logs.subscribe(bus)
    try:
        with tempfile.TemporaryDirectory(prefix="longstop-worker-") as folder:
            return asyncio.run(_kept(settings, Path(folder), bus))
    finally:
        logs.close()


async def _kept(settings: "Settings", folder: Path, bus: Any) -> int:
    from longstop.distribute.celery_app import PULSE, make_app, send
    from longstop.supervise.child_process import ChildProcess
    from longstop.supervise.service import Stop
    from longstop.supervise.worker_keeper import WorkerKeeper

    clock = SystemClock()
    stop = Stop(clock)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.ask, number.name)
    name = f"{socket.gethostname()}.{os.getpid()}"
    app = make_app(settings.jobs.broker_url.get_secret_value(), None, pulse_name=name)
    command = [sys.executable, "-m", "longstop", *sys.argv[1:], "--child", str(folder / name)]
    keeper = WorkerKeeper(
        lambda: ChildProcess(command, folder / name),
        lambda stamp: asyncio.to_thread(send, app, PULSE, stamp, queue=f"{PULSE}.{name}"),
        clock,
        bus,
    )
    await keeper.run(stop)
    return 0


# ---- the child: Celery's worker ----


def _work(settings: "Settings", source: "RoundSource", mark: Path, processes: int, *, has_beat: bool) -> int:
    from celery.signals import setup_logging  # type: ignore[import-untyped]  # it brings no types

    from longstop import bootstrap
    from longstop.distribute.celery_app import make_app
    from longstop.working import Workshop

    logs = bootstrap.start_logs(settings)
    setup_logging.connect(_leave_logs_alone)
    _stop_with_keeper()
    hands = Workshop(settings, source, processes, mark, logs.subscribe)
    url, visibility = settings.jobs.broker_url.get_secret_value(), settings.jobs.visibility
    app = make_app(url, hands, visibility, pulse_name=mark.name)
    wanted = {"beat": True, "scheduler": "celery.beat:Scheduler"} if has_beat else {}
    celery_worker = app.Worker(
        hostname=mark.name, pool="prefork", concurrency=processes, quiet=True, without_gossip=True, without_mingle=True,
        **wanted,
    )  # fmt: skip
    celery_worker.start()
    return int(celery_worker.exitcode or 0)


def _leave_logs_alone(**_: Any) -> None:
    """Somebody listens, so Celery does not set up logging of its own."""


def _stop_with_keeper() -> None:
    """The keeper holds the other end of our input: when it is gone, nobody would look after us. It is read past
    `sys.stdin`, whose lock would be held for ever by those who are forked meanwhile."""

    def wait() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="keeper", daemon=True).start()
