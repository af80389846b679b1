"""The verbs of /admin: what they answer, that each use is told, and who is kept out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from longstop.domain.errors import IllegalTransitionError, InputError, LongstopError, UnknownMatchError
from longstop.observe.signals import AdminVerbUsed
from longstop.serve import admin as routes
from longstop.serve.admin import AdminDesk, AdminVerbs
from longstop.serve.api import create_app
from longstop.serve.doorkeeper import objection
from longstop.serve.entry.hall import open_to_this_machine
from longstop.settings import Change, Fault, ReloadResult
from longstop.settings.faults import COMMAND_LINE
from tests.unit.serve.world import World
from tests.virtual import Heard

pytestmark = pytest.mark.req("G3")
HOME = "http://127.0.0.1:8000"


class Engine:
    """Writes down what it is asked, and fails as told."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.failure: Exception | None = None
        self.is_hanging = False

    async def _do(self, *words: str) -> None:
        self.asked.append(words)
        if self.is_hanging:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure

    async def restart(self, match_id: str, reason: str) -> None:
        await self._do("restart", match_id, reason)

    async def recycle(self, reason: str) -> None:
        await self._do("recycle", reason)

    async def pause(self, match_id: str) -> None:
        await self._do("pause", match_id)

    async def resume(self, match_id: str) -> None:
        await self._do("resume", match_id)

    async def stop(self, match_id: str) -> None:
        await self._do("stop", match_id)

    async def choose_rung(self, match_id: str, rung: str) -> None:
        await self._do("rung", match_id, rung)

    async def start(self, url: str) -> str:
        await self._do("start", url)
        return "crex_QUY"

    async def switch_source(self, name: str, *, is_on: bool) -> None:
        await self._do("source", name, "on" if is_on else "off")

    def sources(self) -> list[tuple[str, bool, int, list[str]]]:
        return [("crex", True, 3, [])]


class Office:
    def __init__(self) -> None:
        self.world = World()
        self.heard = Heard()
        self.engine = Engine()
        self.result = ReloadResult("unchanged", 1)
        self.reasons: list[str] = []

    async def reload(self, reason: str) -> ReloadResult:
        self.reasons.append(reason)
        return self.result

    @asynccontextmanager
    async def client(
        self, *, peer: str = "127.0.0.1", verbs: bool = True, is_open: bool = True
    ) -> AsyncIterator[httpx.AsyncClient]:
        engine: AdminVerbs | None = self.engine if verbs else None
        desk = AdminDesk(self.reload, self.world.clock, self.heard.bus, engine)
        entry = open_to_this_machine(self.world.clock, self.heard.bus, admin=is_open)
        app = create_app(self.world.model, entry, admin=desk)
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False, client=(peer, 5000))
        async with httpx.AsyncClient(transport=transport, base_url=HOME) as client:
            yield client

    async def post(self, path: str, *, status: int = 200, **more: Any) -> dict[str, Any]:
        async with self.client() as client:
            answer = await client.post(path, **more)
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    @property
    def told(self) -> list[AdminVerbUsed]:
        return self.heard.of(AdminVerbUsed)


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.mark.req("B2")
async def test_a_reload_answers_what_was_applied_and_what_needs_a_restart(office: Office) -> None:
    office.result = ReloadResult("reloaded", 2, (Change("a.b", "1", "2"),), (Change("api.port", "8000", "9000"),))
    assert await office.post("/admin/reload") == {
        "outcome": "reloaded",
        "generation": 2,
        "applied": [{"setting": "a.b", "before": "1", "after": "2"}],
        "needs_restart": [{"setting": "api.port", "before": "8000", "after": "9000"}],
    }
    assert office.reasons == ["POST /admin/reload"]
    assert [(told.verb, told.outcome) for told in office.told] == [("reload", "done")]


@pytest.mark.req("B2")
async def test_a_refused_reload_is_a_problem_with_every_fault(office: Office) -> None:
    faults = (Fault(COMMAND_LINE, "a.b", "is bad", "mend it"), Fault(COMMAND_LINE, "a.c", "is worse", "mend it too"))
    office.result = ReloadResult(
        "refused", 1, faults=faults, message="2 settings cannot be used.", hint="Old ones stay."
    )
    problem = await office.post("/admin/reload", status=422)
    assert (problem["type"], problem["status"]) == ("/problems/settings-refused", 422)
    assert problem["detail"] == "2 settings cannot be used. Old ones stay."
    assert problem["errors"] == [
        {"parameter": "command line a.b", "detail": "is bad; mend it"},
        {"parameter": "command line a.c", "detail": "is worse; mend it too"},
    ]
    assert [(told.outcome, told.detail) for told in office.told] == [("failed", problem["detail"])]


@pytest.mark.parametrize("rung", ["", "browser", "DOM", "auto ", "../x"])
async def test_a_rung_that_is_none_is_refused(office: Office, rung: str) -> None:
    await office.post("/admin/matches/crex_QUY/rung", status=400, json={"rung": rung})
    assert office.engine.asked == []


async def test_each_verb_reaches_the_engine_and_is_told(office: Office) -> None:
    headers = {"x-request-id": "r1"}
    for verb in ("pause", "resume", "stop"):
        answer = await office.post(f"/admin/matches/crex_QUY/{verb}", headers=headers)
        assert answer == {"verb": verb, "match_id": "crex_QUY"}
    await office.post("/admin/matches/crex_QUY/restart?reason=looks+odd", headers=headers)
    await office.post("/admin/recycle", headers=headers)
    await office.post("/admin/matches/crex_QUY/rung", json={"rung": "dom"}, headers=headers)
    started = await office.post("/admin/matches", status=201, json={"url": "http://127.0.0.1/x"}, headers=headers)
    assert started == {"verb": "start", "match_id": "crex_QUY"}
    assert office.engine.asked == [
        ("pause", "crex_QUY"),
        ("resume", "crex_QUY"),
        ("stop", "crex_QUY"),
        ("restart", "crex_QUY", "looks odd"),
        ("recycle", "asked for under /admin"),
        ("rung", "crex_QUY", "dom"),
        ("start", "http://127.0.0.1/x"),
    ]
    assert {(told.outcome, told.request_id) for told in office.told} == {("done", "r1")}
    assert [told.verb for told in office.told] == ["pause", "resume", "stop", "restart", "recycle", "rung", "start"]


@pytest.mark.parametrize(
    ("failure", "status", "kind"),
    [
        (UnknownMatchError("No match crex_QUY is watched."), 404, "unknown-match"),
        (IllegalTransitionError("A paused match cannot be paused."), 409, "not-possible-now"),
        (InputError("No source has this address."), 400, "bad-parameter"),
        (LongstopError("The engine broke."), 500, "internal"),
        (RuntimeError("boom"), 500, "internal"),
    ],
)
async def test_what_goes_wrong_is_a_problem_and_told_as_failed(
    office: Office, failure: Exception, status: int, kind: str
) -> None:
    office.engine.failure = failure
    problem = await office.post("/admin/matches/crex_QUY/pause", status=status)
    assert problem["type"] == f"/problems/{kind}"
    (told,) = office.told
    assert (told.verb, told.outcome, told.match_id) == ("pause", "failed", "crex_QUY")
    assert "boom" not in problem["detail"]


async def test_a_verb_that_hangs_is_answered_within_its_deadline(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "VERB_SECONDS_MAX", 0.05)
    office.engine.is_hanging = True
    problem = await office.post("/admin/matches/crex_QUY/pause", status=504)
    assert problem["type"] == "/problems/too-slow"
    assert office.told[0].outcome == "failed"


async def test_without_an_engine_that_has_them_the_other_verbs_have_no_route(office: Office) -> None:
    async with office.client(verbs=False) as client:
        assert (await client.post("/admin/reload")).status_code == 200
        assert (await client.post("/admin/recycle")).status_code == 404
        paths = (await client.get("/schema")).json()["paths"]
        verbs = [path for path, item in paths.items() if "admin" in path and "post" in item]
        assert verbs == ["/admin/reload"]


@pytest.mark.parametrize("path", ["/admin/reload", "/admin/recycle", "/admin/matches"])
async def test_reading_an_address_of_a_verb_does_nothing(office: Office, path: str) -> None:
    async with office.client() as client:
        assert (await client.get(path)).status_code == 405
        assert (await client.head(path)).status_code == 405
    assert (office.engine.asked, office.reasons) == ([], [])


FOREIGN = [
    {"host": "evil.example:8000"},
    {"host": "127.0.0.1.evil.example"},
    {"host": "localhost.evil.example:8000"},
    {"host": "0177.0.0.1"},
    {"host": "2130706433"},
    {"host": "192.168.1.5:8000"},
    {"host": "127.0.0.1@evil.example"},
    {"host": ""},
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1:3000"},
    {"origin": "https://127.0.0.1:8000"},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"origin": HOME, "sec-fetch-site": "cross-site"},
    {"content-type": "text/plain", "content-length": "2"},
    {"content-type": "application/x-www-form-urlencoded", "content-length": "2"},
    {"transfer-encoding": "chunked"},
]
PROXIED = [{"x-forwarded-for": "127.0.0.1"}, {"forwarded": "for=127.0.0.1"}, {"via": "1.1 proxy"}]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_page_or_a_name_that_is_not_ours_is_kept_out(office: Office, headers: dict[str, str]) -> None:
    for path in ("/admin/reload", "/admin/matches/crex_QUY/stop", "/admin/matches"):
        problem = await office.post(path, status=403, headers=headers)
        assert problem["type"] == "/problems/not-from-here"
        assert problem["request_id"]
    assert (office.engine.asked, office.reasons) == ([], [])
    assert {told.outcome for told in office.told} == {"refused"}


OURS: list[dict[str, str]] = [
    {},
    {"host": "localhost:8000"},
    {"host": "LOCALHOST"},
    {"host": "[::1]:8000"},
    {"host": "127.8.8.8"},
    {"origin": HOME},
    {"origin": HOME, "sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "none"},
    {"host": "localhost:9000", "origin": "http://localhost:9000"},
]


@pytest.mark.parametrize("headers", OURS, ids=str)
async def test_programs_of_this_machine_and_our_own_page_get_in(office: Office, headers: dict[str, str]) -> None:
    assert (await office.post("/admin/reload", headers=headers))["outcome"] == "unchanged"


async def test_two_hosts_or_a_caller_from_elsewhere_are_kept_out(office: Office) -> None:
    assert objection([(b"Host", b"localhost"), (b"host", b"evil.example")], "127.0.0.1")
    assert objection([], "127.0.0.1")
    assert objection([(b"host", b"localhost")], "192.0.2.7")
    async with office.client(peer="192.0.2.7") as client:
        assert (await client.post("/admin/reload")).status_code == 401


@pytest.mark.parametrize("headers", PROXIED, ids=str)
async def test_what_a_proxy_brings_needs_a_token(office: Office, headers: dict[str, str]) -> None:
    problem = await office.post("/admin/reload", status=401, headers=headers)
    assert problem["type"] == "/problems/no-token"
    assert office.reasons == []


async def test_unless_the_settings_leave_them_open_the_verbs_need_a_token(office: Office) -> None:
    async with office.client(is_open=False) as client:
        for path in ("/admin/reload", "/admin/recycle"):
            answer = await client.post(path)
            problem = answer.json()
            assert (problem["type"], problem["status"]) == ("/problems/no-token", 401)
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert "generate-token" in problem["hint"]
        assert (await client.get("/livez")).status_code == 200
    assert (office.reasons, office.engine.asked) == ([], [])
    assert [(told.verb, told.outcome, told.consumer) for told in office.told] == [
        ("reload", "refused", "anonymous"),
        ("recycle", "refused", "anonymous"),
    ]


async def test_sources_are_listed_and_switched_while_it_runs() -> None:
    office = Office()
    async with office.client() as client:
        listed = await client.get("/admin/sources")
        off = await client.post("/admin/sources/crex/disable")
        on = await client.post("/admin/sources/crex/enable")
        office.engine.failure = UnknownMatchError("There is no source 'x' to watch.")
        missing = await client.post("/admin/sources/x/enable")
    assert listed.json() == {"sources": [{"source": "crex", "is_on": True, "matches": 3}]}
    assert (off.status_code, on.status_code, missing.status_code) == (200, 200, 404)
    assert office.engine.asked[:2] == [("source", "crex", "off"), ("source", "crex", "on")]
