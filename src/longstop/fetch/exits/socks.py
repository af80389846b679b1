"""SOCKS5 (RFC 1928) with user and password (RFC 1929), and of it only what asks for a connection."""

from ipaddress import ip_address
from typing import Final

from longstop.domain.errors import ExitFailedError, SourceUnreachableError
from longstop.fetch.egress.streams import Streams
from longstop.fetch.exits.exit import ExitAddress

_VERSION: Final = 5
_OPEN, _PASSWORD, _NONE_SUITS = 0, 2, 0xFF
_CONNECT: Final = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_ADDRESS_BYTES: Final = {_IPV4: 4, _IPV6: 16}
_TEXT_MAX: Final = 255
# Network or host unreachable, connection refused, and the time to live is over: the site's doing.
_SITE_SILENT: Final = frozenset({3, 4, 5, 6})


async def open_tunnel(streams: Streams, address: ExitAddress, host: str, port: int) -> None:
    await _introduce(streams, address)
    await streams.send(bytes((_VERSION, _CONNECT, 0)) + _place(host) + port.to_bytes(2))
    version, said, _, kind = await streams.reader.readexactly(4)
    _require_socks(version)
    if said in _SITE_SILENT:
        raise SourceUnreachableError(f"The exit could not reach {port} of the site: it said {said}.")
    if said:
        raise ExitFailedError(f"The exit answered {said} instead of letting us through.", reason="refused")
    await _skip_address(streams, kind)


async def _introduce(streams: Streams, address: ExitAddress) -> None:
    """An account is offered only where there is one: some proxies refuse who names none."""
    has_account = bool(address.username or address.password)
    await streams.send(bytes((_VERSION, 2, _OPEN, _PASSWORD) if has_account else (_VERSION, 1, _OPEN)))
    version, method = await streams.reader.readexactly(2)
    _require_socks(version)
    if method == _OPEN:
        return
    if method != _PASSWORD or not has_account:
        raise ExitFailedError("The exit lets nobody in who comes like this.", reason="account")
    await streams.send(b"\x01" + _text(address.username) + _text(address.password))
    _, verdict = await streams.reader.readexactly(2)
    if verdict:
        raise ExitFailedError("The exit does not know the account.", reason="account")


def _place(host: str) -> bytes:
    try:
        literal = ip_address(host)
    except ValueError:
        return bytes((_NAME,)) + _text(host)
    return bytes((_IPV4 if literal.version == 4 else _IPV6,)) + literal.packed


def _text(text: str) -> bytes:
    raw = text.encode()
    if len(raw) > _TEXT_MAX:
        raise ExitFailedError(f"A name, user or password is longer than {_TEXT_MAX} bytes.", reason="account")
    return bytes((len(raw),)) + raw


async def _skip_address(streams: Streams, kind: int) -> None:
    length = _ADDRESS_BYTES.get(kind) or (await streams.reader.readexactly(1))[0]
    await streams.reader.readexactly(length + 2)


def _require_socks(version: int) -> None:
    if version != _VERSION:
        raise ExitFailedError("The exit does not speak SOCKS5.", reason="nonsense")
