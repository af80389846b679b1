"""A way to PostgreSQL that may be cut at the worst moment: after the COMMIT went out, before the answer came back."""

import asyncio
from urllib.parse import urlsplit, urlunsplit


class CuttingProxy:
    """While `is_cutting`, every connection dies once its COMMIT was handed on."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._server: asyncio.Server | None = None
        self._relays: set[asyncio.Task[None]] = set()
        self.is_cutting = False
        self.cuts = 0

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        return urlunsplit(self._parts._replace(netloc=f"{self._parts.username}@127.0.0.1:{port}"))

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for relay in self._relays:
            relay.cancel()
        await asyncio.gather(*self._relays, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._relays.add(task)
        there_reader, there_writer = await asyncio.open_connection(self._parts.hostname, self._parts.port)
        back = asyncio.create_task(_copy(there_reader, writer))
        try:
            while data := await reader.read(65536):
                if self.is_cutting and b"COMMIT" in data:
                    self.cuts += 1
                    back.cancel()
                    await asyncio.wait([back])  # until then it reads what we want to read
                    there_writer.write(data)
                    await there_writer.drain()
                    await there_reader.read(1)  # the answer is on its way, so the commit has held
                    return
                there_writer.write(data)
                await there_writer.drain()
        except ConnectionError:
            pass  # one side is gone, and the other follows
        finally:
            back.cancel()
            for side in (writer, there_writer):
                side.close()
            self._relays.discard(task)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass  # the other side is gone
    finally:
        writer.close()
