"""A short way to a long folder: Chromium puts sockets below its temporary folder, and their paths have a bound.

The short way is a link in the machine's temporary folder. A handle of ours below /proc would need no link, but the
sandboxed parts of a browser may not go through another process's handles: their shared memory fails, and they crash.
"""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from longstop.fetch.browser.command_line import TEMPORARY_PATH_MAX

PREFIX: Final = "longstop-"
_PLAIN: Final = Path("/tmp")  # noqa: S108 - a random name is linked there, and nothing is opened by a guessed one


def shorten(folder: Path) -> Path:
    """The folder itself when its path is short enough, else a link to it that `forget_links` removes."""
    if len(str(folder)) <= TEMPORARY_PATH_MAX:
        return folder
    link = _place() / f"{PREFIX}{secrets.token_hex(6)}"
    link.symlink_to(folder, target_is_directory=True)
    return link


def forget_links(folders: Iterable[Path]) -> None:
    """Removes our links to these folders and to whatever lies in them."""
    wanted = tuple(folders)
    for link in _links():
        with contextlib.suppress(OSError):
            target = link.readlink()
            if any(target.is_relative_to(folder) for folder in wanted):
                link.unlink()


def _links() -> Iterator[Path]:
    for place in {Path(tempfile.gettempdir()), _PLAIN}:
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            yield from [Path(each.path) for each in entries if each.name.startswith(PREFIX) and each.is_symlink()]


def _place() -> Path:
    usual = Path(tempfile.gettempdir())
    room = TEMPORARY_PATH_MAX - len(PREFIX) - 13
    return usual if len(str(usual)) <= room else _PLAIN
