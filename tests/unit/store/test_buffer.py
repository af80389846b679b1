import pytest

from longstop.store.buffer import Buffer, BufferLimits
from longstop.store.contract import WriteBatch
from tests.contract.store.samples import failure, health


def note(number: int) -> WriteBatch:
    return WriteBatch(errors=(failure(f"e{number}"),))


def ids(buffer: Buffer) -> list[str]:
    return [each.batch.errors[0].error_id for each in buffer.take(10**6)]


@pytest.mark.req("B7")
def test_at_the_bound_of_items_the_oldest_go() -> None:
    buffer = Buffer(BufferLimits(items=3))
    assert [buffer.add(note(number)) for number in range(5)] == [0, 0, 0, 1, 1]
    assert buffer.dropped == 2
    assert ids(buffer) == ["e2", "e3", "e4"]


@pytest.mark.req("B7")
def test_at_the_bound_of_bytes_the_oldest_go() -> None:
    buffer = Buffer()
    buffer.add(note(0))
    size = buffer.bytes
    buffer = Buffer(BufferLimits(bytes=size * 2 + size // 2))
    assert [buffer.add(note(number)) for number in range(3)] == [0, 0, 1]
    assert buffer.bytes == size * 2
    assert ids(buffer) == ["e1", "e2"]
    assert buffer.bytes == 0


def test_what_is_larger_than_the_whole_buffer_goes_itself() -> None:
    buffer = Buffer(BufferLimits(bytes=10))
    assert buffer.add(WriteBatch(health=(health(),))) == 1
    assert len(buffer) == 0
    assert buffer.bytes == 0


def test_what_was_put_back_is_the_oldest_again() -> None:
    buffer = Buffer(BufferLimits(items=4))
    for number in range(4):
        buffer.add(note(number))
    taken = buffer.take(2)
    buffer.add(note(4))
    assert buffer.put_back(taken) == 1
    assert ids(buffer) == ["e1", "e2", "e3", "e4"]
