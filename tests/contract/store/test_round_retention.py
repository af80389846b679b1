"""What is due, one job by its id, and jobs that ended long ago: on every backend."""

from datetime import timedelta

import pytest

from longstop.domain.errors import UnknownJobError
from longstop.domain.rounds import RoundRef
from longstop.store.contract import Store
from longstop.store.rounds.dueness import Due
from longstop.store.rounds.journal import RoundJournal
from tests.contract.store.round_samples import LEASE, NOW, REF, error, job, listing, match, taker

LATER = NOW + LEASE * 2
SOURCE = "brasileirao"


@pytest.fixture
def journal(store: Store) -> RoundJournal:
    return RoundJournal(store)


async def running(journal: RoundJournal, *keys: str, job_id: str = "j1", ref: RoundRef = REF) -> None:
    await journal.ask(job(job_id, ref))
    (lease,) = await journal.take_jobs(SOURCE, taker())
    await journal.list_round(lease, [listing(key) for key in keys], NOW)


@pytest.mark.req("E5")
async def test_a_job_is_taken_by_its_id_once_and_again_when_its_lister_is_lost(journal: RoundJournal) -> None:
    await journal.ask(job("j1"))

    first = await journal.take_job(SOURCE, "j1", taker())
    second = await journal.take_job(SOURCE, "j1", taker("other"))
    after_loss = await journal.take_job(SOURCE, "j1", taker("other", at=LATER))
    other = await journal.take_job(SOURCE, "nobody's", taker())

    assert first is not None
    assert second is None
    assert after_loss is not None
    assert after_loss.epoch == first.epoch + 1
    assert other is None


@pytest.mark.req("E5")
async def test_due_are_jobs_to_list_tasks_whose_time_has_come_and_leases_that_ended(journal: RoundJournal) -> None:
    await running(journal, "a", "b", "c")
    await journal.ask(job("j2", RoundRef(SOURCE, "serie-a", 2026, 15)))
    held, failing = await journal.take(SOURCE, taker(limit=2))
    await journal.fail(failing, error(), (), NOW, NOW + timedelta(seconds=1))

    assert await journal.due(SOURCE, NOW, 10) == Due(("j2",), (("j1", "c"),))
    assert (await journal.due(SOURCE, NOW + timedelta(seconds=1), 10)).tasks == (("j1", "c"), ("j1", "b"))
    assert {key for _, key in (await journal.due(SOURCE, LATER, 10)).tasks} == {"a", "b", "c"}
    assert len((await journal.due(SOURCE, LATER, 2)).tasks) == 2
    assert await journal.due("another", LATER, 10) == Due()
    assert held.task is not None
    assert (await journal.task("j1", held.task.key)).state.value == "RUNNING"  # looked at, and left alone


@pytest.mark.req("E5")
async def test_nothing_of_a_cancelled_job_is_due(journal: RoundJournal) -> None:
    await running(journal, "a")
    await journal.cancel("j1", NOW)

    assert await journal.due(SOURCE, LATER, 10) == Due()


@pytest.mark.req("E1")
async def test_settled_jobs_leave_with_their_tasks_and_the_matches_stay(journal: RoundJournal) -> None:
    await running(journal, "a")
    (lease,) = await journal.take(SOURCE, taker())
    await journal.finish(lease, match("a"), NOW)
    await running(journal, "b", job_id="j2", ref=RoundRef(SOURCE, "serie-a", 2026, 15))

    too_early = await journal.prune(NOW, 10)
    gone = await journal.prune(NOW + timedelta(days=1), 10)

    assert (too_early, gone) == (0, 1)
    with pytest.raises(UnknownJobError):
        await journal.tasks("j1")
    assert await journal.match("brasileirao_a") is not None
    assert [task.key for task in await journal.tasks("j2")] == ["b"]  # open jobs stay however old they are
