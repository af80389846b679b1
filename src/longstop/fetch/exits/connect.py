"""Asking an HTTP proxy for a tunnel. What it answers is read strictly, and never repeated: it may hold an address."""

import base64
from typing import Final

from longstop.domain.errors import ExitFailedError, SourceUnreachableError
from longstop.fetch.egress.heads import read_response
from longstop.fetch.egress.streams import Streams
from longstop.fetch.exits.exit import ExitAddress

# What proxies say when it was the site that did not answer them.
_SITE_SILENT: Final = frozenset({"500", "502", "504"})
_REASONS: Final = {
    "401": "account",
    "402": "account",
    "407": "account",
    "403": "refused",
    "429": "crowded",
    "503": "crowded",
}


async def open_tunnel(streams: Streams, address: ExitAddress, host: str, port: int) -> None:
    await streams.send(_request(address, f"[{host}]:{port}" if ":" in host else f"{host}:{port}"))
    answer = read_response(await streams.reader.readuntil(b"\r\n\r\n"))
    if answer is None:
        raise ExitFailedError("The exit does not speak HTTP.", reason="nonsense")
    if answer.second.startswith("2"):
        return
    if answer.second in _SITE_SILENT:
        raise SourceUnreachableError(f"The exit could not reach {port} of the site: it said {answer.second}.")
    raise ExitFailedError(
        f"The exit answered {answer.second} instead of letting us through.",
        reason=_REASONS.get(answer.second, "refused"),
    )


def _request(address: ExitAddress, authority: str) -> bytes:
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
    if address.username or address.password:
        packed = base64.b64encode(f"{address.username}:{address.password}".encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {packed}")
    return "\r\n".join([*lines, "", ""]).encode("ascii")
