"""A SOCKS5 proxy of our own with user and password, as small as its RFCs allow: CONNECT, and nothing else."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

_VERSION, _AUTH_VERSION = 5, 1
_NO_AUTH, _PASSWORD, _NO_METHOD = 0, 2, 0xFF
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_GRANTED, _UNREACHABLE, _NO_COMMAND, _NO_ADDRESS_KIND = 0, 4, 7, 8
_CHUNK_BYTES = 65536


class SocksProxy:
    """`targets` are those it was asked for, `refused` counts callers with a wrong name or password."""

    def __init__(self, user: str, password: str, exit_address: str) -> None:
        self.user, self.password, self.exit_address = user, password, exit_address
        self.targets: list[tuple[str, int]] = []
        self.refused = 0
        self.port = 0

    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def url(self) -> str:
        name = f"{self.user}:{self.password}@" if self.user else ""
        return f"socks5://{name}{self.host}:{self.port}"

    async def serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if await self._is_let_in(reader, writer):
                await self._connect(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            return  # The caller has left, or the proxy is being stopped.
        finally:
            writer.close()

    async def _is_let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        _, count = await reader.readexactly(2)
        wanted = _PASSWORD if self.user else _NO_AUTH
        method = wanted if wanted in await reader.readexactly(count) else _NO_METHOD
        writer.write(bytes((_VERSION, method)))
        if method == _NO_AUTH:
            return True
        return method == _PASSWORD and await self._is_known(reader, writer)

    async def _is_known(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        await reader.readexactly(1)
        user, password = [await _text(reader) for _ in range(2)]
        is_known = (user, password) == (self.user, self.password)
        self.refused += not is_known
        writer.write(bytes((_AUTH_VERSION, int(not is_known))))
        await writer.drain()
        return is_known

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, command, _, kind = await reader.readexactly(4)
        host = await _address(reader, kind)
        port = int.from_bytes(await reader.readexactly(2))
        if command != _CONNECT or host is None:
            await _answer(writer, _NO_COMMAND if command != _CONNECT else _NO_ADDRESS_KIND)
            return
        self.targets.append((host, port))
        try:
            there = await asyncio.open_connection(host, port, local_addr=(self.exit_address, 0))
        except OSError:
            await _answer(writer, _UNREACHABLE)
            return
        await _answer(writer, _GRANTED)
        await _join((reader, writer), there)


@contextlib.asynccontextmanager
async def socks_proxy(
    user: str = "reader", password: str = "pa55-of-a-proxy", exit_address: str = "127.0.0.1"
) -> AsyncIterator[SocksProxy]:
    """On a free port until the context is left; an empty user lets everybody in."""
    proxy = SocksProxy(user, password, exit_address)
    calls: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.add(asyncio.get_running_loop().create_task(proxy.serve_one(reader, writer)))

    server = await asyncio.start_server(begin, proxy.host, 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await server.wait_closed()


async def _text(reader: asyncio.StreamReader) -> str:
    (length,) = await reader.readexactly(1)
    return (await reader.readexactly(length)).decode("utf-8", "replace")


async def _address(reader: asyncio.StreamReader, kind: int) -> str | None:
    if kind == _NAME:
        return await _text(reader)
    if kind == _IPV4:
        return socket.inet_ntop(socket.AF_INET, await reader.readexactly(4))
    if kind == _IPV6:
        return socket.inet_ntop(socket.AF_INET6, await reader.readexactly(16))
    return None


async def _answer(writer: asyncio.StreamWriter, word: int) -> None:
    writer.write(bytes((_VERSION, word, 0, _IPV4, 0, 0, 0, 0, 0, 0)))
    await writer.drain()


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _join(here: Ends, there: Ends) -> None:
    try:
        await asyncio.gather(_carry(here[0], there[1]), _carry(there[0], here[1]))
    finally:
        there[1].close()


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Until one end has said all; then the other is told."""
    while chunk := await source.read(_CHUNK_BYTES):
        target.write(chunk)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()
