"""The plain fetcher under the rules of a source."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import (
    EgressRefusedError,
    SentAwayError,
    SourceRefusedError,
    SourceTimeoutError,
    SourceUnreachableError,
    UnexpectedStatusError,
)
from longstop.fetch.egress.guard import EgressRules, rules_for
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.http import HttpFetcher, HttpLimits
from longstop.fetch.snapshot import FetchRequest
from tests.unit.fetch.egress import hostile

if TYPE_CHECKING:
    Canary = Any
    OwnSite = Any

SECRETS = (
    ("Authorization", "Bearer canary"),
    ("Cookie", "s=canary"),
    ("X-Api-Key", "canary"),
    ("Accept", "text/plain"),
)


@pytest.fixture
async def guarded(resolver: PinnedResolver) -> AsyncIterator[HttpFetcher]:
    made = HttpFetcher(SystemClock(), HttpLimits(deadline_seconds=2.0), resolver)
    yield made
    await made.close()


def request_for(url: str, **more: Any) -> FetchRequest:
    return FetchRequest("crex", url, "state", **more)


async def test_the_source_itself_is_reached(guarded: HttpFetcher, own_site: "OwnSite") -> None:
    shot = await guarded.fetch(request_for(f"{own_site.base_url}/a%2Fb?c=%C3%A9,d"))
    assert shot.body == b"GET /a%2Fb?c=%C3%A9,d"


@pytest.mark.req("D3")
async def test_no_hostile_address_is_called(guarded: HttpFetcher, canary: "Canary") -> None:
    urls = [url for url, _ in hostile.TABLE if url != "http://127.0.0.1/"]
    for url in (*urls, f"http://127.0.0.2:{canary.port}/", "http://site.example/"):
        with pytest.raises(EgressRefusedError):
            await guarded.fetch(request_for(url))
    assert canary.connections == 0
    assert not guarded.transport.session or not guarded.transport.session.connector._conns  # type: ignore[attr-defined]  # aiohttp


async def test_redirects_are_followed_to_the_bound(guarded: HttpFetcher, own_site: "OwnSite") -> None:
    own_site.redirect_to = "/end"
    assert (await guarded.fetch(request_for(f"{own_site.base_url}/hops/4"))).body == b"GET /end"
    assert len(own_site.seen) == 6
    with pytest.raises(UnexpectedStatusError, match="more than 5 times"):
        await guarded.fetch(request_for(f"{own_site.base_url}/hops/5"))
    assert len(own_site.seen) == 12


@pytest.mark.req("D3")
@pytest.mark.parametrize("hops", range(5))
@pytest.mark.parametrize(
    "form",
    [
        "http://127.0.0.2:{port}/",
        "//127.0.0.2:{port}/",
        "http://2130706434:{port}/",
        "http:\\\\127.0.0.2:{port}\\",
        "file:///etc/passwd",
        "http://site.example/",
    ],
)
async def test_a_redirect_to_a_forbidden_place_is_refused_at_every_hop(
    guarded: HttpFetcher, own_site: "OwnSite", canary: "Canary", hops: int, form: str
) -> None:
    own_site.redirect_to = form.format(port=canary.port)
    with pytest.raises(SentAwayError):
        await guarded.fetch(request_for(f"{own_site.base_url}/hops/{hops}"))
    assert canary.connections == 0
    assert len(own_site.seen) == hops + 1


async def test_a_redirect_may_hold_raw_letters_and_spaces_in_its_path(
    guarded: HttpFetcher, own_site: "OwnSite"
) -> None:
    own_site.redirect_to = "/partida/são paulo?q=a b#top"
    assert (
        await guarded.fetch(request_for(f"{own_site.base_url}/to/302"))
    ).body == b"GET /partida/s%C3%A3o%20paulo?q=a%20b"


async def test_a_redirect_to_a_login_page_is_a_refusal_wherever_it_lies(
    guarded: HttpFetcher, own_site: "OwnSite"
) -> None:
    for target in ("/login?next=/a", "https://accounts.elsewhere.example/signin/v2", "/auth/sso"):
        own_site.redirect_to = target
        with pytest.raises(SourceRefusedError, match="login"):
            await guarded.fetch(request_for(f"{own_site.base_url}/to/302"))
    assert len(own_site.seen) == 3


async def test_a_redirect_without_an_address_is_an_unexpected_answer(guarded: HttpFetcher, own_site: "OwnSite") -> None:
    own_site.redirect_to = ""
    with pytest.raises(UnexpectedStatusError, match="where to"):
        await guarded.fetch(request_for(f"{own_site.base_url}/to/301"))


@pytest.fixture
async def two_sites(own_site: "OwnSite") -> AsyncIterator[tuple[HttpFetcher, "OwnSite", str]]:
    """The same server under two names, as a site and its API are."""
    names = {"a.test": "127.0.0.1", "b.test": "127.0.0.1"}

    async def lookup(host: str) -> Sequence[str]:
        return [names[host]]

    rules = EgressRules("crex", frozenset(names), None)
    fetcher = HttpFetcher(SystemClock(), HttpLimits(), _AnyPort(rules, lookup, own_site.port))
    yield fetcher, own_site, f"//b.test:{own_site.port}/end"
    await fetcher.close()


class _AnyPort(PinnedResolver):
    """The test's server cannot listen on port 80: the connection for it goes to where it does listen."""

    def __init__(self, rules: EgressRules, lookup: Any, port: int) -> None:
        super().__init__(rules, lookup, SystemClock())
        self._port = port

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> Any:
        return [{**each, "port": self._port} for each in await super().resolve(host, port, family)]


@pytest.mark.req("D3")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_secrets_stay_with_the_host_they_were_meant_for(two_sites: Any, status: int) -> None:
    fetcher, site, _ = two_sites
    site.redirect_to = "http://b.test/end"
    await fetcher.fetch(request_for(f"http://a.test/to/{status}", headers=SECRETS))
    first, second = site.seen
    assert first.headers["Authorization"] == "Bearer canary"
    assert second.headers["Host"] == "b.test"
    assert "canary" not in str(second.headers)
    assert second.headers["Accept"] == "text/plain"


async def test_secrets_go_along_within_one_host(two_sites: Any) -> None:
    fetcher, site, _ = two_sites
    site.redirect_to = "/end"
    await fetcher.fetch(request_for("http://a.test/to/302", headers=SECRETS))
    assert site.seen[1].headers["Cookie"] == "s=canary"


async def test_a_body_goes_along_only_where_the_standard_says_and_never_to_another_host(two_sites: Any) -> None:
    fetcher, site, _ = two_sites
    post = {"method": "POST", "body": b"canary", "headers": (("Content-Type", "text/plain"),)}
    site.redirect_to = "/end"
    await fetcher.fetch(request_for("http://a.test/to/303", **post))
    await fetcher.fetch(request_for("http://a.test/to/307", **post))
    assert [(request.method, body) for request, body in zip(site.seen, site.bodies, strict=True)] == [
        ("POST", b"canary"),
        ("GET", b""),
        ("POST", b"canary"),
        ("POST", b"canary"),
    ]
    site.redirect_to = "http://b.test/end"
    with pytest.raises(UnexpectedStatusError, match="another host"):
        await fetcher.fetch(request_for("http://a.test/to/307", **post))
    assert len(site.seen) == 5


async def test_a_name_that_changes_between_two_calls_is_not_followed_inside(
    own_site: "OwnSite", canary: "Canary"
) -> None:
    """DNS rebinding: first the good address, then the canary's. The connection is not kept between the calls."""
    answers = ["127.0.0.1", "127.0.0.2"]

    async def lookup(host: str) -> Sequence[str]:
        return [answers.pop(0)]

    rules = rules_for("crex", f"http://site.example:{canary.port}", (), ("127.0.0.1",))
    fetcher = HttpFetcher(SystemClock(), HttpLimits(), PinnedResolver(rules, lookup, SystemClock()))
    url = f"http://site.example:{canary.port}/"
    with pytest.raises(SourceUnreachableError):  # nobody listens there on the good address
        await fetcher.fetch(request_for(url))
    for _ in range(3):
        with pytest.raises(SourceUnreachableError):
            await fetcher.fetch(request_for(url))
    assert answers == ["127.0.0.2"]  # pinned: never asked again
    assert canary.connections == 0
    await fetcher.close()


async def test_a_call_whose_name_never_resolves_ends_at_its_deadline() -> None:
    async def hang(host: str) -> Sequence[str]:
        await asyncio.Event().wait()
        raise AssertionError

    rules = rules_for("crex", "http://site.example")
    fetcher = HttpFetcher(SystemClock(), HttpLimits(), PinnedResolver(rules, hang, SystemClock()))
    with pytest.raises(SourceTimeoutError):
        await fetcher.fetch(request_for("http://site.example/", deadline_seconds=0.1))
    await fetcher.close()


async def test_what_a_recipe_took_from_a_browsers_connection_is_not_sent(
    guarded: HttpFetcher, own_site: "OwnSite"
) -> None:
    taken = (
        ("accept-encoding", "br, zstd"),
        ("Host", "evil.example"),
        ("Proxy-Authorization", "x"),
        ("TE", "trailers"),
    )
    await guarded.fetch(request_for(own_site.base_url, headers=(*taken, ("X-Token", "t"))))
    sent = own_site.seen[0].headers
    assert sent["Accept-Encoding"] == "gzip, deflate"
    assert sent["Host"] == f"127.0.0.1:{own_site.port}"
    assert sent["X-Token"] == "t"
    assert not {"Proxy-Authorization", "TE"} & set(sent)


@pytest.mark.parametrize(
    "more",
    [
        {"headers": (("X", "a\r\nHost: evil.example"),)},
        {"headers": (("X\r\nY", "a"),)},
        {"headers": (("X", "a\0"),)},
        {"headers": (("", "a"),)},
        {"method": "GET / HTTP/1.1\r\nX:"},
        {"method": ""},
    ],
)
async def test_a_call_that_would_break_out_of_its_head_is_not_sent(
    guarded: HttpFetcher, own_site: "OwnSite", more: dict[str, Any]
) -> None:
    with pytest.raises(EgressRefusedError):
        await guarded.fetch(request_for(own_site.base_url, **more))
    assert own_site.seen == []


async def test_an_unchanged_answer_is_confirmed_without_its_body(guarded: HttpFetcher, own_site: "OwnSite") -> None:
    url = f"{own_site.base_url}/etag/one"
    first = await guarded.fetch(request_for(url, is_conditional=True))
    second = await guarded.fetch(request_for(url, is_conditional=True))
    assert (first.status, first.body, first.is_unchanged) == (200, b"one", False)
    assert (second.status, second.body, second.is_unchanged) == (304, b"", True)
    assert second.sha256() == first.sha256()
    assert own_site.seen[1].headers["If-Modified-Since"] == "Wed, 21 Oct 2015 07:28:00 GMT"


async def test_nothing_is_asked_conditionally_unless_the_caller_wants_it(
    guarded: HttpFetcher, own_site: "OwnSite"
) -> None:
    url = f"{own_site.base_url}/etag/one"
    await guarded.fetch(request_for(url, is_conditional=True))
    shot = await guarded.fetch(request_for(url))
    assert (shot.status, shot.body) == (200, b"one")
    assert "If-None-Match" not in own_site.seen[1].headers


async def test_of_a_long_answer_only_the_head_is_read_when_that_is_wanted(
    guarded: HttpFetcher, own_site: "OwnSite"
) -> None:
    shot = await guarded.fetch(request_for(f"{own_site.base_url}/big/3000000", head_bytes_max=1000))
    assert len(shot.body) == 1000
