"""Connections by an exit, in place of the filtering proxy's own: the only code that tells an exit who we are.

Names are resolved by us and checked before the exit hears of them; only to a socks5h proxy the name itself is given,
after it was held to the source's list. What goes wrong is told without address and account, and raised from nothing:
what lies below knows both.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Sequence
from typing import Final

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import ExitFailedError, SourceUnreachableError
from longstop.fetch.egress.addresses import Address
from longstop.fetch.egress.guard import CheckedUrl
from longstop.fetch.egress.streams import Streams
from longstop.fetch.exits import connect, socks
from longstop.fetch.exits.exit import ExitAddress

ADDRESSES_TRIED: Final = 3


class DialLimits(msgspec.Struct, frozen=True):
    """Together less than the filtering proxy waits, so that the exit is named and not the site."""

    connect_seconds: float = 4.0
    answer_seconds: float = 5.0
    head_bytes_max: int = 64 * 1024


class ExitDial:
    """`trust` is for proxies that are spoken to in TLS under a certificate of one's own."""

    def __init__(
        self,
        address: ExitAddress,
        clock: Clock,
        limits: DialLimits | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._address = address
        self._clock = clock
        self._limits = limits or DialLimits()
        self._trust = trust

    @property
    def looks_names_up(self) -> bool:
        return self._address.looks_names_up

    async def __call__(self, to: CheckedUrl, addresses: Sequence[Address]) -> Streams:
        if self.looks_names_up:
            return await self._through(to.host, to.port)
        failure = SourceUnreachableError("The site has no address.")
        for address in _likely_first(addresses)[:ADDRESSES_TRIED]:
            try:
                return await self._through(str(address), to.port)
            except SourceUnreachableError as error:
                failure = error
        raise failure

    async def _through(self, host: str, port: int) -> Streams:
        streams = await self._reached()
        with contextlib.ExitStack() as undo:
            undo.callback(streams.cut)
            await self._ask(streams, host, port)
            undo.pop_all()
        return streams

    async def _reached(self) -> Streams:
        there = self._address
        is_secret = there.scheme == "https"
        try:
            async with self._clock.timeout(self._limits.connect_seconds):
                opened = await asyncio.open_connection(
                    there.host,
                    there.port,
                    limit=self._limits.head_bytes_max,
                    ssl=(self._trust or ssl.create_default_context()) if is_secret else None,
                )
        except ssl.SSLError:
            failure = ExitFailedError("The exit does not prove who it is.", reason="tls")
        except OSError:  # a timeout is one too
            failure = ExitFailedError("The exit does not take connections.", reason="unreachable")
        else:
            return Streams(*opened)
        raise failure

    async def _ask(self, streams: Streams, host: str, port: int) -> None:
        ask = connect if self._address.scheme in ("http", "https") else socks
        try:
            async with self._clock.timeout(self._limits.answer_seconds):
                await ask.open_tunnel(streams, self._address, host, port)
                return
        except TimeoutError:
            failure = ExitFailedError("The exit took the connection and says nothing.", reason="silent")
        except asyncio.LimitOverrunError:
            failure = ExitFailedError("The exit answers without an end.", reason="nonsense")
        except (OSError, EOFError):
            failure = ExitFailedError("The exit hung up.", reason="hung_up")
        raise failure


def _likely_first(addresses: Sequence[Address]) -> list[Address]:
    """Many exits have no IPv6."""
    return sorted(addresses, key=lambda address: address.version)
