"""One life of the process, with an instance and a site that are none: in which order things end."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from longstop.bootstrap import Addresses
from longstop.clock import SystemClock
from longstop.commands.origin_process import OriginError
from longstop.commands.up import Run, UpOptions
from longstop.settings import load


class Site:
    """It is there until the run is over, and has gone when it is asked to stand still."""

    url = "http://127.0.0.1:1"
    is_stopped = False

    async def freeze(self) -> None:
        raise OriginError("The origin simulator did not answer.")

    async def ended(self) -> int:
        await asyncio.Event().wait()
        return 0

    async def stop(self) -> None:
        self.is_stopped = True


class Instance:
    stopped_for = ""

    def __init__(self) -> None:
        self.engine = SimpleNamespace(failure=asyncio.Event().wait)
        self.failure = asyncio.Event().wait
        self.report = SimpleNamespace(summary=lambda *_: {})
        self.meter = SimpleNamespace(summary=dict)

    async def start(self) -> Addresses:
        return Addresses(api="http://127.0.0.1:1", metrics=None)

    async def stop(self, reason: str) -> tuple[str, ...]:
        self.stopped_for = reason
        return ()


async def test_a_site_that_has_gone_before_the_report_does_not_leave_the_instance_running(tmp_path: Path) -> None:
    site, instance = Site(), Instance()
    loaded = load(file=None, environ={}, overrides={})
    options = UpOptions(with_origin=True, seconds=0.01, report=tmp_path / "r.json")
    run: Any = Run(loaded, options, SystemClock(), None, lambda: loaded)

    async def build() -> Any:
        run._origin = site
        return instance

    run._build = build
    with pytest.raises(OriginError):
        await run.run()
    assert instance.stopped_for == "ran for 0.01 s"
    assert site.is_stopped
