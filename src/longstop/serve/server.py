"""The HTTP server, inside the loop that already runs.

The address is bound first and alone, so that a port in use is told before anything else starts. uvicorn's own handling
of process signals is left out: the service decides when it ends.
"""

import asyncio
import socket
from typing import Any

import uvicorn

from longstop.clock import Clock, SystemClock
from longstop.domain.errors import PortTakenError
from longstop.serve.connections import ConnectionLimits, Crowd

_STARTING_SECONDS = 10.0
_BACKLOG = 1024
_SILENT_MILLIS = 30_000


class ApiServer:
    """`start` returns when requests are answered, `stop` when the last one was, or the deadline came."""

    def __init__(
        self,
        app: Any,
        host: str,
        port: int,
        *,
        clock: Clock | None = None,
        limits: ConnectionLimits | None = None,
    ) -> None:
        self._app = app
        self._host = host.strip("[]")
        self._wanted_port = port
        self._clock = clock or SystemClock()
        self._crowd = Crowd(limits or ConnectionLimits(), self._clock)
        self._sweeping: asyncio.Task[None] | None = None
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The real one, also when 0 was asked for."""
        if self._socket is None:
            return self._wanted_port
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}"

    @property
    def connections(self) -> int:
        return self._crowd.count

    async def bind(self) -> None:
        """Takes the port. Called by `start`; call it earlier to learn of a taken port before other work begins."""
        if self._socket is None:
            self._socket = await _listening_socket(self._host, self._wanted_port)

    async def start(self) -> None:
        await self.bind()
        assert self._socket is not None
        self._server = uvicorn.Server(self._config())
        self._task = asyncio.create_task(_serve(self._server, self._socket), name="api server")
        self._sweeping = asyncio.create_task(self._crowd.sweep(), name="api server: who owes too long")
        async with self._clock.timeout(_STARTING_SECONDS):
            while not self._server.started and not self._task.done():
                await self._clock.sleep(0.005)
        if self._task.done():
            await self._task

    async def stop(self, deadline_seconds: float = 5.0) -> None:
        """Stopping twice, or before the start, is legal."""
        if self._server is not None and self._task is not None:
            self._server.should_exit = True
            await self._wait_for_end(self._task, self._server, deadline_seconds)
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)
        if self._socket is not None:
            self._socket.close()
        self._server = self._task = self._socket = self._sweeping = None

    async def _wait_for_end(self, task: asyncio.Task[None], server: uvicorn.Server, deadline_seconds: float) -> None:
        try:
            async with self._clock.timeout(deadline_seconds):
                await asyncio.shield(task)
        except TimeoutError:
            server.force_exit = True
            # The requests have tasks of their own, which the end of the server's does not end.
            late = [task, *server.server_state.tasks]
            for each in late:
                each.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _config(self) -> uvicorn.Config:
        return uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            lifespan="off",
            loop="none",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=15,
            http=self._crowd.protocol,  # type: ignore[arg-type]  # whatever makes one of them will do
        )


async def _serve(server: uvicorn.Server, listener: socket.socket) -> None:
    """`Server.serve` without taking over the process's signals."""
    await server._serve(sockets=[listener])  # noqa: SLF001 - the public way always takes the signals


def _forget_the_silent(listener: socket.socket) -> None:
    """Connections inherit it: who takes nothing of what was sent for so long is gone, and frees his place."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _SILENT_MILLIS)


async def _listening_socket(host: str, port: int) -> socket.socket:
    listener: socket.socket | None = None
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _forget_the_silent(listener)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        if listener is not None:
            listener.close()
        raise PortTakenError(
            f"The API cannot listen on {host}:{port}: {error.strerror or error}.",
            hint="Stop the other program, or choose another port (0 takes any free one).",
        ) from error
    return listener
