"""A child in a process group of its own, which ends when we do, and leaves a mark whenever it does something."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


class ChildProcess:
    """It holds one end of a pipe whose other end is ours: when that closes, for whatever reason, it is to stop."""

    def __init__(self, command: Sequence[str], mark: Path) -> None:
        self._mark = mark
        self._popen = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)

    @property
    def pid(self) -> int:
        return self._popen.pid

    def ended(self) -> int | None:
        return self._popen.poll()

    def send(self, number: signal.Signals) -> None:
        if self._popen.poll() is None:
            self._popen.send_signal(number)

    def kill_all(self) -> None:
        """The whole group, also when its leader has ended: those whom it started may still be there."""
        with suppress(ProcessLookupError):  # nobody is left
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def mark(self) -> int:
        try:
            return self._mark.stat().st_mtime_ns
        except FileNotFoundError:
            return 0
