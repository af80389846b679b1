"""When a match is captured next."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.jobs.captures import plan

KICKOFF = datetime(2026, 6, 4, 18, 0, tzinfo=UTC)
spans = st.timedeltas(timedelta(0), timedelta(days=5))


def before(**span: float) -> datetime:
    return KICKOFF - timedelta(**span)


def looks(began: datetime, confirmed_at: datetime | None = None) -> list[datetime]:
    """Every look at a match, each at its moment; line-ups are confirmed at the first look from `confirmed_at` on."""
    seen: list[datetime] = []
    last: plan.Looked | None = None
    now = began
    while (due := plan.next_look(KICKOFF, now, last)) is not None:
        now = max(now, due)
        seen.append(now)
        is_confirmed = confirmed_at is not None and now >= confirmed_at
        known = last.confirmed_at if last is not None else None
        last = plan.Looked(now, known or (now if is_confirmed else None))
        assert len(seen) < 500
    return seen


@pytest.mark.req("D9")
def test_looks_are_sparse_at_first_and_dense_near_kickoff() -> None:
    seen = looks(before(hours=80))
    assert seen[0] == before(hours=72)
    for lowest, highest, every in ((24, 72, 12 * 60), (3, 24, 3 * 60), (1.25, 3, 20), (0.2, 1.25, 3), (0, 0.2, 1)):
        within = [at for at in seen if before(hours=highest) <= at < before(hours=lowest)]
        steps = {(later - earlier).total_seconds() / 60 for earlier, later in pairwise(within)}
        assert steps == {every}, (lowest, steps)


@pytest.mark.req("D9")
def test_once_confirmed_there_is_one_look_more() -> None:
    seen = looks(before(hours=2), confirmed_at=before(minutes=60))
    assert seen[-1] == before(minutes=5)
    assert seen[-2] - before(minutes=60) < timedelta(minutes=3), "the look at which they were confirmed"


@pytest.mark.req("D2")
@given(spans, st.one_of(st.none(), spans), st.booleans(), st.one_of(st.none(), spans))
def test_no_look_is_ever_due_at_or_after_kickoff(
    now: timedelta, last: timedelta | None, is_hard: bool, confirmed: timedelta | None
) -> None:
    moment = KICKOFF + timedelta(days=1) - now
    looked = None
    if last is not None:
        at = moment - last
        looked = plan.Looked(at, None if confirmed is None else at - confirmed, is_hard)
    due = plan.next_look(KICKOFF, moment, looked)
    assert due is None or max(due, moment) < KICKOFF


@pytest.mark.req("D5")
def test_after_a_hard_failure_the_match_rests() -> None:
    failed = plan.Looked(before(hours=2), is_hard=True)
    assert plan.next_look(KICKOFF, before(hours=2), failed) == before(minutes=90)
    near = plan.Looked(before(minutes=60), is_hard=True)
    assert plan.next_look(KICKOFF, before(minutes=60), near) == before(minutes=54)
