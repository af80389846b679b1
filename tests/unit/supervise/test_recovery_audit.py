import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from longstop.domain.recovery import RecoveryAction, RecoveryAuditEntry
from longstop.observe import signals
from longstop.resilience.recovering import Condition
from longstop.store.sqlite import SqliteStore
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.audit_log import FILES, AuditLog, StoredAudit
from longstop.supervise.watchdogs.recoveries import Look
from tests.patient import CLOCK, Kennel, Simulated
from tests.virtual import on_virtual_time

pytestmark = pytest.mark.req("H3")


class Shelf:
    """Keeps, or breaks, or hangs."""

    name = "shelf"

    def __init__(self) -> None:
        self.kept: list[RecoveryAuditEntry] = []
        self.error: Exception | None = None
        self.seconds = 0.0

    async def keep(self, entries: Sequence[RecoveryAuditEntry]) -> None:
        await CLOCK.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        self.kept.extend(entries)


def begin(kennel: Kennel, subject: str = "crex_A", condition: Condition = Condition.WELL) -> str:
    return kennel.recoveries.begin(
        RecoveryAction.SOFT_RESTART, "frozen for 300 s", subject, {"age": 1}, lambda _: Look(condition, {"age": 0})
    )


@on_virtual_time
async def test_an_entry_is_kept_when_it_begins_and_again_with_its_outcome() -> None:
    shelf = Shelf()
    kennel = Kennel(Simulated(), shelf)
    stop = Stop(CLOCK)
    task = asyncio.create_task(kennel.recoveries.run(stop))
    entry_id = begin(kennel)
    await CLOCK.sleep(60.0)
    stop.ask("the test is over")
    await task
    assert [entry.entry_id for entry in shelf.kept] == [entry_id, entry_id]
    assert [entry.outcome is not None for entry in shelf.kept] == [False, True]
    assert shelf.kept[-1].metadata == {"age_before": 1, "age_after": 0}


@on_virtual_time
async def test_what_cannot_be_kept_now_waits_and_is_kept_later_in_order() -> None:
    shelf = Shelf()
    shelf.error = OSError("no space")
    kennel = Kennel(Simulated(), shelf)
    ids = [begin(kennel, str(number)) for number in range(3)]
    await kennel.recoveries.keep_all()
    shelf.error = None
    await kennel.recoveries.keep_all()
    await kennel.recoveries.keep_all()
    assert [entry.entry_id for entry in shelf.kept] == ids
    (told,) = kennel.heard.of(signals.ErrorRaised)
    assert told.operation == "recovery audit: shelf"


@on_virtual_time
async def test_a_shelf_that_hangs_holds_nobody_up() -> None:
    slow, good = Shelf(), Shelf()
    slow.seconds = 3600.0
    kennel = Kennel(Simulated(), slow, good)
    begin(kennel)
    await kennel.recoveries.keep_all()
    assert CLOCK.monotonic() == pytest.approx(5.0)
    assert len(good.kept) == 1


@on_virtual_time
async def test_the_last_hundred_are_at_hand_the_newest_first() -> None:
    kennel = Kennel(Simulated())
    ids = [begin(kennel, str(number)) for number in range(130)]
    assert [entry.entry_id for entry in kennel.recoveries.entries] == ids[:-101:-1]


@on_virtual_time
async def test_the_file_has_one_object_a_line_for_its_owner_only_and_is_bounded(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "var", 8000, is_inline=True)
    kennel = Kennel(Simulated(), log)
    for number in range(60):
        begin(kennel, str(number))
        await kennel.recoveries.keep_all()
    files = sorted((tmp_path / "var").iterdir())
    assert [file.name for file in files] == ["audit.log", *(f"audit.log.{number}" for number in range(1, FILES))]
    assert sum(file.stat().st_size for file in files) <= 8000
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    newest = json.loads(files[0].read_text().splitlines()[-1])
    assert (newest["subject"], newest["action_type"], newest["outcome"]) == ("59", "soft_restart", None)


@on_virtual_time
async def test_a_line_of_the_log_has_the_fields_of_the_documents(tmp_path: Path) -> None:
    kennel = Kennel(Simulated(), AuditLog(tmp_path, 8000, is_inline=True))
    entry_id = begin(kennel)
    await kennel.recoveries.keep_all()
    line = json.loads((tmp_path / "audit.log").read_text())
    assert line | {"subject": "", "judged_at": None} == {
        "entry_id": entry_id,
        "timestamp": CLOCK.now().timestamp(),
        "action_type": "soft_restart",
        "trigger_condition": "frozen for 300 s",
        "outcome": None,
        "duration_seconds": 0.0,
        "metadata": {"age_before": 1},
        "subject": "",
        "judged_at": None,
    }


@on_virtual_time
async def test_the_store_has_each_entry_once_in_its_last_state() -> None:
    store = SqliteStore(None, clock=CLOCK)
    await store.open()
    kennel = Kennel(Simulated(), StoredAudit(store))
    begin(kennel)
    kennel.recoveries.judge_all()
    await CLOCK.sleep(30.0)
    kennel.recoveries.judge_all()
    await kennel.recoveries.keep_all()
    entries = await store.audits()
    await store.close()
    assert entries == list(kennel.recoveries.entries)
    assert entries[0].outcome is not None
