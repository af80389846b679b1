"""What is already done, so that the second time is quick.

A stamp is a small file in the environment. It holds a hash of everything the step depends on; another hash means
that the step has to be done again. Removing `.venv` forgets them all.
"""

import hashlib
import json
import time
import tomllib
from pathlib import Path

from scripts.bootstrap.console import ROOT

VENV = ROOT / ".venv"
_FOLDER = VENV / ".longstop"
RETRY_AFTER_SECONDS = 3600
_INSTALL_TABLES = ("build-system", "project")


def is_done(name: str, key: str) -> bool:
    try:
        return (_FOLDER / name).read_text(encoding="utf-8") == key
    except OSError:
        return False


def set_done(name: str, key: str) -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    (_FOLDER / name).write_text(key, encoding="utf-8")


def has_failed_lately(name: str) -> bool:
    """A download that failed is not tried again at once: each `make` would wait for it."""
    try:
        age_seconds = time.time() - (_FOLDER / f"{name}.failed").stat().st_mtime
    except OSError:
        return False
    return 0 <= age_seconds < RETRY_AFTER_SECONDS


def set_failed(name: str) -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    (_FOLDER / f"{name}.failed").touch()


def lock_key(lock: Path) -> str:
    return _hashed(_environment(), lock.read_text(encoding="utf-8"))


def project_key() -> str:
    """Only the tables that an installed project depends on: a new lint rule installs nothing."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {name: tables.get(name) for name in _INSTALL_TABLES}
    hatch = tables.get("tool", {}).get("hatch")
    return _hashed(_environment(), json.dumps([wanted, hatch], sort_keys=True))


def _environment() -> str:
    """The environment itself: made again, moved or of another Python, it is another one."""
    try:
        made = (VENV / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        made = ""
    return f"{VENV}\n{made}"


def _hashed(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
