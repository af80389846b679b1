"""The spool on the machine's own disk: what it keeps, how far it grows, what it leaves behind."""

from pathlib import Path

import pytest

from longstop.domain.errors import PlaceLostError, RecordRefusedError, SpoolFullError, StoreError
from longstop.store import spool_frames
from longstop.store.disk import OsDisk
from longstop.store.spool import Spool, SpoolLimits
from longstop.store.spool_frames import Frame, Span, frame_of, scan


def spool_in(folder: Path, **limits: int) -> Spool:
    spool = Spool(folder, OsDisk(), SpoolLimits(**{"reserve_bytes": 0, **limits}))
    spool.open()
    return spool


def segments(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.segment"))


def test_records_come_back_in_order_after_a_restart(tmp_path: Path) -> None:
    first = spool_in(tmp_path / "deep" / "spool")
    first.append([b"one", b"two"], 1000)
    first.append([b""], 2000)
    first.close()
    second = spool_in(tmp_path / "deep" / "spool")
    frames = second.read(10, 10**6)
    assert [frame.payload for frame in frames] == [b"one", b"two", b""]
    assert [frame.sequence for frame in frames] == [1, 2, 3]
    assert second.usage.oldest_millis == 1000
    second.close()


def test_reading_takes_nothing_away_and_releasing_does(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    spool.append([b"one", b"two", b"three"], 1000)
    assert spool.read(2, 10**6) == spool.read(2, 10**6)
    spool.release(spool.read(2, 10**6)[-1])
    assert [frame.payload for frame in spool.read(9, 10**6)] == [b"three"]
    assert spool.usage.records == 1
    spool.close()


def test_a_segment_is_removed_only_when_all_of_it_was_released(tmp_path: Path) -> None:
    spool = spool_in(tmp_path, segment_bytes=100)
    for number in range(6):
        spool.append([bytes([number]) * 20], 1000 + number)
    assert len(segments(tmp_path)) == 6
    frames = spool.read(4, 10**6)
    assert [frame.payload[0] for frame in frames] == [0]
    spool.release(frames[-1])
    assert len(segments(tmp_path)) == 5
    assert spool.usage.oldest_millis == 1001
    while frames := spool.read(4, 10**6):
        spool.release(frames[-1])
    assert segments(tmp_path) == []
    assert spool.usage.bytes == 0
    spool.append([b"after"], 5000)
    assert [(frame.sequence, frame.payload) for frame in spool.read(1, 1)] == [(7, b"after")]
    spool.close()


def test_a_record_larger_than_a_chunk_is_read_whole(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    spool.append([b"a" * 3 * 2**20, b"b"], 1000)
    assert [len(frame.payload) for frame in spool.read(9, 1)] == [3 * 2**20]
    spool.release(spool.read(1, 1)[0])
    assert [frame.payload for frame in spool.read(9, 1)] == [b"b"]
    spool.close()


@pytest.mark.req("B7")
def test_at_its_cap_the_spool_refuses_and_says_so(tmp_path: Path) -> None:
    spool = spool_in(tmp_path, max_bytes=200)
    spool.append([b"x" * 60], 1000)
    assert 40 < spool.usage.percent < 50
    with pytest.raises(SpoolFullError) as told:
        spool.append([b"y" * 90], 1000)
    assert "92 of 200 bytes" in told.value.message
    assert "max_size_mb" in told.value.hint
    assert told.value.heals
    spool.close()


def test_some_of_the_disk_is_left_to_others(tmp_path: Path) -> None:
    with pytest.raises(SpoolFullError, match="are free"):
        spool_in(tmp_path, reserve_bytes=2**60).append([b"x"], 1000)


def test_a_record_beyond_all_measure_is_refused_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longstop.store.spool.PAYLOAD_BYTES_MAX", 10)
    with pytest.raises(RecordRefusedError):
        spool_in(tmp_path).append([b"x" * 11], 1000)


def test_two_processes_never_share_a_spool(tmp_path: Path) -> None:
    first = spool_in(tmp_path)
    with pytest.raises(StoreError, match="in use by another Longstop"):
        spool_in(tmp_path)
    first.close()
    spool_in(tmp_path).close()


def test_a_spool_that_another_process_has_taken_over_is_written_by_nobody_else(tmp_path: Path) -> None:
    first = spool_in(tmp_path)
    first.append([b"ours"], 1000)
    (tmp_path / "lock").unlink()
    first.append([b"ours too"], 1000)
    second = spool_in(tmp_path)
    with pytest.raises(PlaceLostError, match="has taken over the spool"):
        first.append([b"too late"], 1000)
    second.append([b"theirs"], 1000)
    before = second.read(9, 10**6)
    second.release(before[-1])
    after = second.read(9, 10**6)
    assert [frame.payload for frame in (*before, *after)] == [b"ours", b"ours too", b"theirs"]
    second.close()
    first.close()


def test_what_was_set_aside_is_kept_and_does_not_come_again(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    spool.append([b"poison", b"good"], 1000)
    spool.set_aside(spool.read(1, 1)[0])
    assert [frame.payload for frame in spool.read(9, 10**6)] == [b"good"]
    (kept,) = (tmp_path / "quarantine").iterdir()
    assert kept.read_bytes() == b"poison"
    assert spool.usage.quarantined == 1
    spool.close()


def test_records_of_different_lives_are_kept_apart_under_different_names(tmp_path: Path) -> None:
    """Numbers begin anew once nothing is left, so a name must not rest on them alone."""
    for payload in (b"first life", b"second life", b"second life"):
        spool = spool_in(tmp_path)
        spool.append([payload], 1000)
        spool.set_aside(spool.read(1, 1)[0])
        spool.close()
    assert sorted(path.read_bytes() for path in (tmp_path / "quarantine").iterdir()) == [b"first life", b"second life"]


def test_files_of_others_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "x.segment").write_text("mine too")
    spool = spool_in(tmp_path)
    spool.append([b"one"], 1000)
    spool.release(spool.read(1, 1)[0])
    spool.close()
    assert (tmp_path / "notes.txt").exists()
    assert (tmp_path / "x.segment").exists()


@pytest.mark.parametrize("name", ["5", "\u0665", "\u00b23", "9" * 20, "1" * 21])
def test_files_that_are_named_almost_like_segments_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.segment").write_bytes(b"not ours")
    spool = spool_in(tmp_path)
    assert spool.append([b"one"], 1) == 1
    spool.close()
    assert (tmp_path / f"{name}.segment").read_bytes() == b"not ours"


def test_a_number_beyond_all_measure_is_damage() -> None:
    """Whatever its checksum says: nothing could follow it."""
    assert [type(each) for each in scan(frame_of(2**64 - 1, 1, b"x"))] == [Span]


def test_a_frame_is_believed_only_whole() -> None:
    frames = [frame_of(number, 1000, b"payload %d" % number) for number in range(1, 4)]
    data = b"".join(frames)
    assert [each.sequence for each in scan(data) if isinstance(each, Frame)] == [1, 2, 3]
    for position in range(len(frames[0]), len(frames[0]) + len(frames[1])):
        hurt = bytearray(data)
        hurt[position] ^= 0x10
        found = list(scan(bytes(hurt)))
        assert [each.sequence for each in found if isinstance(each, Frame)] == [1, 3]
        assert [(each.start, each.end) for each in found if isinstance(each, Span)] == [
            (len(frames[0]), len(frames[0] + frames[1]))
        ]


def test_a_frame_of_an_earlier_life_is_not_believed() -> None:
    data = frame_of(5, 1000, b"new") + frame_of(3, 1000, b"old")
    assert [each.sequence for each in scan(data, 4) if isinstance(each, Frame)] == [5]
    assert spool_frames.peek(data) == 1000
    assert spool_frames.peek(b"short") is None
