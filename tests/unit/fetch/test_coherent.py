"""The transport with a browser's TLS, under the same rules as every other. Needs the extra `coherent`."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import (
    EgressRefusedError,
    ExtraMissingError,
    OversizedBodyError,
    SourceRefusedError,
    SourceTimeoutError,
    SourceUnreachableError,
)
from longstop.fetch.coherent import CurlTransport
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.proxy import FilteringProxy
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.http import HttpFetcher, HttpLimits
from longstop.fetch.snapshot import FetchRequest

if TYPE_CHECKING:
    Site = Any

MEBIBYTE = 1024 * 1024


def needs_curl() -> None:
    pytest.importorskip("curl_cffi", reason="the extra `coherent` is not installed")


async def inside(host: str) -> list[str]:
    return ["127.0.0.2"]


@pytest.fixture
async def proxy() -> AsyncIterator[FilteringProxy]:
    made = FilteringProxy(SystemClock())
    yield made
    await made.close()


@pytest.fixture
async def coherent(site: "Site", proxy: FilteringProxy) -> AsyncIterator[HttpFetcher]:
    needs_curl()
    resolver = PinnedResolver(rules_for("crex", site.base_url, ("site.example",)), inside, SystemClock())
    transport = CurlTransport(proxy, resolver, body_bytes_max=4 * MEBIBYTE)
    made = HttpFetcher(SystemClock(), HttpLimits(deadline_seconds=20.0), resolver, transport)
    yield made
    await made.close()


def test_without_its_part_the_switch_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    resolver = PinnedResolver(rules_for("crex", "http://127.0.0.1:1"), inside, SystemClock())
    with pytest.raises(ExtraMissingError, match=r"sources\.crex\.coherent_tls .*\[coherent\]"):
        CurlTransport(FilteringProxy(SystemClock()), resolver, body_bytes_max=1)


@pytest.mark.req("D7")
async def test_it_speaks_as_a_browser_and_goes_through_our_proxy(
    site: "Site", coherent: HttpFetcher, proxy: FilteringProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    shot = await coherent.fetch(site.request("/compressed"))
    assert shot.body == b'{"ok":true}'
    headers = site.seen[0].headers
    assert "Chrome/" in headers["User-Agent"]
    assert headers["Accept-Encoding"] == "gzip, deflate"
    assert proxy.traffic("crex").requests == 1


async def test_it_keeps_to_the_rules_of_the_source(site: "Site", coherent: HttpFetcher, proxy: FilteringProxy) -> None:
    for url in ("http://127.0.0.2:1234/", "http://evil.example/", "http://site.example/", "file:///etc/passwd"):
        with pytest.raises(EgressRefusedError):
            await coherent.fetch(FetchRequest("crex", url, "state"))
    with pytest.raises(EgressRefusedError):
        await coherent.fetch(site.request("/answer?status=302&h_Location=http://127.0.0.2/"))
    with pytest.raises(SourceRefusedError, match="login"):
        await coherent.fetch(site.request("/answer?status=302&h_Location=/login"))
    assert (await coherent.fetch(site.request("/answer?status=307&h_Location=/compressed"))).body == b'{"ok":true}'
    assert proxy.traffic("crex").refused == 0  # nothing that is refused gets even as far as the proxy


async def test_it_keeps_to_the_bounds(site: "Site", coherent: HttpFetcher) -> None:
    for kind in ("zeros", "zip"):
        with pytest.raises(OversizedBodyError):
            await coherent.fetch(site.request(f"/bomb/{kind}"))
    with pytest.raises(OversizedBodyError):
        await coherent.fetch(site.request("/flood"))
    with pytest.raises(SourceUnreachableError, match="did not ask"):
        await coherent.fetch(site.request("/encoded?as=br"))
    began = time.perf_counter()
    for path in ("/hang", "/drip"):
        with pytest.raises(SourceTimeoutError):
            await coherent.fetch(site.request(path, deadline_seconds=0.2))
    assert time.perf_counter() - began < 5.0
    assert (await coherent.fetch(site.request("/answer"))).status == 200


async def test_no_cookie_is_kept_and_a_dead_site_is_unreachable(site: "Site", coherent: HttpFetcher) -> None:
    await coherent.fetch(site.request("/answer?h_Set_Cookie=session%3Dsecret"))
    await coherent.fetch(site.request("/answer"))
    assert "Cookie" not in site.seen[1].headers


async def test_cancelling_leaves_it_usable(site: "Site", coherent: HttpFetcher) -> None:
    for _ in range(3):
        call = asyncio.create_task(coherent.fetch(site.request("/hang")))
        await site.arrived.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    assert (await coherent.fetch(site.request("/answer"))).body == b'{"ok":true}'
