"""A plain client of the simulated site, one that can also do what its page would do."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from longstop_origin.exchange import Reply, Request
from longstop_origin.fixture import Fixture
from longstop_origin.guards import Guards
from longstop_origin.pages import match_path
from longstop_origin.sessions import PROOF_ROUNDS, mix
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions

EPOCH = 1_700_000_000.0
STATE = "/api/v3/getSV3"


def a_site(*words: str, matches: int = 3) -> Site:
    world = World(WorldOptions(epoch=EPOCH, seed=9, matches=matches, speed=40.0))
    return Site(world, guards=Guards.from_words(words))


def first(site: Site) -> Fixture:
    return site.world.listed(EPOCH)[0]


class Caller:
    """Its headers and cookies go with every call; cookies are kept as a browser keeps them."""

    def __init__(self, site: Site, **headers: str) -> None:
        self.site = site
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.cookies: dict[str, str] = {}
        self.now = EPOCH

    def send(self, method: str, address: str, body: bytes = b"") -> Reply:
        parts = urlsplit(address)
        headers = dict(self.headers)
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        asked = Request(method, parts.path, dict(parse_qsl(parts.query)), headers, body)
        reply = self.site.respond(asked, self.now)
        self._take(reply)
        return reply

    def _take(self, reply: Reply) -> None:
        name, _, rest = reply.headers.get("Set-Cookie", "").partition("=")
        if name:
            self.cookies[name] = rest.partition(";")[0]

    def get(self, address: str) -> Reply:
        return self.send("GET", address)

    def state(self, key: str | None = None) -> Reply:
        return self.get(f"{STATE}?key={key or first(self.site).key}")

    def match_calls(self, key: str) -> Iterable[Reply]:
        """Every JSON call of a match."""
        yield self.state(key)
        yield self.get(f"/api/v3/getSC4?key={key}")
        yield self.get(f"/commentary/getBallFeeds?key={key}&inning=1&from=0&to=9")
        yield self.get("/mapping/getHomeMapData?p=A&t=B&s=C")

    def open_page(self, fixture: Fixture | None = None) -> dict[str, Any]:
        """What the page tells its script."""
        reply = self.get(match_path(fixture or first(self.site)))
        found = re.search(rb'id="page-options"[^>]*>(.*?)</script>', reply.body)
        assert found, reply
        return dict(msgspec.json.decode(found[1]))

    def knock(self, page: dict[str, Any], **otherwise: str) -> Reply:
        """Asks for a token as the script would."""
        proof = mix(f"{page['nonce']}|{page['key']}|{page['teams']}", PROOF_ROUNDS)
        knock = {"key": page["key"], "nonce": page["nonce"], "proof": proof} | otherwise
        return self.send("POST", "/auth/session", msgspec.json.encode(knock))

    def take_token(self, fixture: Fixture | None = None) -> str:
        granted = self.knock(self.open_page(fixture))
        assert granted.status == 200, granted
        token = str(msgspec.json.decode(granted.body)["token"])
        self.headers["Authorization"] = f"Bearer {token}"
        return token


def error_of(reply: Reply) -> str:
    return str(msgspec.json.decode(reply.body)["error"])
