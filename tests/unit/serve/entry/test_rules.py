"""A3: every route says who may use it, and what says nothing admits nobody."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar import Litestar, Router, get
from litestar.handlers import HTTPRouteHandler

from longstop.serve.admin import AdminDesk
from longstop.serve.api import create_litestar
from longstop.serve.entry.hall import Hall, open_to_this_machine
from longstop.serve.entry.rules import PUBLIC, Access, rule_of
from longstop.serve.problems import HANDLERS
from longstop.settings import Settings
from longstop.settings.serving import StorageSettings
from tests.unit.serve.test_admin import Office

pytestmark = pytest.mark.req("G2")


def handlers_of(app: Litestar) -> list[HTTPRouteHandler]:
    found = [getattr(route, "route_handlers", []) for route in app.routes]
    return [handler for handlers in found for handler in handlers]


@pytest.fixture
def app(tmp_path: Path) -> Litestar:
    """Everything that a running Longstop serves."""
    office = Office()
    desk = AdminDesk(office.reload, office.world.clock, office.heard.bus, office.engine)
    hall = Hall(Settings(storage=StorageSettings(root=tmp_path)), office.world.clock, office.heard.bus)
    return create_litestar(office.world.model, hall.entry(), admin=desk)


def test_every_route_says_who_may_use_it(app: Litestar) -> None:
    handlers = handlers_of(app)
    assert len(handlers) > 30
    assert [str(handler) for handler in handlers if rule_of(handler) is None] == []


def test_what_changes_something_is_never_open_to_readers(app: Litestar) -> None:
    changing = [handler for handler in handlers_of(app) if handler.http_methods - {"GET", "HEAD", "OPTIONS"}]
    of_getting_in = {"/token/generate-token", "/console/login", "/console/logout"}
    for handler in changing:
        assert rule_of(handler) in {Access.PUSH, Access.ADMIN} or handler.paths <= of_getting_in, handler


def test_what_is_open_to_all_is_this_and_nothing_else(app: Litestar) -> None:
    open_paths = {
        route.path
        for route in app.routes
        for handler in getattr(route, "route_handlers", [])
        if rule_of(handler) is Access.PUBLIC and handler.http_methods != {"OPTIONS"}
    }
    told = {
        "/",
        "/match/{match_id:str}",
        "/health",
        "/livez",
        "/readyz",
        "/status",
        "/problems/{name:str}",
        "/token/generate-token",
    }
    files = {path for path in open_paths if path.startswith(("/console/", "/favicon", "/schema"))}
    assert open_paths - files <= told
    assert {path for path in files if "." not in path} <= {"/console/login", "/schema", "/schema/{path:str}"}


@get("/forgotten")
async def forgotten() -> dict[str, Any]:
    return {"secret": "of the house"}


@get("/told", opt=PUBLIC)
async def told() -> dict[str, Any]:
    return {}


async def test_a_route_without_a_rule_admits_nobody() -> None:
    office = Office()
    inner = Router("/inner", route_handlers=[forgotten, told])
    entry = open_to_this_machine(office.world.clock, office.heard.bus, admin=True)
    app = Litestar(
        [inner, forgotten],
        middleware=[entry.door.before],
        exception_handlers=dict(HANDLERS),
        openapi_config=None,
        logging_config=None,
    )
    transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type]  # both speak ASGI
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for path in ("/forgotten", "/inner/forgotten", "/inner/forgotten/", "//inner//forgotten"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["type"]) == (403, "/problems/no-rule")
        assert (await client.get("/inner/told")).status_code == 200
        assert (await client.options("/inner/told")).status_code == 204
