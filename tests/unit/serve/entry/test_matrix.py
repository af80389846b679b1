"""A3: every route, in the OpenAPI document or not, for every role and every state of a token."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler

from longstop.domain.access import Scope
from longstop.serve.entry.rules import Access, rule_of
from longstop.settings.serving import AuthSettings, LimitSettings
from tests.unit.serve.entry.house import ELSEWHERE, House, settings_in

pytestmark = pytest.mark.req("G2")
FILLED = {"match_id": "crex_QUY", "name": "internal", "path": "openapi.json"}
ROLES: dict[str, frozenset[Scope]] = {
    "reader": frozenset({Scope.READ}),
    "pusher": frozenset({Scope.PUSH}),
    "admin": frozenset({Scope.ADMIN}),
    "all": frozenset(Scope),
}
OPENS = {
    Access.READ: {"reader", "admin", "all"},
    Access.PUSH: {"pusher", "admin", "all"},
    Access.ADMIN: {"admin", "all"},
}
# Answers that never end; that they are let in is seen by the others of their kind.
ENDLESS = re.compile(r"/stream|/follow|/events/live|sse")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    auth = AuthSettings(open_reading=False)
    limits = LimitSettings(attempts_per_minute=100_000, standard_per_minute=100_000, premium_per_minute=100_000)
    made = House(settings_in(tmp_path, auth=auth, limits=limits))
    await made.open()
    yield made
    await made.close()


def routes_of(house: House) -> list[tuple[str, str, Access]]:
    """Method, address and rule; the rule is read from the handler, the behaviour from the answers."""
    app = house.app.app
    assert isinstance(app, Litestar)
    found: list[tuple[str, str, Access]] = []
    for route in app.routes:
        handlers: list[HTTPRouteHandler] = getattr(route, "route_handlers", [])
        for handler in handlers:
            access = rule_of(handler)
            assert access is not None, handler
            path = re.sub(r"\{(\w+)(?::\w+)?\}", lambda part: FILLED.get(part[1], "1"), route.path)
            found += [(str(method), path, access) for method in sorted(handler.http_methods - {"OPTIONS"})]
    # Whoever logs out is out: his token opens nothing after that.
    return sorted(found, key=lambda each: each[1] == "/console/logout")


async def test_every_route_is_in_the_document_or_belongs_to_the_page(house: House) -> None:
    async with house.client() as client:
        document = (await client.get("/schema")).json()
    told = {
        (method.upper(), re.sub(r"\{(\w+)\}", lambda part: FILLED.get(part[1], "1"), path))
        for path, methods in document["paths"].items()
        for method in methods
    }
    routes = {(method, path) for method, path, _ in routes_of(house)}
    assert told <= routes
    hidden = {path for _, path in routes - told}
    assert all(
        path == "/" or path.startswith(("/console/", "/favicon", "/match/", "/ops/", "/schema")) for path in hidden
    ), hidden
    assert len(told) >= 15


async def test_without_a_good_token_nothing_opens_but_what_is_public(house: House) -> None:
    revoked, expired = await house.key(*Scope), await house.key(*Scope)
    bearers = {"revoked": await house.token(revoked), "expired": await house.token(expired)}
    await house.end(revoked.key)
    now = house.clock.now()
    house.clock.advance(86_400)
    good = await house.token(await house.key(*Scope, consumer="later"))
    assert house.clock.now() > now
    headers = {
        "none": {},
        "revoked": {"Authorization": f"Bearer {bearers['revoked']}"},
        "expired": {"Authorization": f"Bearer {bearers['expired']}"},
        "nonsense": {"Authorization": "Bearer x"},
        "another scheme": {"Authorization": f"Basic {good}"},
        "a session of nobody": {"Cookie": "longstop_session=x"},
        "a token as session": {"Cookie": f"longstop_session={good}"},
    }
    opened = []
    for peer in (ELSEWHERE, "127.0.0.1"):
        async with house.client(peer) as client:
            for method, path, access in routes_of(house):
                for name, sent in headers.items():
                    if access is Access.PUBLIC or ENDLESS.search(path):
                        continue
                    answer = await client.request(method, path, headers=sent)
                    if answer.status_code != 401 or "www-authenticate" not in answer.headers:
                        opened.append((peer, method, path, name, answer.status_code))
    assert opened == []
    assert house.engine.asked == []


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_opens_what_is_its_and_nothing_else(house: House, role: str) -> None:
    bearer = {"Authorization": f"Bearer {await house.token(await house.key(*ROLES[role]))}"}
    wrong: list[tuple[object, ...]] = []
    async with house.client() as client:
        for method, path, access in routes_of(house):
            if access is Access.PUBLIC or ENDLESS.search(path):
                continue
            house.engine.asked.clear()
            answer = await client.request(method, path, headers=bearer)
            is_in = answer.status_code not in {401, 403}
            if path == "/console/session":
                is_in = (answer.status_code == 401 and role in OPENS[access]) or is_in  # a token is no login
            if is_in is not (role in OPENS[access]):
                wrong.append((method, path, access, answer.status_code))
            if role not in OPENS[access] and (house.engine.asked or answer.json()["type"] != "/problems/scope-missing"):
                wrong.append((method, path, access, answer.text))
    assert wrong == []


async def test_no_spelling_of_a_path_leads_past_the_door(house: House) -> None:
    """Whatever the router finds under it, the door has seen its route; what it does not find is nothing."""
    paths = [
        "/cricket-data/matches/",
        "//cricket-data/matches",
        "/cricket-data//matches",
        "/cricket-data/./matches",
        "/cricket-data/../cricket-data/matches",
        "/health/../cricket-data/matches",
        "/console/../cricket-data/matches",
        "/%63ricket-data/matches",
        "/cricket-data%2fmatches",
        "/cricket-data/matches%00",
        "/cricket-data/matches;x=1",
        "/cricket-data/matches?x=1",
        "/CRICKET-DATA/MATCHES",
        "/Cricket-Data/matches",
        "/cricket-data/matches%20",
        "/cricket-data\\matches",
        "/admin/recycle/",
        "//admin/recycle",
        "/admin/./recycle",
        "/ADMIN/recycle",
        "/admin/matches/crex_QUY/../crex_QUY/stop",
    ]
    async with house.client("127.0.0.1") as client:
        for path in paths:
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"):
                for headers in ({}, {"X-HTTP-Method-Override": "GET"}, {"X-Original-URL": "/health"}):
                    answer = await client.request(method, path, headers=headers)
                    assert answer.status_code in {400, 401, 404, 405}, (method, path, answer.status_code)
    assert house.engine.asked == []
