"""Each trap is what it says, and is made as it is sent."""

import gzip
import itertools
import zlib

import msgspec
import pytest

from longstop_origin.bombs import MEGABYTE
from longstop_origin.exchange import Reply
from tests.unit.origin.callers import Caller, a_site


def spring(address: str) -> Reply:
    return Caller(a_site()).get(f"/_trap/{address}")


def sent(reply: Reply) -> bytes:
    assert reply.parts is not None
    return b"".join(part for _, part in reply.parts)


def test_a_redirect_leads_where_it_is_told() -> None:
    reply = spring("redirect?to=http://169.254.169.254/latest")
    assert (reply.status, reply.headers["Location"]) == (302, "http://169.254.169.254/latest")


def test_hops_are_counted_down_to_the_end() -> None:
    caller = Caller(a_site())
    reply = caller.get("/_trap/redirect?to=http://[::1]:22/?a%3Db%26c&hops=7&status=307")
    hops = 0
    while reply.headers["Location"].startswith("/_trap/"):
        hops += 1
        reply = caller.get(reply.headers["Location"])
        assert reply.status == 307
    assert (hops, reply.headers["Location"]) == (7, "http://[::1]:22/?a=b&c")


def test_a_drip_takes_its_time() -> None:
    parts = list(spring("drip?seconds=3&bytes_per_second=2").parts or ())
    assert sum(wait for wait, _ in parts) == 3.0
    assert [len(part) for _, part in parts][1:] == [1] * 6


@pytest.mark.parametrize(("kind", "window"), [("gzip", 31), ("deflate", 15)])
def test_a_bomb_is_small_until_it_is_unpacked(kind: str, window: int) -> None:
    reply = spring(f"bomb?kind={kind}&mb=20")
    packed = sent(reply)
    assert reply.headers["Content-Encoding"] == kind
    assert len(packed) < 25_000
    assert zlib.decompress(packed, window) == bytes(20 * MEGABYTE)


def test_a_bomb_may_be_packed_twice() -> None:
    reply = spring("bomb?kind=gzip2&mb=20")
    assert reply.headers["Content-Encoding"] == "gzip, gzip"
    assert len(sent(spring("bomb?kind=gzip2&mb=200"))) < 2000
    assert gzip.decompress(gzip.decompress(sent(reply))) == bytes(20 * MEGABYTE)


def test_a_brotli_bomb_is_smaller_still() -> None:
    reply = spring("bomb?kind=br&mb=100")
    assert (reply.headers["Content-Encoding"], len(sent(reply)) < 2000) == ("br", True)


def test_a_bomb_may_lie_about_its_encoding() -> None:
    assert spring("bomb?kind=br&mb=1&encoding=gzip").headers["Content-Encoding"] == "gzip"


def test_endless_has_no_end() -> None:
    parts = spring("endless").parts
    assert parts is not None
    assert sum(len(part) for _, part in itertools.islice(parts, 1000)) > 60 * MEGABYTE


def test_headers_may_be_huge() -> None:
    many, one = spring("headers?kb=256").headers, spring("headers?kb=256&lines=one").headers
    assert all(sum(map(len, headers.values())) >= 256 * 1024 for headers in (many, one))
    assert (len(many) > 60, len(one) < 10) == (True, True)


def test_a_slow_close_keeps_what_it_has_said() -> None:
    assert list(spring("slow-close?seconds=9").parts or ()) == [(0.0, b'{"whole":true}'), (9.0, b"")]


def test_json_may_be_deep_wide_or_long() -> None:
    assert spring("json?depth=2000").body == b"[" * 2000 + b"]" * 2000
    assert len(msgspec.json.decode(sent(spring("json?keys=12345")))) == 12345
    assert len(spring("json?digits=100000").body) == 100_006


def test_a_hostile_page_names_its_canary_in_every_way() -> None:
    body = spring("page?canary=http://127.0.0.1:9/").body.decode()
    ways = ("refresh", "prefetch", "preload", "style", "iframe", "img", "object", "video", "script", "form", "icon")
    assert all(f'http://127.0.0.1:9/{way}"' in body for way in ways)
    assert all(f'"/{way}"' in body for way in ("fetch", "xhr", "beacon", "socket", "events", "worker", "window"))


def test_a_canary_cannot_close_its_script() -> None:
    body = spring('page?canary=http://127.0.0.1:9/"</script><b>').body.decode()
    assert '"</script><b>' not in body


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("nothing", 404),
        ("bomb?kind=zip", 400),
        ("bomb?mb=0", 400),
        ("bomb?mb=٣", 400),
        ("drip?bytes_per_second=0", 400),
        ("drip?seconds=nan", 400),
        ("redirect?hops=-1", 400),
        ("redirect?to=/%0D%0AX:1", 400),
        ("json?depth=1e9", 400),
        ("json?keys=99999999999999", 400),
    ],
)
def test_a_trap_that_cannot_be_set_is_told(address: str, status: int) -> None:
    assert spring(address).status == status
