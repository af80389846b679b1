"""The journal of pushes: durable, the same twice is once, bounded, and still there after an end."""

from datetime import timedelta
from pathlib import Path

import pytest

from longstop.domain.errors import PushConflictError, PushesFullError
from longstop.domain.push import PushedPayload, PushVerdict
from longstop.serve.push_form import push_of
from longstop.store.pushes import NewPush, PushJournal
from tests.cricket import NOON

pytestmark = pytest.mark.req("G1")


def payload(number: int, key: str = "") -> PushedPayload:
    at = NOON + timedelta(seconds=number)
    return PushedPayload(
        key=key,
        source="crex",
        match_key="QUY",
        purpose="state",
        url="http://127.0.0.1/state",
        requested_at=at,
        captured_at=at,
        body=str(number).encode(),
    )


def push(*numbers: int, key: str | None = None, consumer: str = "scout") -> NewPush:
    return push_of(tuple(payload(number) for number in numbers), consumer, key)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pushes.db"


async def test_what_was_acknowledged_waits_in_order_after_an_end_without_farewell(path: Path) -> None:
    journal = PushJournal(path)
    await journal.open()
    await journal.accept(push(1, 2), NOON)
    await journal.accept(push(3), NOON)
    again = PushJournal(path)
    await again.open()
    assert [item.payload.body for item in await again.waiting(10)] == [b"1", b"2", b"3"]
    assert again.waiting_count == 3
    await again.close()
    await journal.close()


async def test_the_same_push_again_is_the_same_and_stores_nothing_twice(path: Path) -> None:
    journal = PushJournal(path)
    await journal.open()
    first = await journal.accept(push(1, 2), NOON)
    assert await journal.accept(push(1, 2), NOON + timedelta(hours=1)) == first
    other = await journal.accept(push(2, 3), NOON)
    assert other.items[0].id == first.items[1].id
    assert journal.waiting_count == 3
    await journal.close()


async def test_another_content_under_a_used_key_is_a_conflict_and_leaves_nothing(path: Path) -> None:
    journal = PushJournal(path)
    await journal.open()
    await journal.accept(push(1, key="a"), NOON)
    with pytest.raises(PushConflictError):
        await journal.accept(push(2, key="a"), NOON)
    await journal.accept(push_of((payload(5, "k"),), "scout", None), NOON)
    with pytest.raises(PushConflictError):
        await journal.accept(push_of((payload(8), payload(6, "k")), "scout", None), NOON)
    assert journal.waiting_count == 2
    await journal.accept(push(2, key="a", consumer="somebody else"), NOON)
    await journal.close()


async def test_a_full_journal_takes_nothing_of_a_push_and_has_room_again_when_it_is_read(path: Path) -> None:
    journal = PushJournal(path, waiting_max=2)
    await journal.open()
    kept = await journal.accept(push(1), NOON)
    with pytest.raises(PushesFullError):
        await journal.accept(push(2, 3), NOON)
    await journal.judge(kept.items[0].id, PushVerdict.HELD, ("the score fell",))
    await journal.accept(push(2, 3), NOON)
    found = await journal.find(kept.id, "scout")
    assert found is not None
    assert (found.items[0].verdict, found.items[0].reasons) == (PushVerdict.HELD, ("the score fell",))
    assert await journal.find(kept.id, "somebody else") is None
    await journal.close()


async def test_what_is_old_is_forgotten_push_by_push(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in {"DONE_MAX": 4, "PUSHES_MAX": 3, "REJECTED_BODIES_MAX": 1, "_PRUNE_EACH": 1}.items():
        monkeypatch.setattr(f"longstop.store.pushes.{name}", most)
    journal = PushJournal(path)
    await journal.open()
    kept = []
    for number in range(10):
        kept.append(await journal.accept(push(number), NOON))
        await journal.judge(kept[-1].items[0].id, PushVerdict.REJECTED, ("no",))
    assert [await journal.find(each.id, None) is not None for each in kept] == [False] * 7 + [True] * 3
    await journal.close()


async def test_what_was_pushed_is_for_its_owner_alone_also_where_it_was_open_before(tmp_path: Path) -> None:
    path = tmp_path / "var" / "pushes.db"
    for is_open_to_all in (False, True):
        if is_open_to_all:
            path.chmod(0o644)
        journal = PushJournal(path)
        await journal.open()
        await journal.accept(push(1), NOON)
        files = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
        await journal.close()
        assert files == dict.fromkeys(("pushes.db", "pushes.db-wal", "pushes.db-shm"), 0o600)
        assert path.parent.stat().st_mode & 0o777 == 0o700
