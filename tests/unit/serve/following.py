"""Reads server-sent events as a browser does, over real HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec


class Frame(msgspec.Struct):
    name: str
    data: Any
    cursor: str | None = None


class Reader:
    """One stream that is open."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer
        self.last_cursor: str | None = None

    async def next(self) -> Frame | None:
        """None when the stream has ended."""
        fields: dict[str, str] = {}
        async for line in self.answer.content:
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif "data" in fields:
                self.last_cursor = fields.get("id", self.last_cursor)
                return Frame(fields.get("event", "message"), msgspec.json.decode(fields["data"]), fields.get("id"))
        return None

    async def until(self, name: str) -> list[Frame]:
        """Up to the first of this name, which is the last in the list."""
        frames: list[Frame] = []
        while (frame := await self.next()) is not None:
            frames.append(frame)
            if frame.name == name:
                return frames
        raise AssertionError(f"the stream ended without {name}: {[each.name for each in frames]}")

    async def facts(self, count: int) -> list[Any]:
        found: list[Any] = []
        while len(found) < count and (frame := await self.next()) is not None:
            if frame.name == "message":
                found.append(frame.data)
        return found


@asynccontextmanager
async def reading(url: str, **headers: str) -> AsyncIterator[Reader]:
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(sock_read=10)) as client,
        client.get(url, headers={name.replace("_", "-"): value for name, value in headers.items()}) as answer,
    ):
        assert answer.status == 200, await answer.text()
        assert answer.content_type == "text/event-stream"
        yield Reader(answer)
