"""A real server for the tests: its own folder, its own port, an unprivileged user, and an end by its own pid."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 30.0
STOP_SECONDS = 15.0
STARTS_MAX = 3


class ServerMissingError(Exception):
    """The server is not installed; the message says how to get it."""


@dataclass(frozen=True)
class Account:
    """Whom a server runs as: ourselves, or `nobody` when we are root, since PostgreSQL refuses root."""

    uid: int
    gid: int
    is_other: bool

    @classmethod
    def unprivileged(cls) -> "Account":
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid(), is_other=False)
        nobody = pwd.getpwnam("nobody")
        return cls(nobody.pw_uid, nobody.pw_gid, is_other=True)

    def popen(self, command: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
        as_other = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_other else {}
        with log.open("ab") as output:
            return subprocess.Popen(  # type: ignore[call-overload,no-any-return]  # the options depend on who we are
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=log.parent, **as_other
            )

    def run(self, command: Sequence[str], log: Path) -> None:
        process = self.popen(command, log)
        if process.wait(timeout=START_SECONDS) != 0:
            raise RuntimeError(f"{command[0]} ended with {process.returncode}:\n{log.read_text(errors='replace')}")

    def folder(self, prefix: str) -> Path:
        path = Path(tempfile.mkdtemp(prefix=f"longstop-{prefix}-"))
        os.chown(path, self.uid, self.gid)
        return path


@dataclass(frozen=True)
class ServerProcess:
    popen: "subprocess.Popen[bytes]"
    folder: Path
    port: int

    @property
    def pid(self) -> int:
        return self.popen.pid

    def stop(self, wanted: signal.Signals) -> None:
        """Asked first, killed when it does not listen; the folder goes with it."""
        self.popen.send_signal(wanted)
        try:
            self.popen.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait(timeout=STOP_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)


def start(
    account: Account, folder: Path, command: Callable[[int], Sequence[str]], is_ready: Callable[[int], bool]
) -> ServerProcess:
    """On a free port; another program may take it in between, so a few are tried."""
    log = folder / "server.log"
    for _ in range(STARTS_MAX):
        port = _free_port()
        popen = account.popen([*_bound_to_us(), *command(port)], log)
        if _becomes_ready(popen, lambda port=port: is_ready(port)):  # type: ignore[misc]  # the port of this round
            return ServerProcess(popen, folder, port)
        popen.kill()
        popen.wait(timeout=STOP_SECONDS)
    text = log.read_text(errors="replace")
    shutil.rmtree(folder, ignore_errors=True)
    raise RuntimeError(f"the server did not start:\n{text}")


def _bound_to_us() -> list[str]:
    """Where the system can, the server ends even when the test run is killed."""
    return ["setpriv", "--pdeathsig", "INT", "--"] if shutil.which("setpriv") else []


def _becomes_ready(popen: "subprocess.Popen[bytes]", is_ready: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while popen.poll() is None and time.monotonic() < deadline:
        if is_ready():
            return True
        time.sleep(0.05)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
