"""Which addresses are the open internet, and what the others are.

The standard library's `is_global` lets addresses through that carry another one inside (NAT64, 6to4), so the ranges
stand here, each with the word that a person is told.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address

_IPV4: Final = tuple(
    (ip_network(block), word)
    for block, word in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "a carrier's own"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_IPV6: Final = tuple(
    (ip_network(block), word)
    for block, word in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "another address, mapped"),
        ("::ffff:0:0:0/96", "another address, translated"),
        ("::/96", "another address, wrapped"),
        ("64:ff9b::/96", "another address behind NAT64"),
        ("64:ff9b:1::/48", "another address behind NAT64"),
        ("100::/64", "a black hole"),
        ("2001::/32", "another address behind Teredo"),
        ("2001:2::/48", "for benchmarks"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "another address behind 6to4"),
        ("3fff::/20", "for documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_OPEN_IPV6: Final = ip_network("2000::/3")
_INSIDE_WORDS: Final = frozenset({"loopback", "private"})
# Interface identifiers of ISATAP, which carry an IPv4 address in their last half.
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})


def read_address(text: str) -> Address | None:
    """An address in its one proper spelling; zone and other ornaments are none."""
    try:
        return ip_address(text) if "%" not in text else None
    except ValueError:
        return None


def forbidden_word(address: Address) -> str:
    """What kind of address this is when it is not the open internet; empty when it is."""
    ranges = _IPV4 if isinstance(address, IPv4Address) else _IPV6
    for network, word in ranges:
        if address in network:
            return word
    if isinstance(address, IPv6Address):
        return _odd_ipv6_word(address)
    return ""


def is_inside(address: Address) -> bool:
    """Of a kind that a name inside one's own house may have."""
    return forbidden_word(address) in _INSIDE_WORDS


def _odd_ipv6_word(address: IPv6Address) -> str:
    if address not in _OPEN_IPV6:
        return "reserved"
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "another address behind ISATAP"
    return ""
