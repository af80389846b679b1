"""The Python environment in `.venv`: made once, filled from a lock, the project itself installed in place."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from scripts.bootstrap import stamps
from scripts.bootstrap.apt import Apt
from scripts.bootstrap.console import ROOT, CallError, Exit, SetupError, call, say
from scripts.bootstrap.stamps import VENV

PYTHON = VENV / "bin" / "python"
LOCKS = {name: ROOT / "requirements" / f"{name}.lock" for name in ("run", "dev")}
_DEBIAN_WHEELS = Path("/usr/share/python-wheels")
_MINUTE = 60
# A person's own settings for pip must not send packages elsewhere.
_PIP_ENV = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1", "PYTHONPATH": "", "PIP_TARGET": ""}


def is_ready(lock_name: str) -> bool:
    return _is_environment_whole() and has_lock(lock_name) and stamps.is_done("project", stamps.project_key())


def prepare(lock_name: str, apt: Apt) -> None:
    """Bring the environment to the state of the lock, doing only what is missing."""
    if not _is_environment_whole():
        _create(apt)
    if not has_lock(lock_name):
        _install_lock(lock_name)
    if not stamps.is_done("project", stamps.project_key()):
        _install_project()


def has_lock(name: str) -> bool:
    """The packages for development hold those for running, in the same versions."""
    names = {name, "dev"}
    return any(stamps.is_done(each, stamps.lock_key(LOCKS[each])) for each in names)


def _is_environment_whole() -> bool:
    return os.access(PYTHON, os.X_OK) and (VENV / "bin" / "pip").exists() and not _has_moved()


def _has_moved() -> bool:
    """A copied or renamed clone brings an environment whose scripts still point to the old place."""
    for line in (VENV / "pyvenv.cfg").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(" = ")
        if key == "command":
            return Path(value.rpartition(" ")[2]) not in {VENV, VENV.resolve()}
    return False


def _create(apt: Apt) -> None:
    _remove_old()
    say(f"making the environment .venv with Python {sys.version_info.major}.{sys.version_info.minor}")
    if importlib.util.find_spec("ensurepip") is None:
        _create_without_ensurepip(apt)
        return
    try:
        call([sys.executable, "-m", "venv", VENV], timeout_seconds=3 * _MINUTE)
    except CallError as error:
        raise SetupError(Exit.ENVIRONMENT, f"The environment could not be made. {error}", _VENV_HINT) from None


_VENV_HINT = "Install the missing part (on Debian: apt-get install python3-venv) and try again."


def _remove_old() -> None:
    if not VENV.exists():
        return
    if any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").exists():
        raise SetupError(
            Exit.ENVIRONMENT, f"{VENV} is there but is no Python environment.", "Move it away and try again."
        )
    say("removing the old .venv: it is incomplete or was made in another place")
    try:
        shutil.rmtree(VENV)
    except OSError as error:
        hint = "Remove .venv as the user who made it, then try again."
        raise SetupError(Exit.ENVIRONMENT, f"The old .venv cannot be removed: {error}.", hint) from None


def _create_without_ensurepip(apt: Apt) -> None:
    """Debian keeps the part of Python that brings pip in a package of its own."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if apt.install("venv", [package]):
        call([sys.executable, "-m", "venv", VENV], timeout_seconds=3 * _MINUTE)
        return
    call([sys.executable, "-m", "venv", "--without-pip", VENV], timeout_seconds=_MINUTE)
    installer = _pip_found()
    if installer is None:
        shutil.rmtree(VENV)
        what = "This Python cannot make an environment: its venv part is missing, and there is no pip either."
        raise SetupError(Exit.ENVIRONMENT, what, f"As root: apt-get install {package}. Then try again.")
    say("this Python has no venv part; using the pip of the machine to bring one")
    try:
        call([*installer, "install", "--quiet", "pip"], timeout_seconds=5 * _MINUTE, env=_PIP_ENV)
    except CallError as error:
        shutil.rmtree(VENV)
        hint = f"As root: apt-get install {package}. Then try again."
        raise SetupError(Exit.ENVIRONMENT, f"pip could not be brought. {error}", hint) from None


def _pip_found() -> list[str] | None:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    wheels = sorted(_DEBIAN_WHEELS.glob("pip-*.whl"))
    return [str(PYTHON), str(wheels[-1] / "pip")] if wheels else None


def _install_lock(name: str) -> None:
    lock = LOCKS[name]
    count = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    say(f"installing {count} packages from requirements/{name}.lock; the first time this takes a minute or two")
    options = ["--require-hashes", "--no-deps", "--quiet", "--progress-bar", "off", "--disable-pip-version-check"]
    try:
        call([PYTHON, "-m", "pip", "install", *options, "-r", lock], timeout_seconds=15 * _MINUTE, env=_PIP_ENV)
    except CallError as error:
        hint = "Check that pip can reach its package index (`.venv/bin/pip download pip`), then try again."
        raise SetupError(Exit.PACKAGES, f"The packages could not be installed. {error}", hint) from None
    stamps.set_done(name, stamps.lock_key(lock))


def _install_project() -> None:
    """Without the network: what builds the project came with the lock."""
    say("installing longstop itself in place")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    try:
        call([PYTHON, "-m", "pip", "install", *options, "-e", ROOT], timeout_seconds=3 * _MINUTE, env=_PIP_ENV)
    except CallError as error:
        hint = "Is pyproject.toml whole? `make distclean` and another try start from nothing."
        raise SetupError(Exit.PROJECT, f"The project could not be installed. {error}", hint) from None
    stamps.set_done("project", stamps.project_key())
