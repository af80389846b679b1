"""Real matches through the whole engine: equal to their files, always the same, judged by an oracle that can fail."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.cricsheet_totals import differences, load
from longstop import virtual_time
from longstop.clock import Clock
from longstop.domain.events import DeliveryRecord
from longstop.store.contract import WriteBatch
from longstop.store.sqlite import SqliteStore
from longstop_origin.replay import ReplayOptions, replay_file, run
from tests.unit.origin.documents import document

SMALL = ("t20i/1263164.json", "odi/1031669.json", "t20i/1115799.json")
SUPER_OVER = "t20i/1187679.json"

Report = dict[str, Any]


@pytest.fixture(scope="session")
def cricsheet(shared_data: Path) -> list[Path]:
    files = sorted((shared_data / "cricsheet").glob("*/*.json"))
    assert files
    return files


@cache
def played(path: Path, options: ReplayOptions) -> Report:
    return replay_file(path, options)


def what_is_wrong(report: Report) -> Any:
    return {"events": report["events"], "faults": report["faults"]}


@pytest.mark.req("B9", "C1", "C2", "C3")
@pytest.mark.parametrize(("faults", "speed"), [("none", 20.0), ("mild", 10.0)])
def test_every_real_match_is_kept_as_its_file_has_it(cricsheet: list[Path], faults: str, speed: float) -> None:
    """Runs, wickets, overs, extras, penalties, super overs, retirements, replacements and the result."""
    options = ReplayOptions(seed=1, faults=faults, speed=speed)
    reports = {path: played(path, options) for path in cricsheet}
    assert {path.name: what_is_wrong(each) for path, each in reports.items() if not each["is_clean"]} == {}
    assert [found for path, each in reports.items() for found in differences(path, each)] == []
    assert [each["late"] for each in reports.values() if each["late"]] == []
    met = sum(sum(each["faults_by_kind"].values()) for each in reports.values())
    assert (met == 0) is (faults == "none")


@pytest.mark.req("B9")
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_match_survives_a_storm(shared_data: Path, name: str, seed: int) -> None:
    path = shared_data / "cricsheet" / name
    report = played(path, ReplayOptions(seed=seed, faults="storm"))
    assert report["is_clean"], what_is_wrong(report)
    assert differences(path, report) == []
    assert report["faults_by_kind"]


@pytest.mark.parametrize("faults", ["none", "storm"])
@pytest.mark.parametrize("speed", [1.0, 200.0])
def test_the_speed_of_the_world_changes_nothing_that_is_kept(shared_data: Path, faults: str, speed: float) -> None:
    """At life's own speed most polls bring nothing; at two hundred times each brings overs."""
    path = shared_data / "cricsheet" / SMALL[0]
    report = played(path, ReplayOptions(seed=5, faults=faults, speed=speed))
    assert report["is_clean"], what_is_wrong(report)
    assert differences(path, report) == []


def test_the_same_seed_gives_the_same_report(shared_data: Path) -> None:
    path = shared_data / "cricsheet" / SUPER_OVER
    options = ReplayOptions(seed=9, faults="mild")
    assert replay_file(path, options) == replay_file(path, options)


def test_an_interrupted_replay_leaves_no_task_behind(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Supervisors take a cancellation that nobody announced for a failure, and begin again."""
    play = virtual_time.run

    def interrupted(main: Coroutine[Any, Any, Any]) -> Any:
        async def scenario() -> Any:
            task = asyncio.create_task(main)
            await asyncio.sleep(60)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await asyncio.sleep(0)
            return {"left": [each.get_name() for each in asyncio.all_tasks() if each is not asyncio.current_task()]}

        return play(scenario())

    monkeypatch.setattr(virtual_time, "run", interrupted)
    assert replay_file(shared_data / "cricsheet" / "odi/1031669.json", ReplayOptions())["left"] == []


def test_another_seed_gives_other_faults(shared_data: Path) -> None:
    path = shared_data / "cricsheet" / SUPER_OVER
    one, other = (replay_file(path, ReplayOptions(seed=seed, faults="mild")) for seed in (9, 10))
    assert one["faults_by_kind"] != other["faults_by_kind"]
    assert one["innings"] == other["innings"]


# ---- an oracle that cannot fail proves nothing ----


class SpoiledStore(SqliteStore):
    """Keeps the record, but for one thing that goes wrong with it."""

    def __init__(self, path: Path | None, *, clock: Clock) -> None:
        super().__init__(path, clock=clock)


class DroppingStore(SpoiledStore):
    """Says that it kept a ball, and did not."""

    async def save(self, batch: WriteBatch) -> None:
        kept = tuple(record for record in batch.deliveries if not _is_the_one(record))
        await super().save(msgspec.structs.replace(batch, deliveries=kept))


class DoublingStore(SpoiledStore):
    """Answers with a ball twice, as a table without a key would."""

    async def deliveries(self, match_id: str, *, as_of: datetime | None = None) -> Sequence[DeliveryRecord]:
        found = await super().deliveries(match_id, as_of=as_of)
        return [*found, *(record for record in found if _is_the_one(record))]


class AlteringStore(SpoiledStore):
    """Keeps another batter for a ball; no total shows it."""

    async def save(self, batch: WriteBatch) -> None:
        kept = tuple(_altered(record) if _is_the_one(record) else record for record in batch.deliveries)
        await super().save(msgspec.structs.replace(batch, deliveries=kept))


class InventingStore(SpoiledStore):
    """Keeps a ball more than were bowled."""

    async def save(self, batch: WriteBatch) -> None:
        more = tuple(_moved(record) for record in batch.deliveries if _is_the_one(record))
        await super().save(msgspec.structs.replace(batch, deliveries=(*batch.deliveries, *more)))


class MiscountingStore(SpoiledStore):
    """Shows an innings with a run too many."""

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Any]:
        found = await super().live(match_ids, as_of=as_of)
        return {key: msgspec.structs.replace(row, innings=_with_a_run(row.innings)) for key, row in found.items()}


class ForgetfulStore(SpoiledStore):
    """Has no result when the match is over."""

    async def live(self, match_ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Any]:
        found = await super().live(match_ids, as_of=as_of)
        return {key: msgspec.structs.replace(row, result=None) for key, row in found.items()}


def _is_the_one(record: DeliveryRecord) -> bool:
    return (record.place.innings, record.place.over, record.place.position) == (1, 1, 2)


def _altered(record: DeliveryRecord) -> DeliveryRecord:
    assert record.delivery is not None
    other = msgspec.structs.replace(record.delivery, batter="NOBODY")
    return msgspec.structs.replace(record, delivery=other)


def _moved(record: DeliveryRecord) -> DeliveryRecord:
    place = msgspec.structs.replace(record.place, over=99)
    assert record.delivery is not None
    return msgspec.structs.replace(record, place=place, delivery=msgspec.structs.replace(record.delivery, place=place))


def _with_a_run(innings: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(msgspec.structs.replace(each, runs=each.runs + 1) for each in innings)


SPOILED: dict[str, tuple[type[SpoiledStore], str]] = {
    "a ball that was dropped": (DroppingStore, "lost"),
    "a ball that is there twice": (DoublingStore, "duplicated"),
    "a ball that was altered": (AlteringStore, "wrong"),
    "a ball that was never bowled": (InventingStore, "unexpected"),
    "an innings with a run too many": (MiscountingStore, ""),
    "a result that was forgotten": (ForgetfulStore, ""),
}


@pytest.mark.parametrize("what", SPOILED)
def test_the_oracle_notices_what_was_spoiled(shared_data: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    store, name = SPOILED[what]
    monkeypatch.setattr(run, "SqliteStore", store)
    report = replay_file(shared_data / "cricsheet" / "t20i/1142504.json", ReplayOptions(speed=50.0))
    assert not report["is_clean"]
    assert report["faults"] if not name else report["events"][name] > 0, what_is_wrong(report)


@pytest.mark.parametrize("faults", ["none", "storm"])
def test_a_match_that_was_abandoned_without_a_ball_is_whole_with_its_result(tmp_path: Path, faults: str) -> None:
    path = tmp_path / "777.json"
    path.write_bytes(msgspec.json.encode(document(outcome={"result": "no result"}) | {"innings": []}))
    report = replay_file(path, ReplayOptions(faults=faults))
    assert report["is_clean"], what_is_wrong(report)
    assert report["result_kept"] == {"result": "no result"}


def test_the_file_is_held_against_the_record_by_a_second_account(shared_data: Path) -> None:
    """Were origin and oracle wrong in the same way, the totals from the plain JSON would still tell."""
    path = shared_data / "cricsheet" / SUPER_OVER
    spoil: dict[str, Callable[[Report], Any]] = {
        "innings": lambda report: report["innings"][0].update(runs=1),
        "wickets": lambda report: report["wickets"].pop(),
        "replacements": lambda report: report["replacements"].append({"team": None}),
        "result": lambda report: report["result_kept"].pop("eliminator"),
        "balls": lambda report: report["events"].update(stored=1),
    }
    whole = msgspec.json.encode(replay_file(path, ReplayOptions(speed=50.0)))
    assert differences(path, msgspec.json.decode(whole)) == []
    for part, change in spoil.items():
        report = msgspec.json.decode(whole)
        change(report)
        assert [part in found for found in differences(path, report)] == [True]


def test_the_shared_matches_hold_what_the_issue_speaks_of(cricsheet: list[Path]) -> None:
    """So that a folder that lost its odd matches is noticed: the proof would prove less."""
    documents = [load(path) for path in cricsheet]
    balls = [
        ball
        for document in documents
        for innings in document["innings"]
        for over in innings.get("overs", [])
        for ball in over["deliveries"]
    ]
    assert any(innings.get("super_over") for document in documents for innings in document["innings"])
    assert any("replacements" in ball for ball in balls)
    assert any("penalty" in ball.get("extras", {}) for ball in balls)
    assert any(wicket["kind"].startswith("retired") for ball in balls for wicket in ball.get("wickets", []))
