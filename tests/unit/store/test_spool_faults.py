"""The spool on a disk that forgets, tears, fails and flips: what was acknowledged is found again, or counted."""

import errno
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop.domain.errors import SpoolBrokenError, SpoolFullError
from longstop.store.spool import Spool
from longstop.store.spool_recovery import Recovery
from longstop_origin.storm.disk import Faults, SimulatedDisk
from tests.unit.store.spool_lives import (
    FOLDER,
    LIMITS,
    Account,
    everything_in,
    faults_dying_at,
    lived,
    opened,
    operations_of,
    payloads,
    recovered,
)

STEPS = [("append", 300), ("append", 700), ("drain", 2), ("append", 40), ("append", 600), ("drain", 9), ("append", 500)]
OPERATIONS = operations_of(STEPS)
steps_of_a_life = st.lists(
    st.tuples(st.just("append"), st.integers(1, 900)) | st.tuples(st.just("drain"), st.integers(1, 9)), max_size=12
)


def require_whole(account: Account, found: list[bytes]) -> None:
    """Nothing acknowledged is lost; what was released may come once more; nothing else, nothing twice, all in order."""
    assert set(account.owed) <= set(found)
    assert found == [payload for payload in account.given if payload in set(found)]


@pytest.mark.req("B9")
@pytest.mark.parametrize("has_power_failed", [False, True], ids=["killed", "power lost"])
def test_what_was_acknowledged_survives_an_end_at_any_operation(has_power_failed: bool) -> None:
    for number in range(1, OPERATIONS + 1):
        for seed in range(8):
            disk, account = SimulatedDisk(random.Random(seed), faults_dying_at(number)), Account()
            assert not lived(disk, account, STEPS)
            disk.restart(has_power_failed=has_power_failed)
            recovery, found = everything_in(disk)
            require_whole(account, found)
            assert has_power_failed or recovery.damaged == 0


@pytest.mark.req("B9")
@pytest.mark.parametrize("code", [None, errno.EIO], ids=["killed", "sync failed"])
def test_what_an_opening_has_shown_survives_the_loss_of_power_right_after(code: int | None) -> None:
    """A kernel that failed a sync may call its pages clean, so what is read from it is not on the disk for that."""
    for number in range(1, OPERATIONS + 1):
        for seed in range(8):
            faults = faults_dying_at(number) if code is None else Faults(fail_at={number: code})
            disk = SimulatedDisk(random.Random(seed), faults)
            assert not lived(disk, Account(), STEPS)
            disk.restart(has_power_failed=False)
            shown = recovered(disk)
            disk.restart(has_power_failed=True)
            assert everything_in(disk)[1] == shown


@pytest.mark.req("B9")
def test_an_end_leaves_nothing_behind_that_a_later_opening_takes_for_damage() -> None:
    """A tail that was not cut, or a removed segment that comes back, would look like records that are missing."""
    for number in range(1, OPERATIONS + 1):
        for seed in range(8):
            disk, account = SimulatedDisk(random.Random(seed), faults_dying_at(number)), Account()
            assert not lived(disk, account, STEPS)
            disk.restart(has_power_failed=True)
            before = opened(disk).damaged
            disk.restart(has_power_failed=False)
            assert lived(disk, Account(), [("append", 300), ("append", 300), ("append", 900)])
            disk.restart(has_power_failed=True)
            assert opened(disk).damaged == before
            everything_in(disk)
            disk.restart(has_power_failed=True)
            assert opened(disk) == Recovery()


@pytest.mark.req("B9")
@given(steps_of_a_life, steps_of_a_life, st.integers(1, 60), st.integers(1, 20), st.booleans(), st.integers(0, 99))
@settings(max_examples=300, deadline=None)
def test_what_was_acknowledged_survives_several_ends_also_in_recovery(
    first: list[tuple[str, int]],
    second: list[tuple[str, int]],
    end: int,
    end_in_recovery: int,
    has_power_failed: bool,
    seed: int,
) -> None:
    disk, account = SimulatedDisk(random.Random(seed), faults_dying_at(end)), Account()
    lived(disk, account, first)
    for faults in (faults_dying_at(end_in_recovery), faults_dying_at(end_in_recovery + 3), Faults()):
        disk.restart(has_power_failed=has_power_failed, faults=faults)
        lived(disk, Account(), [])
    disk.restart(has_power_failed=has_power_failed)
    lived(disk, account, [step for step in second if step[0] == "append"])
    disk.restart(has_power_failed=has_power_failed)
    _, found = everything_in(disk)
    require_whole(account, found)


@pytest.mark.req("B9")
def test_a_torn_tail_is_cut_and_is_no_damage() -> None:
    disk = SimulatedDisk(random.Random(0))
    spool = Spool(FOLDER, disk, LIMITS)
    spool.open()
    spool.append(payloads(0, 2, 50), 1000)
    name = disk.list(FOLDER)[0]
    whole = disk.size(FOLDER / name)
    spool.append(payloads(2, 1, 50), 1000)
    disk.open(FOLDER / name).truncate(whole + 20)
    recovery = opened(disk)
    assert disk.size(FOLDER / name) == whole
    _, found = everything_in(disk)
    assert (recovery.records, recovery.damaged, recovery.torn_bytes) == (2, 0, 20)
    assert found == payloads(0, 2, 50)


@pytest.mark.req("B9")
@given(st.sets(st.integers(0, 10**6), min_size=1, max_size=4), st.integers(0, 7), st.integers(2, 9))
@settings(max_examples=200, deadline=None)
def test_flipped_records_are_found_kept_apart_and_counted_and_the_rest_is_kept(
    places: set[int], bit: int, groups: int
) -> None:
    disk, account = SimulatedDisk(random.Random(0)), Account()
    assert lived(disk, account, [("append", 200)] * groups)
    for place in places:
        names = [name for name in disk.list(FOLDER) if name.endswith(".segment")]
        path = FOLDER / names[place % len(names)]
        disk.flip_bit(path, place % disk.size(path), bit)
    recovery, found = everything_in(disk)
    assert found == [payload for payload in account.given if payload in set(found)]
    lost = len(account.given) - len(found)
    assert lost <= len(places)
    kept_apart = disk.list(FOLDER / "quarantine")
    if lost:
        assert kept_apart
    # The numbers tell how many are missing, but for those behind the last that is left.
    behind = len(account.given) - 1 - max((account.given.index(payload) for payload in found), default=-1)
    assert recovery.damaged == lost - behind or recovery.damaged == lost
    assert sum(name.endswith(".torn") for name in kept_apart) == bool(recovery.torn_bytes)


def test_damage_that_comes_after_the_opening_is_passed_over_too() -> None:
    disk = SimulatedDisk(random.Random(0))
    spool = Spool(FOLDER, disk, LIMITS)
    spool.open()
    spool.append(payloads(0, 5, 100), 1000)
    disk.flip_bit(FOLDER / disk.list(FOLDER)[0], 200, 3)
    assert [frame.payload for frame in spool.read(9, 10**6)] == [
        payload for number, payload in enumerate(payloads(0, 5, 100)) if number != 1
    ]
    assert spool.usage.damaged == 1


@pytest.mark.req("B9")
@pytest.mark.parametrize("code", [errno.EIO, errno.EROFS], ids=errno.errorcode.get)
def test_after_a_failed_write_or_sync_nothing_is_tried_again(code: int) -> None:
    """At each operation of a life once: from the failure on every call says so, and the next process loses nothing."""
    for number in range(1, OPERATIONS + 1):
        disk, account = SimulatedDisk(random.Random(number), Faults(fail_at={number: code})), Account()
        with pytest.raises(SpoolBrokenError):
            live_on(disk, account)
        tried = disk.operations
        assert tried == number
        disk.restart(has_power_failed=bool(number % 2))
        _, found = everything_in(disk)
        require_whole(account, found)


def live_on(disk: SimulatedDisk, account: Account) -> None:
    """A life whose owner does not listen: it goes on asking a broken spool, which must not touch the disk again."""
    spool = Spool(FOLDER, disk, LIMITS)
    spool.open()
    for word, number in STEPS:
        try:
            if word == "append":
                group = payloads(len(account.given), 3, number)
                account.given += group
                spool.append(group, 1000)
                account.acknowledged += group
            elif frames := spool.read(number, 10**6):
                account.released += [frame.payload for frame in frames]
                spool.release(frames[-1])
        except SpoolBrokenError:
            for _ in range(3):
                with pytest.raises(SpoolBrokenError):
                    spool.append([b"again"], 1000)
                with pytest.raises(SpoolBrokenError):
                    spool.read(1, 1)
            raise


@pytest.mark.req("B7")
def test_a_full_disk_refuses_what_does_not_fit_and_takes_what_does_later() -> None:
    disk = SimulatedDisk(random.Random(0), Faults(capacity=1_000))
    spool = Spool(FOLDER, disk, LIMITS)
    spool.open()
    spool.append(payloads(0, 2, 300), 1000)
    with pytest.raises(SpoolFullError, match="full"):
        spool.append(payloads(2, 2, 300), 1000)
    disk.faults.capacity = 5_000
    spool.append(payloads(2, 2, 300), 1000)
    _, found = everything_in(disk)
    assert found == payloads(0, 4, 300)


def test_a_disk_that_fills_up_in_the_midst_of_a_write_leaves_no_half_record(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SimulatedDisk(random.Random(0), Faults(capacity=1_000))
    spool = Spool(FOLDER, disk, LIMITS)
    spool.open()
    spool.append(payloads(0, 2, 300), 1000)
    monkeypatch.setattr(spool._disk, "free_bytes", lambda folder: 2**30 if folder == FOLDER else 200)
    with pytest.raises(SpoolFullError, match="full"):
        spool.append(payloads(2, 2, 300), 1000)
    monkeypatch.undo()
    recovery, found = everything_in(disk)
    assert (found, recovery.torn_bytes) == (payloads(0, 2, 300), 0)
