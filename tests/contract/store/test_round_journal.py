"""The journal of rounds, on every backend: nothing taken twice, nothing half written, every verdict may come again."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from longstop.domain.errors import LeaseLostError, UnknownJobError
from longstop.domain.football import (
    Phase,
)
from longstop.domain.rounds import (
    JobState,
    Lease,
    RoundRef,
    RoundTaskState,
    TaskOutcome,
)
from longstop.store.contract import Store
from longstop.store.rounds.journal import RoundJournal
from tests.contract.store.conftest import Backend
from tests.contract.store.round_samples import LEASE, NOW, REF, error, job, listing, match, taker


@pytest.fixture
def journal(store: Store) -> RoundJournal:
    return RoundJournal(store)


async def running(journal: RoundJournal, *keys: str, job_id: str = "j1", ref: RoundRef = REF) -> None:
    await journal.ask(job(job_id, ref))
    (lease,) = await journal.take_jobs("brasileirao", taker())
    await journal.list_round(lease, [listing(key) for key in keys], NOW)


async def taken(journal: RoundJournal, **words: object) -> list[Lease]:
    return await journal.take("brasileirao", taker(**words))  # type: ignore[arg-type]  # words of a taker


@pytest.mark.req("E1")
async def test_all_tasks_of_a_round_are_pending_once_it_is_listed(journal: RoundJournal) -> None:
    await running(journal, "a", "b", "c")

    tasks = await journal.tasks("j1")

    assert [(task.key, task.state) for task in tasks] == [(key, RoundTaskState.PENDING) for key in "abc"]
    assert (await journal.job("j1")).state is JobState.RUNNING
    assert (await journal.summary("j1")).pending == 3


@pytest.mark.req("E4")
async def test_who_asks_for_the_same_round_again_gets_the_job_that_there_is(journal: RoundJournal) -> None:
    first, is_new = await journal.ask(job("j1"))
    again, is_new_again = await journal.ask(job("j2", at=NOW + timedelta(hours=1)))
    other, _ = await journal.ask(job("j3", ref=RoundRef("brasileirao", "serie-a", 2026, 15)))

    assert (first.job_id, is_new) == ("j1", True)
    assert (again.job_id, is_new_again) == ("j1", False)
    assert other.job_id == "j3"


@pytest.mark.req("E4")
async def test_ten_who_ask_at_the_same_moment_get_one_job(journal: RoundJournal) -> None:
    answers = await asyncio.gather(*(journal.ask(job(f"j{number}")) for number in range(10)))

    assert len({found.job_id for found, _ in answers}) == 1
    assert [is_new for _, is_new in answers].count(True) == 1


@pytest.mark.req("E4")
async def test_a_settled_job_is_the_same_for_a_minute_and_followed_by_a_new_one_later(journal: RoundJournal) -> None:
    await running(journal)
    assert (await journal.job("j1")).state is JobState.DONE

    soon, _ = await journal.ask(job("j2", at=NOW + timedelta(seconds=50)))
    later, _ = await journal.ask(job("j3", at=NOW + timedelta(seconds=70)))

    assert (soon.job_id, later.job_id) == ("j1", "j3")


async def test_a_request_key_is_the_same_job_for_ever(journal: RoundJournal) -> None:
    await journal.ask(job("j1", request_key="once"))
    again, is_new = await journal.ask(job("j2", at=NOW + timedelta(days=30), request_key="once"))

    assert (again.job_id, is_new) == ("j1", False)


async def test_two_who_take_at_once_share_the_tasks_and_take_none_twice(journal: RoundJournal) -> None:
    await running(journal, *[f"m{number}" for number in range(20)])

    shares = await asyncio.gather(*(taken(journal, owner=f"w{number}", limit=5) for number in range(5)))

    keys = [lease.task.key for share in shares for lease in share if lease.task]
    assert len(keys) == len(set(keys))
    rest = await taken(journal, limit=20)
    assert len(keys) + len(rest) == 20


@pytest.mark.req("E3")
async def test_a_match_and_its_verdict_are_written_together(journal: RoundJournal, backend: Backend) -> None:
    await running(journal, "a")
    (lease,) = await taken(journal)

    outcome, settled = await journal.finish(lease, match("a"), NOW)

    assert outcome is TaskOutcome.STORED
    assert settled.state is JobState.DONE
    assert (await journal.job("j1")).state is JobState.DONE
    kept = await journal.match("brasileirao_a")
    assert kept == msgspec.structs.replace(match("a"), revision=1)
    for table, count in (("round_events", 2), ("round_statistics", 1), ("round_lineups", 2)):
        assert await backend.rows(f"SELECT count(*) FROM {table}") == [(count,)]  # noqa: S608 - our own names


@pytest.mark.req("E3")
async def test_the_same_verdict_again_writes_nothing_twice(journal: RoundJournal, backend: Backend) -> None:
    """The answer to a commit may be lost; who asks again finds his own."""
    await running(journal, "a", "b")
    leases = await taken(journal)

    for _ in range(3):
        assert (await journal.finish(leases[0], match("a"), NOW))[0] is TaskOutcome.STORED

    assert await backend.rows("SELECT count(*) FROM round_matches") == [(1,)]
    assert await backend.rows("SELECT count(*) FROM round_events") == [(2,)]


@pytest.mark.req("E5")
async def test_who_lost_his_lease_writes_nothing(journal: RoundJournal, backend: Backend) -> None:
    await running(journal, "a")
    (old,) = await taken(journal, owner="frozen")
    (new,) = await taken(journal, owner="other", at=NOW + timedelta(minutes=5))

    with pytest.raises(LeaseLostError):
        await journal.finish(old, match("a", goals=1), NOW)
    assert not await journal.fail(old, error(), (), NOW, None)
    assert await backend.rows("SELECT count(*) FROM round_matches") == [(0,)]
    assert (await journal.finish(new, match("a"), NOW))[0] is TaskOutcome.STORED


async def test_a_lease_that_is_prolonged_in_time_is_nobody_elses(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    leases = await taken(journal)
    later = NOW + timedelta(seconds=29)

    held = await journal.prolong(leases, later, later + LEASE)

    assert held == leases
    assert await taken(journal, owner="other", at=NOW + timedelta(seconds=45)) == []
    assert len(await taken(journal, owner="other", at=NOW + timedelta(seconds=75))) == 2
    assert await journal.prolong(leases, later, later + LEASE) == []


@pytest.mark.req("E2")
async def test_what_fails_for_now_comes_again_after_its_delay_and_after_the_others(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    (first,) = await taken(journal, limit=1)

    await journal.fail(first, error(), (), NOW, NOW + timedelta(seconds=4))

    assert [lease.task.key for lease in await taken(journal) if lease.task] == ["b"]
    (again,) = await taken(journal, at=NOW + timedelta(seconds=5))
    assert again.task is not None
    assert (again.task.key, again.task.attempt) == ("a", 2)
    assert again.task.error == error()


@pytest.mark.req("E2")
async def test_a_dead_letter_keeps_its_error_and_evidence_and_is_retried_alone(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    first, second = await taken(journal)
    await journal.finish(second, match("b"), NOW)
    await journal.fail(first, error(is_permanent=True), ("errors/a.json",), NOW, None)

    assert (await journal.job("j1")).state is JobState.FAILED
    (letter,) = await journal.dead_letters(job_id="j1")
    assert (letter.key, letter.evidence, letter.error) == ("a", ("errors/a.json",), error(is_permanent=True))

    assert await journal.retry({"j1": ["a", "b", "nobody"]}, NOW) == 1
    assert (await journal.job("j1")).state is JobState.RUNNING
    (again,) = await taken(journal)
    assert again.task is not None
    assert (again.task.key, again.task.attempt) == ("a", 1)
    await journal.finish(again, match("a"), NOW)
    assert (await journal.job("j1")).state is JobState.DONE


@pytest.mark.req("E2")
async def test_a_dead_letter_that_can_be_read_now_is_done_without_being_taken(journal: RoundJournal) -> None:
    await running(journal, "a")
    (lease,) = await taken(journal)
    await journal.fail(lease, error(is_permanent=True), (), NOW, None)
    (letter,) = await journal.dead_letters()

    assert await journal.reread(letter, match("a"), NOW) is TaskOutcome.STORED

    assert (await journal.job("j1")).state is JobState.DONE
    with pytest.raises(LeaseLostError):
        await journal.reread(letter, match("a"), NOW)


async def test_a_task_whose_workers_are_lost_again_and_again_becomes_a_dead_letter(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    at = NOW
    for loss in range(3):
        leases = await taken(journal, at=at, limit=2)
        assert [(lease.attempt, lease.task.losses) for lease in leases if lease.task] == [(1, loss)] * 2
        at += timedelta(minutes=1)

    assert await taken(journal, at=at, limit=2) == []

    letters = await journal.dead_letters()
    assert [letter.error.kind for letter in letters if letter.error] == ["worker_lost"] * 2
    assert (await journal.job("j1")).state is JobState.FAILED


async def test_an_attempt_that_is_given_back_does_not_count(journal: RoundJournal) -> None:
    await running(journal, "a")
    (lease,) = await taken(journal)

    assert await journal.give_back(lease, NOW)

    (again,) = await taken(journal)
    assert again.attempt == 1
    assert not await journal.give_back(lease, NOW)


async def test_a_pause_that_everybody_is_asked_for_counts_as_no_attempt_and_not_for_ever(journal: RoundJournal) -> None:
    await running(journal, "a")
    for loss in range(4):
        (lease,) = await taken(journal, at=NOW + timedelta(seconds=10 * loss))
        assert lease.task is not None
        assert (lease.attempt, lease.task.losses) == (1, loss)
        again_at = NOW + timedelta(seconds=10 * loss + 5)
        await journal.give_back(lease, NOW, again_at, is_loss=True)
        assert await taken(journal, at=again_at - timedelta(seconds=1)) == []


async def test_leases_of_who_is_known_to_be_gone_are_over_at_once(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    await journal.ask(job("j2", ref=RoundRef("brasileirao", "serie-a", 2026, 15)))
    await journal.take_jobs("brasileirao", taker("before"))
    await taken(journal, owner="before")

    await journal.end_leases("brasileirao", NOW)

    assert len(await taken(journal, owner="after")) == 2
    assert len(await journal.take_jobs("brasileirao", taker("after"))) == 1


@pytest.mark.req("E1")
async def test_a_finished_match_is_skipped_and_an_unplayed_one_is_asked_for_again(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    first, second = await taken(journal)
    await journal.finish(first, match("a"), NOW)
    assert (await journal.finish(second, match("b", phase=Phase.POSTPONED), NOW))[0] is TaskOutcome.NOT_PLAYED

    later = NOW + timedelta(hours=1)
    await journal.ask(job("j2", at=later))
    (lease,) = await journal.take_jobs("brasileirao", taker(at=later))
    await journal.list_round(lease, [listing("a"), listing("b")], later)

    tasks = {task.key: task for task in await journal.tasks("j2")}
    assert (tasks["a"].state, tasks["a"].outcome) == (RoundTaskState.DONE, TaskOutcome.SKIPPED)
    assert tasks["b"].state is RoundTaskState.PENDING


@pytest.mark.req("E1")
async def test_a_recheck_asks_for_finished_matches_too_and_keeps_what_has_changed(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    for lease in await taken(journal):
        assert lease.task is not None
        await journal.finish(lease, match(lease.task.key), NOW)

    later = NOW + timedelta(seconds=10)
    await journal.ask(job("j2", at=later, is_recheck=True))
    (listed,) = await journal.take_jobs("brasileirao", taker(at=later))
    await journal.list_round(listed, [listing("a"), listing("b")], later)
    first, second = await taken(journal, at=later)

    assert (await journal.finish(first, match("a", at=later), later))[0] is TaskOutcome.UNCHANGED
    assert (await journal.finish(second, match("b", goals=3, at=later), later))[0] is TaskOutcome.STORED
    now, before = await journal.match("brasileirao_b"), await journal.match("brasileirao_b", as_of=NOW)
    assert now is not None
    assert before is not None
    assert (now.revision, now.event.score) == (2, (3, 0))
    assert (before.revision, before.event.score) == (1, (2, 0))


async def test_of_a_cancelled_job_nothing_is_taken_and_what_is_under_way_is_fenced(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    (lease,) = await taken(journal, limit=1)

    cancelled = await journal.cancel("j1", NOW)

    assert cancelled.state is JobState.CANCELLED
    assert await taken(journal) == []
    with pytest.raises(LeaseLostError):
        await journal.finish(lease, match("a"), NOW)
    summary = await journal.summary("j1")
    assert (summary.all, summary.pending) == (2, 2)
    assert (await journal.cancel("j1", NOW)).finished_at == cancelled.finished_at


async def test_a_round_that_cannot_be_listed_fails_with_its_error_and_is_asked_for_again(journal: RoundJournal) -> None:
    await journal.ask(job())
    (first,) = await journal.take_jobs("brasileirao", taker())
    await journal.fail(first, error(), (), NOW, NOW + timedelta(seconds=2))
    assert await journal.take_jobs("brasileirao", taker()) == []
    (second,) = await journal.take_jobs("brasileirao", taker(at=NOW + timedelta(seconds=3)))
    assert second.attempt == 2
    await journal.fail(second, error(is_permanent=True), (), NOW, None)

    failed = await journal.job("j1")
    assert (failed.state, failed.error) == (JobState.FAILED, error(is_permanent=True))
    assert await journal.retry({"j1": []}, NOW) == 1
    assert len(await journal.take_jobs("brasileirao", taker())) == 1


async def test_a_lister_that_is_lost_is_followed_and_fenced(journal: RoundJournal) -> None:
    await journal.ask(job())
    (old,) = await journal.take_jobs("brasileirao", taker("frozen"))
    (new,) = await journal.take_jobs("brasileirao", taker("other", at=NOW + timedelta(minutes=1)))

    await journal.list_round(new, [listing("a")], NOW)
    again = await journal.list_round(new, [listing("a")], NOW)

    assert again.state is JobState.RUNNING
    with pytest.raises(LeaseLostError):
        await journal.list_round(old, [listing("b")], NOW)
    assert [task.key for task in await journal.tasks("j1")] == ["a"]


async def test_one_task_is_taken_by_its_name_and_not_twice(journal: RoundJournal) -> None:
    await running(journal, "a", "b")

    lease = await journal.take_one("j1", "b", taker())

    assert lease is not None
    assert await journal.take_one("j1", "b", taker("other")) is None
    await journal.finish(lease, match("b"), NOW)
    assert await journal.take_one("j1", "b", taker()) is None
    assert await journal.take_one("j1", "nobody", taker()) is None


async def test_the_matches_of_a_round_are_those_that_stand_in_it_now(journal: RoundJournal) -> None:
    await running(journal, "a", "b")
    first, second = await taken(journal)
    await journal.finish(first, match("a"), NOW)
    moved = msgspec.structs.replace(match("b"), ref=RoundRef("brasileirao", "serie-a", 2026, 20))
    await journal.finish(second, moved, NOW)

    assert [found.key for found in await journal.matches(REF)] == ["a"]
    assert [found.key for found in await journal.matches(moved.ref)] == ["b"]


async def test_what_is_not_there_is_told_by_name(journal: RoundJournal) -> None:
    for asked in (journal.job("nobody"), journal.tasks("nobody"), journal.summary("nobody"), journal.task("j1", "x")):
        with pytest.raises(UnknownJobError):
            await asked
    assert await journal.match("brasileirao_nobody") is None
    with pytest.raises(UnknownJobError):
        await journal.cancel("nobody", NOW)
