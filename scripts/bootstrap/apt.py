"""Packages of the system, when we are root on a Debian machine and may touch it."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from scripts.bootstrap import stamps
from scripts.bootstrap.console import CallError, call, say

_INSTALL_SECONDS = 600
_UPDATE_SECONDS = 180
_ENV = {"DEBIAN_FRONTEND": "noninteractive"}
_WAIT_FOR_OTHERS = "DPkg::Lock::Timeout=120"


@dataclass(frozen=True)
class Apt:
    """Installs what a step asks for, or answers that it cannot."""

    is_allowed: bool

    @property
    def is_usable(self) -> bool:
        return self.is_allowed and os.geteuid() == 0 and shutil.which("apt-get") is not None

    def install(self, name: str, packages: Sequence[str]) -> bool:
        stamp = f"apt-{name}"
        if not self.is_usable or stamps.has_failed_lately(stamp):
            return False
        say(f"installing {' '.join(packages)} with apt-get")
        try:
            _install(packages)
        except CallError as error:
            say(f"apt-get could not bring {' '.join(packages)}: {error}")
            if stamps.VENV.exists():
                stamps.set_failed(stamp)
            return False
        return True


def _install(packages: Sequence[str]) -> None:
    """A bare machine has no package lists yet; an old one has stale lists. Both are mended by one update."""
    command = ["apt-get", "install", "--yes", "--no-install-recommends", "-o", _WAIT_FOR_OTHERS, *packages]
    try:
        call(command, timeout_seconds=_INSTALL_SECONDS, env=_ENV)
    except CallError:
        say("refreshing the package lists with apt-get update")
        call(["apt-get", "update"], timeout_seconds=_UPDATE_SECONDS, env=_ENV)
        call(command, timeout_seconds=_INSTALL_SECONDS, env=_ENV)
