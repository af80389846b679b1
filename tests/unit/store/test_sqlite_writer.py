"""Groups, refusals and faults of the writing thread, on a session that does as it is told."""

import sqlite3
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

from longstop.domain.errors import LongstopError, StoreClosedError, StoreError, StoreUnavailableError
from longstop.store.cells import moment_as_text
from longstop.store.contract import WriteBatch
from longstop.store.schema import upgrade
from longstop.store.sqlite_file import connect_writer
from longstop.store.sqlite_session import WriteSession
from longstop.store.sqlite_writer import Job, Verdict, Verdicts, Writer
from longstop.store.writes import Part, prepare
from tests.contract.store.samples import event, full_batch


class ToldSession:
    """Refuses batches named "bad", fails with the first of `faults`, and stops at the gate."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.gate = threading.Event()
        self.groups: list[list[Any]] = []

    def write(self, group: Sequence[Any]) -> None:
        self.gate.wait(20)
        self.groups.append(list(group))
        if self.faults:
            raise self.faults.pop(0)
        if "bad" in group:
            raise StoreError("bad")

    def checkpoint_if_due(self) -> None: ...

    def drop(self) -> None: ...


class Office:
    """A writer, and what it told of each job."""

    def __init__(self, session: ToldSession, group_max: int = 64) -> None:
        self.told: dict[str, Verdict] = {}
        self._everything = threading.Event()
        self._awaited = 0
        self.writer = Writer(cast(WriteSession, session), self._tell, group_max)

    def _tell(self, verdicts: Verdicts) -> None:
        for job, verdict in verdicts:
            job.done(verdict)

    def submit(self, *names: str) -> None:
        for name in names:
            parts = cast("Sequence[Part]", name)
            self.writer.submit(Job(parts, lambda verdict, name=name: self.told.update({name: verdict})))  # type: ignore[misc]  # the name of this round

    def end(self) -> None:
        self.writer.end(lambda: None).result(20)


def test_what_waits_together_is_written_together() -> None:
    session = ToldSession()
    office = Office(session, group_max=4)
    office.submit("a")
    office.submit(*"bcdefg")
    session.gate.set()
    office.end()
    assert [name for group in session.groups for name in group] == list("abcdefg")
    assert max(map(len, session.groups)) == 4
    assert set(office.told.values()) == {None}


def test_a_refused_batch_is_tried_alone_and_so_are_its_neighbours() -> None:
    session = ToldSession()
    office = Office(session)
    office.submit("first")
    office.submit("a", "bad", "c")
    session.gate.set()
    office.end()
    assert isinstance(office.told.pop("bad"), StoreError)
    assert set(office.told) == {"first", "a", "c"}
    assert set(office.told.values()) == {None}


def test_a_database_that_is_away_is_asked_once_for_the_whole_group() -> None:
    session = ToldSession(StoreUnavailableError("away"))
    office = Office(session)
    office.submit("a", "b", "c")
    session.gate.set()
    office.end()
    failed = [name for name, verdict in office.told.items() if verdict is not None]
    assert failed == list(session.groups[0])
    assert len(session.groups) == (1 if len(failed) == 3 else 2)


def test_a_fault_nobody_foresaw_is_told_and_the_next_is_written() -> None:
    session = ToldSession(RuntimeError("a fault of ours"))
    office = Office(session, group_max=1)
    office.submit("a", "b")
    session.gate.set()
    office.end()
    assert office.told["b"] is None
    verdict = office.told["a"]
    assert isinstance(verdict, StoreError)
    assert isinstance(verdict.__cause__, RuntimeError)


def test_after_the_end_nothing_is_taken() -> None:
    session = ToldSession()
    session.gate.set()
    office = Office(session)
    office.end()
    with pytest.raises(StoreClosedError):
        office.submit("late")


class FaultyConnection:
    """Fails at the n-th statement, before or after doing it."""

    def __init__(self, real: sqlite3.Connection, fails_at: int, *, is_done_first: bool) -> None:
        self._real = real
        self._numbers = count(1)
        self._fails_at = fails_at
        self._is_done_first = is_done_first

    def _guarded(self, name: str, *arguments: Any) -> Any:
        fails = next(self._numbers) == self._fails_at
        answer = getattr(self._real, name)(*arguments) if not fails or self._is_done_first else None
        if fails:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
            raise error
        return answer

    def execute(self, *arguments: Any) -> Any:
        return self._guarded("execute", *arguments)

    def executemany(self, *arguments: Any) -> Any:
        return self._guarded("executemany", *arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _rows_of(session: WriteSession, table: str, match_id: str) -> int:
    query = f"SELECT count(*) FROM {table} WHERE match_id = ?"  # noqa: S608 - a name of ours
    return int(session.connection.execute(query, [match_id]).fetchone()[0])


@pytest.mark.req("B9")
@pytest.mark.parametrize("is_done_first", [False, True])
def test_a_fault_at_any_statement_leaves_all_or_nothing(tmp_path: Path, is_done_first: bool) -> None:
    """Failing before or after each statement of a batch, COMMIT included; then the same batch is saved again."""
    upgrade(f"sqlite:///{tmp_path}/store.db")
    statements = 2 + 6  # BEGIN, COMMIT and one for each table the batch touches
    for fails_at in range(1, statements + 1):
        opened: list[Any] = []

        def connect(path: Path | None, busy_seconds: float, at: int = fails_at, into: list[Any] = opened) -> Any:
            real = connect_writer(path, busy_seconds)
            into.append(real)
            return FaultyConnection(real, at, is_done_first=is_done_first) if len(into) == 1 else real

        session = WriteSession(tmp_path / "store.db", 1.0, connect)
        parts = prepare(full_batch(f"M{fails_at}"), moment_as_text, datetime(2026, 1, 1, tzinfo=UTC))
        with pytest.raises(StoreUnavailableError):
            session.write([parts])
        session.write([parts])
        assert len(opened) == 2, "after such a fault the file is opened anew"
        tables = ("match_events", "deliveries", "matches", "live_match_data", "innings")
        assert [_rows_of(session, table, f"crex_M{fails_at}") for table in tables] == [2, 2, 1, 1, 1]
        session.close()


def test_a_group_with_a_fault_in_it_is_undone_as_a_whole(tmp_path: Path) -> None:
    upgrade(f"sqlite:///{tmp_path}/store.db")
    session = WriteSession(tmp_path / "store.db", 1.0)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    batches = [WriteBatch(events=(event(1),)), WriteBatch(events=(event(1, detail="other"),))]
    with pytest.raises(LongstopError):
        session.write([prepare(batch, moment_as_text, now) for batch in batches])
    assert session.connection.execute("SELECT count(*) FROM match_events").fetchone() == (0,)
    assert not session.connection.in_transaction
    session.close()
