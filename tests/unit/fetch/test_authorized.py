"""A source that gives tokens for a key: shown with each call, renewed once, and nowhere to be seen afterwards."""

import random

import pytest

from longstop.domain.errors import SourceRefusedError
from longstop.fetch.authorized import AuthorizedFetcher
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.token_desk import TokenDeskCall
from longstop.resilience.token_keeper import TokenKeeper
from tests.virtual import Heard, noon_clock, on_virtual_time

pytestmark = pytest.mark.req("B12")


class Site:
    """Gives tokens for its key, and takes the newest only."""

    def __init__(self) -> None:
        self.clock = noon_clock()
        self.given = 0
        self.body = b""
        self.asked: list[FetchRequest] = []

    async def fetch(self, request: FetchRequest) -> Snapshot:
        self.asked.append(request)
        headers = dict(request.headers)
        now = self.clock.now()
        if request.purpose == "token":
            if headers["X-API-Key"] != "the key" or request.method != "POST":
                raise SourceRefusedError("401")
            self.given += 1
            body = self.body or b'{"token": "t%d", "expires_in": 600}' % self.given
            return Snapshot(request, 200, body, now, now)
        if headers.get("Authorization") != f"Bearer t{self.given}":
            raise SourceRefusedError("401")
        return Snapshot(request, 200, b"{}", now, now)

    async def close(self) -> None: ...

    def fetcher(self, key: str = "the key") -> AuthorizedFetcher:
        call = TokenDeskCall("crex", "http://127.0.0.1/token", key, self)
        return AuthorizedFetcher(self, TokenKeeper("crex", call, self.clock, Heard().bus, random.Random(1)))


STATE = FetchRequest("crex", "http://127.0.0.1/state", "state", headers=(("authorization", "old"), ("accept", "*/*")))


@on_virtual_time
async def test_each_call_shows_the_token_and_what_is_kept_of_it_does_not() -> None:
    site = Site()
    snapshot = await site.fetcher().fetch(STATE)
    assert snapshot.request == STATE
    assert dict(site.asked[-1].headers) == {"accept": "*/*", "Authorization": "Bearer t1"}


@on_virtual_time
async def test_a_refused_call_is_made_once_more_with_a_new_token() -> None:
    site = Site()
    fetcher = site.fetcher()
    await fetcher.fetch(STATE)
    site.given += 1
    await fetcher.fetch(STATE)
    assert [asked.purpose for asked in site.asked] == ["token", "state", "state", "token", "state"]


@on_virtual_time
async def test_a_wrong_key_is_a_refusal_that_the_ladder_knows() -> None:
    with pytest.raises(SourceRefusedError, match="No token of crex"):
        await Site().fetcher("another key").fetch(STATE)


@pytest.mark.parametrize("body", [b"{}", b"[]", b"<html>", b'{"token": "a b"}', b'{"token": "a\\r\\nX: y"}', b"\xff"])
@on_virtual_time
async def test_what_is_no_token_is_a_refusal(body: bytes) -> None:
    site = Site()
    site.body = body
    with pytest.raises(SourceRefusedError):
        await site.fetcher().fetch(STATE)
