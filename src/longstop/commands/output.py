"""Standard output that may fail: a full disk, a pipe whose reader has gone, no standard output at all.

Left alone, the first ends in a traceback and the second in exit 1, which says that something was lost.
"""

import contextlib
import errno
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from longstop.domain.errors import OutputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STDOUT = 1


class ReaderGoneError(Exception):
    """Whoever read our output has gone: nobody is left to tell. No OSError, which typer would take for its own."""


class _Checked(io.FileIO):
    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            # What is still in the buffer, and what may follow, has somewhere to go.
            os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
            if error.errno == errno.EPIPE:
                raise ReaderGoneError from error
            raise OutputError(f"Standard output cannot be written: {error.strerror}.") from error


def guard_output() -> None:
    """From here on a failure to write is told from every other."""
    plain = sys.stdout
    if plain is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process lives
        return
    checked = io.BufferedWriter(_Checked(STDOUT, "wb", closefd=False))
    sys.stdout = io.TextIOWrapper(
        checked, encoding=plain.encoding, errors=plain.errors, line_buffering=bool(plain.line_buffering)
    )


def say(text: str) -> None:
    """What is nice to know, from somebody who goes on whether it is heard or not."""
    with contextlib.suppress(OSError, OutputError, ReaderGoneError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
