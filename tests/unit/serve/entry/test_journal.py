"""The access log: who, what, when, with which outcome and how old the data was; never in the way of an answer."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from longstop.domain.access import AccessEntry, Scope
from longstop.domain.errors import StoreUnavailableError
from longstop.observe import signals
from longstop.observe.alerts import Alerts
from longstop.observe.metrics import Metrics
from longstop.serve.entry import journal as keeping
from longstop.settings.serving import AuthSettings
from tests.unit.serve.entry.house import ELSEWHERE, MATCH, House, settings_in

pytestmark = pytest.mark.req("G2")


async def entries(house: House, **more: Any) -> list[AccessEntry]:
    await house.hall.journal.flush()
    return list(reversed(await house.hall.store.entries(house.clock.now().date(), **more)))


async def test_each_answer_is_one_row_with_all_that_is_wanted_of_it(house: House, tmp_path: Path) -> None:
    made = await house.key(Scope.READ)
    bearer = {"Authorization": f"Bearer {await house.token(made)}", "X-Request-Id": "mine-1"}
    house.clock.advance(7)
    async with house.client() as client:
        await client.get(f"{MATCH}?secret=hunter2", headers=bearer)
        await client.post("/admin/recycle", headers=bearer)
        await client.get("/cricket-data/match-info/crex_NOBODY", headers=bearer)
        await client.get("/nowhere/at/all")
        await client.get(MATCH)
    given, read, refused, missing, nowhere, anonymous = await entries(house)
    assert (given.endpoint, given.consumer, given.status) == ("/token/generate-token", "acme", 200)
    assert (read.consumer, read.key_id, read.method, read.status) == ("acme", made.key.key_id, "GET", 200)
    assert (read.endpoint, read.request_id) == ("/cricket-data/match-info/{match_id}", "mine-1")
    assert read.data_age_seconds == 7.0
    assert 0 < read.duration_ms < 1_000
    assert abs((read.at - house.clock.now()).total_seconds()) < 5
    assert (refused.endpoint, refused.consumer, refused.status) == ("/admin/recycle", "acme", 403)
    assert (missing.status, missing.data_age_seconds) == (404, None)
    assert (nowhere.endpoint, nowhere.consumer, nowhere.status) == ("none", "anonymous", 404)
    assert (anonymous.consumer, anonymous.status) == ("anonymous", 401)
    lines = [json.loads(line) for line in (tmp_path / "access.log").read_bytes().splitlines()]
    assert [line["status"] for line in lines] == [200, 200, 403, 404, 404, 401]
    assert (tmp_path / "access.log").stat().st_mode & 0o777 == 0o600
    assert "hunter2" not in (tmp_path / "access.log").read_text()


async def test_what_the_page_asks_all_the_time_is_left_out_unless_it_is_refused(house: House, tmp_path: Path) -> None:
    house.hall.retune(settings_in(tmp_path, auth=AuthSettings()))
    async with house.client("127.0.0.1") as client:
        for path in ("/", "/favicon.svg"):
            assert (await client.get(path)).status_code == 200
    assert await entries(house) == []
    assert (await house.get("/ops/board")).status_code == 401
    assert [each.endpoint for each in await entries(house)] == ["/ops/board"]


async def test_it_is_asked_over_http_by_consumer_and_day(house: House) -> None:
    await house.get(**await house.bearer(consumer="acme"))
    admin = await house.bearer(Scope.ADMIN, consumer="ops")
    await house.hall.journal.flush()
    async with house.client(**admin) as client:
        told = (await client.get("/admin/access?consumer=acme")).json()
        assert [each["endpoint"] for each in told["entries"]] == [
            "/cricket-data/match-info/{match_id}",
            "/token/generate-token",
        ]
        today = f"{house.clock.now():%Y-%m-%d}"
        assert (await client.get(f"/admin/access?day={today}&limit=1")).json()["count"] == 1
        assert (await client.get("/admin/access?day=2001-01-01")).json() == {"entries": [], "count": 0}
        for wrong in ("day=tomorrow", "consumer=A%20B", "limit=0", "limit=100000"):
            assert (await client.get(f"/admin/access?{wrong}")).status_code == 400


class Outage:
    """A store whose log cannot be written, or hangs."""

    def __init__(self, house: House) -> None:
        self.inner = house.hall.store
        self.is_down = True
        self.is_hanging = False
        house.hall.journal._store = self  # type: ignore[assignment]  # it has what is called

    async def write(self, batch: Sequence[AccessEntry]) -> None:
        if self.is_hanging:
            await asyncio.Event().wait()
        if self.is_down:
            raise StoreUnavailableError("The database does not answer.")
        await self.inner.write(batch)


async def test_while_it_cannot_be_written_reading_goes_on_and_that_is_told(house: House) -> None:
    bearer = await house.bearer()
    alerts, metrics = Alerts(10), Metrics()
    alerts.subscribe(house.heard.bus)
    metrics.subscribe(house.heard.bus)
    outage = Outage(house)
    await house.hall.journal.flush()
    for _ in range(5):
        assert (await house.get(**bearer)).status_code == 200
        await house.hall.journal.flush()
    (lost,) = house.heard.of(signals.AccessLogLost)
    assert lost.dropped == 0
    (alert,) = house.heard.of(signals.AlertRaised)
    assert (alert.alert, alert.severity) == ("access log lost", "ERROR")
    assert metrics.registry.get_sample_value("longstop_access_log_lost") == 1
    outage.is_down = False
    assert len(await entries(house)) == 6
    (recovered,) = house.heard.of(signals.AccessLogRecovered)
    assert (recovered.written, recovered.dropped) == (6, 0)
    assert metrics.registry.get_sample_value("longstop_access_log_lost") == 0


async def test_while_its_store_hangs_reading_goes_on(house: House) -> None:
    bearer = await house.bearer()
    outage = Outage(house)
    outage.is_hanging = True
    flushing = asyncio.create_task(house.hall.journal.flush())
    await asyncio.sleep(0)
    for _ in range(20):
        assert (await house.get(**bearer)).status_code == 200
    flushing.cancel()
    await asyncio.gather(flushing, return_exceptions=True)
    outage.is_hanging = outage.is_down = False
    assert len(await entries(house)) == 21


async def test_what_finds_no_place_any_more_is_dropped_the_oldest_first_and_counted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "WAITING_MAX", 10)
    outage = Outage(house)
    for number in range(25):
        await house.get("/nowhere", **{"X-Request-Id": f"r{number}"})
    await house.hall.journal.flush()
    assert house.hall.journal.waiting == 10
    (lost,) = house.heard.of(signals.AccessLogLost)
    assert (lost.waiting, lost.dropped) == (10, 15)
    outage.is_down = False
    assert [each.request_id for each in await entries(house)] == [f"r{number}" for number in range(15, 25)]


async def test_a_file_that_cannot_be_written_loses_no_row_and_is_told(house: House, tmp_path: Path) -> None:
    (tmp_path / "access.log").mkdir()
    await house.get("/nowhere")
    assert len(await entries(house)) == 1
    assert "file cannot be written" in house.heard.of(signals.AccessLogLost)[0].reason


async def test_the_file_is_turned_over_when_it_is_full(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_FILE_BYTES_MAX", 1_000)
    for _ in range(8):
        await house.get("/nowhere")
        await house.hall.journal.flush()
    sizes = [(tmp_path / name).stat().st_size for name in ("access.log", "access.log.1") if (tmp_path / name).exists()]
    assert max(sizes) < 1_500


@pytest.mark.parametrize(
    "nasty",
    [
        "a\r\nb",
        "a\nINFO forged",
        "\u2028forged",
        "\u2029forged",
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07",
        "\x00",
        "\x85next",
        "\u202egnp.exe",
        '","consumer":"admin',
        "a" * 900,
        "%0d%0aSet-Cookie:%20a=b",
        "😀",
    ],
    ids=ascii,
)
async def test_nothing_a_caller_writes_makes_a_second_line_or_another_entry(
    house: House, tmp_path: Path, nasty: str
) -> None:
    raw = nasty.encode("utf-8", "replace")
    async with house.client(ELSEWHERE) as client:
        request = client.build_request("GET", "/cricket-data/match-info/x")
        request.headers = type(request.headers)(
            [
                (b"host", b"127.0.0.1"),
                (b"x-request-id", raw),
                (b"user-agent", raw),
                (b"authorization", b"Bearer " + raw),
                (b"x-api-key", raw),
                (b"cookie", b"longstop_session=" + raw),
            ]
        )
        answer = await client.send(request)
    (entry,) = await entries(house)
    assert (entry.consumer, entry.status, entry.endpoint) == ("anonymous", 401, "/cricket-data/match-info/{match_id}")
    written = (tmp_path / "access.log").read_bytes()
    assert written.count(b"\n") == 1
    assert json.loads(written)["request_id"] == entry.request_id == answer.headers["x-request-id"]
    assert not any(
        character in written for character in (b"\r", b"\x1b", b"\x00", "\u2028".encode(), "\u202e".encode())
    )
    assert len(answer.text.splitlines()) == 1
