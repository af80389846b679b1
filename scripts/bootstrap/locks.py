"""Writes requirements/*.lock with uv: exact versions with hashes, and no address of any server."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from scripts.bootstrap.console import CallError, Exit, SetupError, call, say
from scripts.bootstrap.environment import LOCKS, PYTHON
from scripts.bootstrap.stamps import VENV

_EXTRAS = {
    "run": ("browser", "postgres", "redis"),
    "dev": ("browser", "postgres", "redis", "celery", "coherent", "parquet", "stealth", "dev"),
}
_UV = "uv>=0.13,<1"
_OPTIONS = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--quiet",
)
_HEADER = "# Written by `make lock` from pyproject.toml and requirements/build.in. Not to be edited by hand.\n"
_SECONDS = 600


def write_all() -> None:
    """The lock for development is held to the versions of the one for running, so that one environment serves both."""
    uv = _uv()
    _write(uv, "run", constraint=None)
    _write(uv, "dev", constraint=LOCKS["run"])


def _uv() -> str:
    if found := shutil.which("uv"):
        return found
    own = VENV / ".longstop" / "uv"
    if not (own / "bin" / "uv").exists():
        say("fetching uv, which resolves the locks")
        _checked([PYTHON, "-m", "venv", own])
        _checked([own / "bin" / "python", "-m", "pip", "install", "--quiet", _UV])
    return str(own / "bin" / "uv")


def _write(uv: str, name: str, constraint: Path | None) -> None:
    say(f"resolving requirements/{name}.lock")
    extras = [word for extra in _EXTRAS[name] for word in ("--extra", extra)]
    held = ["--constraint", str(constraint)] if constraint else []
    inputs = ["pyproject.toml", "requirements/build.in"]
    text = _checked([uv, "pip", "compile", *inputs, *extras, *held, *_OPTIONS])
    if "://" in text:
        raise SetupError(Exit.LOCK, f"The new {name}.lock names an address.", "Depend on released packages only.")
    LOCKS[name].write_text(_HEADER + text, encoding="utf-8")


def _checked(command: Sequence[str | os.PathLike[str]]) -> str:
    try:
        return call(command, timeout_seconds=_SECONDS)
    except CallError as error:
        hint = "Check pyproject.toml and that the package index can be reached."
        raise SetupError(Exit.LOCK, f"The locks could not be written. {error}", hint) from None
