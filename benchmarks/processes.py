"""Longstop and its origin as processes of their own, started here and ended here, each by its own pid."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import aiohttp
import msgspec
import psutil

from benchmarks.figures import ProofError

LONGSTOP = Path(sys.executable).with_name("longstop")
FREE_PORTS = ("--set", "api.port=0", "--set", "scraper.monitoring.prometheus.port=0")
START_SECONDS = 120.0
END_SECONDS = 60.0
_API = re.compile(r"Operations page: (\S+?)/\s")


def own_environment() -> dict[str, str]:
    """Ours without the settings of whoever started us."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LONGSTOP_")}


@contextlib.contextmanager
def empty_folder(prefix: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=f"longstop-{prefix}-") as name:
        yield Path(name)


class Usage(msgspec.Struct, frozen=True):
    """What a process has used so far, and holds now."""

    at: float
    cpu_seconds: float
    rss_bytes: int

    def cpu_share_since(self, before: "Usage") -> float:
        return (self.cpu_seconds - before.cpu_seconds) / (self.at - before.at)


class Running:
    """A process with its output in files; leaving the context ends it, whatever happened."""

    def __init__(self, popen: "subprocess.Popen[bytes]", folder: Path) -> None:
        self.popen = popen
        self._folder = folder
        self._process = psutil.Process(popen.pid)

    @property
    def said(self) -> str:
        return (self._folder / "out.txt").read_text(encoding="utf-8", errors="replace")

    @property
    def logged(self) -> str:
        return (self._folder / "err.txt").read_text(encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.popen.stdin is not None:
            self.popen.stdin.close()
        self.end()

    def usage(self) -> Usage:
        try:
            times, memory = self._process.cpu_times(), self._process.memory_info()
        except psutil.Error as error:
            raise ProofError(f"the process is gone: {self.logged[-300:].strip()}") from error
        return Usage(time.monotonic(), times.user + times.system, memory.rss)

    def until_said(self, pattern: "re.Pattern[str]") -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if found := pattern.search(self.said):
                return found[1]
            if self.popen.poll() is not None:
                raise ProofError(f"the process ended ({self.popen.returncode}): {self.logged[-300:].strip()}")
            time.sleep(0.05)
        raise ProofError(f"the process did not say where it is within {START_SECONDS:g} s")

    def wait(self, seconds: float) -> int:
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise ProofError(f"the process did not end within {seconds:g} s") from error

    def end(self) -> int:
        """Asked first, killed when it does not listen."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
            try:
                self.popen.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self.popen.kill()
        return self.popen.wait()


def start(command: Sequence[str], folder: Path, *, is_tied: bool = False) -> Running:
    """`is_tied`: it has our end of a pipe as its input, and may end when that closes."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    with (folder / "out.txt").open("wb") as out, (folder / "err.txt").open("wb") as err:
        popen = subprocess.Popen(
            list(command),
            cwd=folder,
            # Whatever it leaves behind lies where it can be seen.
            env=own_environment() | {"TMPDIR": str(temporary)},
            stdin=subprocess.PIPE if is_tied else subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
    return Running(popen, folder)


def longstop(*words: str, folder: Path) -> Running:
    return start([str(LONGSTOP), *words], folder)


def up(*words: str, folder: Path) -> tuple[Running, str]:
    """`longstop up` on free ports, and the address of its API."""
    running = longstop("up", *words, *FREE_PORTS, folder=folder)
    try:
        return running, running.until_said(_API)
    except ProofError:
        running.end()
        raise


def origin(*words: str, folder: Path) -> tuple[Running, str]:
    """The origin on a free port, and its address. It ends with us, however we end."""
    command = [sys.executable, "-m", "longstop_origin", "--announce", "--port", "0", *words]
    running = start(command, folder, is_tied=True)
    try:
        return running, running.until_said(re.compile(r'"url":\s*"([^"]+)"'))
    except ProofError:
        running.end()
        raise


async def get_json(session: aiohttp.ClientSession, url: str) -> Any:
    return await _asked(session, "GET", url)


async def post_json(session: aiohttp.ClientSession, url: str, body: bytes = b"") -> Any:
    return await _asked(session, "POST", url, body)


async def _asked(session: aiohttp.ClientSession, method: str, url: str, body: bytes | None = None) -> Any:
    try:
        async with session.request(method, url, data=body) as response:
            response.raise_for_status()
            return msgspec.json.decode(await response.read())
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise ProofError(f"{method} {url} failed: {type(error).__name__}") from error
