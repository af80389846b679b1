from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.fetch.egress.addresses import forbidden_word, is_inside, read_address

FORBIDDEN = {
    "0.0.0.0": "this network",
    "10.255.255.255": "private",
    "100.127.255.255": "a carrier's own",
    "127.0.0.53": "loopback",
    "169.254.169.254": "link-local",
    "172.31.0.1": "private",
    "192.0.0.8": "reserved",
    "192.0.2.1": "for documentation",
    "192.88.99.1": "a 6to4 relay",
    "192.168.255.255": "private",
    "198.19.255.255": "for benchmarks",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::7f00:1": "another address, wrapped",
    "::ffff:93.184.216.34": "another address, mapped",
    "::ffff:0:127.0.0.1": "another address, translated",
    "64:ff9b::a9fe:a9fe": "another address behind NAT64",
    "64:ff9b:1:ffff::1": "another address behind NAT64",
    "100::1": "a black hole",
    "2001:0:4136:e378::1": "another address behind Teredo",
    "2001:2::1": "for benchmarks",
    "2001:10::1": "reserved",
    "2001:db8::1": "for documentation",
    "2002:7f00:1::1": "another address behind 6to4",
    "2606:4700::5efe:7f00:1": "another address behind ISATAP",
    "3fff::1": "for documentation",
    "4000::1": "reserved",
    "5f00::1": "reserved",
    "fd12::1": "private",
    "fe80::1": "link-local",
    "fec0::1": "site-local",
    "ff0e::1": "multicast",
}


@pytest.mark.parametrize("text", FORBIDDEN)
def test_an_address_that_is_not_the_open_internet_is_named_for_what_it_is(text: str) -> None:
    assert forbidden_word(ip_address(text)) == FORBIDDEN[text]


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "93.184.216.34", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1"]
)
def test_an_address_of_the_open_internet_is_let_through(text: str) -> None:
    assert forbidden_word(ip_address(text)) == ""


@pytest.mark.parametrize(
    "text", ["127.1", "0177.0.0.1", "2130706433", "1.2.3.4/8", "::1%lo", "", "[::1]", "①.1.1.1", "1.1.1.1 "]
)
def test_an_odd_spelling_is_no_address(text: str) -> None:
    assert read_address(text) is None


def test_link_local_is_nobodys_inside() -> None:
    """The addresses of cloud metadata services are never reached by a name."""
    assert is_inside(ip_address("10.0.0.1"))
    assert is_inside(ip_address("::1"))
    assert not is_inside(ip_address("169.254.169.254"))


@given(st.integers(0, 2**32 - 1))
def test_no_ipv4_address_is_laxer_than_the_standard_library_says(number: int) -> None:
    address = IPv4Address(number)
    assert address.is_global or forbidden_word(address)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["64:ff9b::", "2002::", "::", "::ffff:0:0", "64:ff9b:1::"]))
def test_no_address_inside_another_comes_through(number: int, wrap: str) -> None:
    shift = 80 if wrap == "2002::" else 0
    assert forbidden_word(IPv6Address(int(IPv6Address(wrap)) | number << shift))
