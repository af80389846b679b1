"""Whose address it is that asks. What a caller says about itself is believed from trusted proxies only."""

import ipaddress
from collections.abc import Iterable, Sequence
from typing import Any, Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

UNKNOWN: Final = "unknown"
_HOPS_MAX: Final = 20


class Addresses:
    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self._trusted: Sequence[Network] = [ipaddress.ip_network(each) for each in trusted]

    def of(self, scope: Any) -> str:
        """The nearest address on the way that is no proxy of ours. Of IPv6 the network: one caller has all of it."""
        peer = _address(scope["client"][0]) if scope.get("client") else None
        if peer is None:
            return UNKNOWN
        if self._trusted and self._is_trusted(peer):
            peer = self._behind(peer, scope["headers"])
        return _bucket(peer)

    def is_secure(self, scope: Any) -> bool:
        """Whether the caller came by HTTPS; a trusted proxy may have taken it off."""
        if scope.get("scheme") == "https":
            return True
        peer = _address(scope["client"][0]) if scope.get("client") else None
        if peer is None or not self._is_trusted(peer):
            return False
        said = [value for name, value in scope["headers"] if name == b"x-forwarded-proto"]
        return bool(said) and said[-1].split(b",")[-1].strip().lower() == b"https"

    def _behind(self, peer: Address, headers: Iterable[tuple[bytes, bytes]]) -> Address:
        """From the right: each proxy adds whom it saw, and what stands further left anybody may have written."""
        said = b",".join(value for name, value in headers if name == b"x-forwarded-for").decode("latin-1")
        nearest = peer
        for hop in [part.strip() for part in said.split(",") if part.strip()][: -_HOPS_MAX - 1 : -1]:
            found = _address(hop)
            if found is None:
                break
            nearest = found
            if not self._is_trusted(found):
                break
        return nearest

    def _is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted if network.version == address.version)


def bucket_of_peer(host: str) -> str:
    """Whose connection it is, whatever is said on it."""
    peer = _address(host)
    return UNKNOWN if peer is None else _bucket(peer)


def _address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _bucket(address: Address) -> str:
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
