"""The origin simulator beside us, as a process of its own: a site is somebody else's machine.

It is started by the interpreter's module switch, so nothing here imports it. It ends when our end of its standard
input closes, so it cannot outlive us, however we end. A Ctrl-C is meant for us alone: with a site that is gone before
us, what was kept could no longer be compared with what is true.
"""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from typing import Any

import aiohttp
import msgspec

from longstop.clock import Clock
from longstop.domain.errors import LongstopError

START_SECONDS = 30.0
ASK_SECONDS = 30.0
END_SECONDS = 5.0


class OriginError(LongstopError):
    default_hint = "Start it by itself with `longstop origin` and read what it says."


class OriginProcess:
    def __init__(self, arguments: Sequence[str], clock: Clock) -> None:
        self._arguments = tuple(arguments)
        self._clock = clock
        self._process: asyncio.subprocess.Process | None = None
        self.url = ""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self) -> str:
        """Returns the address it listens on."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "longstop_origin",
            "--announce",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with self._clock.timeout(START_SECONDS):
                line = await self._stdout().readline()
        except TimeoutError as error:
            await self.stop()
            raise OriginError(f"The origin simulator said nothing for {START_SECONDS:g} s.") from error
        if not line:
            raise OriginError(f"The origin simulator ended at once (exit {await self._process.wait()}).")
        self.url = str(msgspec.json.decode(line)["url"])
        return self.url

    async def freeze(self) -> None:
        """The world stands still from here on, so that what is kept can be compared with what is true."""
        await self._ask("POST", "/_origin/freeze")

    async def truth(self) -> Any:
        return await self._ask("GET", "/_origin/truth")

    async def compare(self, account: bytes) -> Any:
        """The oracle's verdict on what we kept. It sits on the origin's side, apart from us."""
        return await self._ask("POST", "/_origin/compare", account)

    async def ended(self) -> int:
        assert self._process is not None
        return await self._process.wait()

    async def stop(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with self._clock.timeout(END_SECONDS):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _stdout(self) -> asyncio.StreamReader:
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout

    async def _ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        try:
            async with (
                self._clock.timeout(ASK_SECONDS),
                aiohttp.ClientSession(trust_env=False) as session,
                session.request(method, self.url + path, data=body) as response,
            ):
                response.raise_for_status()
                return msgspec.json.decode(await response.read())
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise OriginError(f"The origin simulator did not answer {path}: {type(error).__name__}.") from error


def football_beside(arguments: Sequence[str], clock: Clock) -> OriginProcess:
    """The simulated football site, as a process that may run beside the other."""
    return OriginProcess(("--football", *arguments), clock)
