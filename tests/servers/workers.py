"""Real workers of rounds: `longstop worker` in processes of their own, against a real broker and a real PostgreSQL."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

WORKER = (sys.executable, "-m", "longstop", "worker")


@dataclass(frozen=True)
class WorkerPlace:
    """Where workers find the site, the journal and each other, and where they write what they say."""

    folder: Path
    site: str
    database: str
    broker: str

    def words(self, **jobs: object) -> list[str]:
        wanted = {
            "sources.brasileirao.enabled": "true",
            "sources.brasileirao.base_url": self.site,
            "sources.brasileirao.rate_limits.min_interval_seconds": 0,
            "sources.brasileirao.respect_robots": "false",
            "storage.root": self.folder / "var",
            "database.url": self.database,
            "jobs.broker_url": self.broker,
            **{f"jobs.{name}": value for name, value in jobs.items()},
        }
        return [word for name, value in wanted.items() for word in ("--set", f"{name}={value}")]


class RunningWorker:
    """One keeper with its child and all that they started."""

    def __init__(self, place: WorkerPlace, name: str, *words: str, **jobs: object) -> None:
        self.log = place.folder / f"{name}.log"
        with self.log.open("ab") as output:
            self.popen = subprocess.Popen(
                [*WORKER, *words, *place.words(**jobs)],
                cwd=place.folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONWARNINGS": "default"},
            )

    def children(self) -> list[psutil.Process]:
        """The worker and those whom it forked."""
        return psutil.Process(self.popen.pid).children(recursive=True)

    def kill(self) -> None:
        """All of it, at once, as when the machine is lost."""
        everyone = [psutil.Process(self.popen.pid), *self.children()] if self.popen.poll() is None else []
        for process in everyone:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        self.popen.wait(15)

    def stop(self) -> int:
        """Asked to, as by an operator; what does not listen is killed."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        try:
            return self.popen.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            return -signal.SIGKILL
