"""The operators' audit: each verb with who, when, what, of whom and what came of it; never in the way of a verb."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from longstop.domain.access import Scope, VerbEntry
from longstop.domain.errors import StoreUnavailableError, UnknownMatchError
from longstop.observe import signals
from longstop.observe.alerts import Alerts
from longstop.observe.metrics import Metrics
from longstop.serve.entry import audit as keeping
from longstop.store.entry.verb_rows import VerbsAsked
from tests.unit.serve.entry.house import House

pytestmark = pytest.mark.req("G3")
PAUSE = "/admin/matches/crex_QUY/pause"


async def entries(house: House) -> list[VerbEntry]:
    await house.hall.audit.flush()
    return list(reversed(await house.hall.store.verbs(VerbsAsked())))


async def ask(house: House, path: str, bearer: dict[str, str], **more: Any) -> int:
    async with house.client(**bearer) as client:
        return (await client.post(path, **more)).status_code


async def test_each_verb_is_one_entry_with_all_that_is_wanted_of_it(house: House) -> None:
    made = await house.key(Scope.ADMIN, consumer="ops")
    bearer = {"Authorization": f"Bearer {await house.token(made)}", "X-Request-Id": "mine-1"}
    assert await ask(house, PAUSE, bearer) == 200
    # It is there when the answer is: nobody has to write it first.
    (paused,) = await house.hall.store.verbs(VerbsAsked())
    assert (paused.consumer, paused.key_id) == ("ops", made.key.key_id)
    assert (paused.verb, paused.subject, paused.outcome, paused.detail) == ("pause", "crex_QUY", "done", "")
    assert (paused.request_id, paused.at) == ("mine-1", house.clock.now())
    address = "https://user:secret@site.example/match/QUY?token=hunter2"
    assert await ask(house, "/admin/matches", bearer, json={"url": address}) == 201
    assert await ask(house, "/admin/recycle?reason=too+many+pages", bearer) == 200
    _, started, recycled = await entries(house)
    assert (started.verb, started.subject) == ("start", "https://site.example/match/QUY")
    assert (recycled.verb, recycled.subject, recycled.reason) == ("recycle", "instance", "too many pages")


async def test_what_failed_and_what_was_refused_is_written_down_too(house: House) -> None:
    admin, reader = await house.bearer(Scope.ADMIN, consumer="ops"), await house.bearer(Scope.READ, consumer="acme")
    house.engine.failure = UnknownMatchError("No match crex_QUY is watched.")
    assert await ask(house, PAUSE, admin) == 404
    house.engine.failure = RuntimeError("boom")
    assert await ask(house, PAUSE, admin) == 500
    assert await ask(house, PAUSE, reader) == 403
    assert await ask(house, PAUSE, {}) == 401
    assert await ask(house, "/admin/matches/crex_QUY/rung", admin, json={"rung": "sideways"}) == 400
    failed, broken, forbidden, anonymous, unread = await entries(house)
    assert (failed.outcome, failed.subject) == ("failed", "crex_QUY")
    assert "No match crex_QUY" in failed.detail
    assert (broken.outcome, "boom" in broken.detail) == ("failed", False)
    assert (forbidden.outcome, forbidden.consumer) == ("refused", "acme")
    assert (forbidden.verb, forbidden.subject) == ("pause", "crex_QUY")
    assert (anonymous.outcome, anonymous.consumer, anonymous.key_id) == ("refused", "anonymous", "")
    assert (unread.outcome, unread.consumer, unread.detail) == ("refused", "ops", "answered with 400")
    assert (unread.verb, unread.subject) == ("rung", "crex_QUY")


async def test_reading_and_other_routes_are_no_verbs(house: House) -> None:
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    async with house.client(**admin) as client:
        assert (await client.get("/admin/audit?limit=0")).status_code == 400
        assert (await client.get("/admin/access")).status_code == 200
        assert (await client.post("/token/generate-token", json={"api_key": "none"})).status_code == 401
    assert await entries(house) == []


async def test_it_is_read_over_http_page_by_page_by_who_and_day(house: House) -> None:
    ops, chief = await house.bearer(Scope.ADMIN, consumer="ops"), await house.bearer(Scope.ADMIN, consumer="chief")
    first_day = f"{house.clock.now():%Y-%m-%d}"
    for number in range(5):
        house.clock.advance(1)
        await ask(house, f"/admin/matches/crex_{number}/pause", ops)
    await ask(house, PAUSE, chief)
    house.clock.advance(86_400)
    ops, chief = await house.bearer(Scope.ADMIN, consumer="ops"), await house.bearer(Scope.ADMIN, consumer="chief")
    await ask(house, "/admin/recycle", ops)
    async with house.client(**chief) as client:

        async def page(query: str) -> dict[str, Any]:
            return dict((await client.get(f"/admin/audit?{query}")).json())

        assert [each["consumer"] for each in (await page(""))["entries"]] == ["ops", "chief"] + ["ops"] * 5
        seen, query = [], f"consumer=ops&day={first_day}&limit=2"
        found = await page(query)
        while True:
            seen += [each["subject"] for each in found["entries"]]
            if found["next"] is None:
                break
            found = await page(f"{query}&before={found['next']}")
            assert found["recoveries"] == []
        assert seen == [f"crex_{number}" for number in (4, 3, 2, 1, 0)]
        assert (await page("day=2001-01-01")) == {"entries": [], "count": 0, "next": None, "recoveries": []}
        for wrong in ("day=tomorrow", "consumer=A%20B", "limit=0", "limit=100000", "before=x", f"before={2**63}"):
            assert (await client.get(f"/admin/audit?{wrong}")).status_code == 400
    reader = await house.bearer(Scope.READ, consumer="acme")
    assert (await house.get("/admin/audit", **reader)).status_code == 403
    assert (await house.get("/admin/audit")).status_code == 401


class Outage:
    """A store whose audit cannot be written, or hangs."""

    def __init__(self, house: House) -> None:
        self.inner = house.hall.store
        self.is_hanging = False
        house.hall.audit._store = self  # type: ignore[assignment]  # it has what is called

    async def write_verbs(self, batch: Sequence[VerbEntry]) -> None:
        if self.is_hanging:
            await asyncio.Event().wait()
        raise StoreUnavailableError("The database does not answer.")

    def end(self, house: House) -> None:
        house.hall.audit._store = self.inner


async def test_while_it_cannot_be_written_verbs_are_done_and_that_is_told(house: House) -> None:
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    alerts, metrics = Alerts(10), Metrics()
    alerts.subscribe(house.heard.bus)
    metrics.subscribe(house.heard.bus)
    outage = Outage(house)
    for _ in range(3):
        assert await ask(house, PAUSE, admin) == 200
    assert len(house.engine.asked) == 3
    (lost,) = house.heard.of(signals.AdminAuditLost)
    assert lost.dropped == 0
    (alert,) = house.heard.of(signals.AlertRaised)
    assert (alert.alert, alert.severity) == ("admin audit lost", "ERROR")
    assert metrics.registry.get_sample_value("longstop_admin_audit_lost") == 1
    outage.end(house)
    assert len(await entries(house)) == 3
    (recovered,) = house.heard.of(signals.AdminAuditRecovered)
    assert (recovered.written, recovered.dropped) == (3, 0)
    assert metrics.registry.get_sample_value("longstop_admin_audit_lost") == 0


async def test_a_store_that_hangs_holds_up_no_verb(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "PATIENCE_SECONDS", 0.05)
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    Outage(house).is_hanging = True
    async with asyncio.timeout(5):  # noqa: TID251 - threads live in real time
        for _ in range(3):
            assert await ask(house, PAUSE, admin) == 200
    assert house.hall.audit.waiting == 3
    for task in house.hall.audit._flushes:
        task.cancel()


async def test_what_finds_no_place_any_more_is_dropped_the_oldest_first_and_counted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "WAITING_MAX", 3)
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    outage = Outage(house)
    for number in range(5):
        await ask(house, f"/admin/matches/crex_{number}/pause", admin)
    outage.end(house)
    assert [each.subject for each in await entries(house)] == ["crex_2", "crex_3", "crex_4"]
    assert house.heard.of(signals.AdminAuditRecovered)[0].dropped == 2


async def test_what_a_stranger_writes_stays_one_bounded_line(house: House) -> None:
    assert await ask(house, "/admin/matches/a%00b%0Ac%1b[31m" + "x" * 300 + "/pause", {}) == 401
    (refused,) = await entries(house)
    assert refused.verb == "pause"
    assert refused.subject.isprintable()
    assert len(refused.subject) <= 500
