"""The breaker does what its table says, leaks no permit and lets no late verdict count."""

import itertools
import sys

import pytest

from longstop.domain.errors import IllegalTransitionError
from longstop.resilience.breaker import (
    BREAKER,
    Breaker,
    BreakerPolicy,
    BreakerState,
    ConsecutiveRule,
    Permit,
    WindowRule,
)

CLOSED, OPEN, HALF_OPEN = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN


def breaker(threshold: int = 3, *, open_seconds: float = 60.0, probes: int = 1, successes: int = 1) -> Breaker:
    return Breaker("b", ConsecutiveRule(threshold), BreakerPolicy(open_seconds, probes, successes))


def admitted(subject: Breaker, now: float = 0.0) -> Permit:
    permit = subject.admit(now)
    assert permit is not None
    return permit


def opened(at: float = 0.0, *, probes: int = 1, successes: int = 1) -> Breaker:
    subject = breaker(1, probes=probes, successes=successes)
    admitted(subject, at).fail(at)
    assert subject.state is OPEN
    return subject


class WalkedBreaker(Breaker):
    """Notes each step of its table that it takes."""

    def __init__(self, probes: int, successes: int) -> None:
        super().__init__("walked", ConsecutiveRule(2), BreakerPolicy(10.0, probes, successes))
        self.walked: set[tuple[BreakerState, str, BreakerState]] = set()

    def _step(self, event: str) -> None:
        before = self.state
        super()._step(event)
        self.walked.add((before, event, self.state))


def use(permit: Permit, deed: str, now: float) -> None:
    if deed == "g":
        permit.give_back()
    elif deed == "s":
        permit.succeed(now)
    else:
        permit.fail(now)


@pytest.mark.req("B2")
def test_the_table_is_exactly_what_the_breaker_does() -> None:
    """Every sequence of six calls, waits and orders: no step beyond the table, and none of the table left out."""
    walked = set()
    for deeds in itertools.product("sfgwo", repeat=6):
        subject, now = WalkedBreaker(probes=1, successes=2), 0.0
        for deed in deeds:
            now += 10.0 if deed == "w" else 0.0
            if deed == "o":
                subject.open_now(now)
            permit = subject.admit(now) if deed in "sfg" else None
            if permit is not None:
                use(permit, deed, now)
        walked |= subject.walked
    assert walked == {(row.source, row.event, row.target) for row in BREAKER.transitions}


@pytest.mark.parametrize(
    ("state", "event"),
    [
        (CLOSED, "cooled"),
        (CLOSED, "probe_failed"),
        (CLOSED, "probes_succeeded"),
        (OPEN, "tripped"),
        (OPEN, "forced"),
        (OPEN, "probes_succeeded"),
        (HALF_OPEN, "tripped"),
        (HALF_OPEN, "cooled"),
    ],
)
def test_no_other_step_is_legal(state: BreakerState, event: str) -> None:
    assert not BREAKER.can(state, event)
    with pytest.raises(IllegalTransitionError):
        BREAKER.advance(state, event)


# ---- closed ----


@pytest.mark.req("B2")
@pytest.mark.parametrize("threshold", [1, 2, 5, 100])
def test_it_trips_at_the_threshold_and_not_before(threshold: int) -> None:
    subject = breaker(threshold)
    for _ in range(threshold - 1):
        admitted(subject).fail(0.0)
        assert subject.state is CLOSED
    admitted(subject).fail(0.0)
    assert subject.state is OPEN
    assert subject.admit(0.0) is None


def test_a_success_between_begins_the_count_anew() -> None:
    subject = breaker(3)
    for _ in range(20):
        admitted(subject).fail(0.0)
        admitted(subject).fail(0.0)
        admitted(subject).succeed(0.0)
    assert subject.state is CLOSED
    assert subject.view().failure_count == 0


def test_a_permit_given_back_counts_for_nothing() -> None:
    subject = breaker(2)
    admitted(subject).fail(0.0)
    admitted(subject).give_back()
    assert subject.view().failure_count == 1
    assert subject.view().total_calls == 1


def test_only_the_first_verdict_on_a_call_counts() -> None:
    subject = breaker(2)
    permit = admitted(subject)
    permit.fail(0.0)
    permit.fail(0.0)
    permit.succeed(0.0)
    permit.give_back()
    assert subject.view().total_calls == subject.view().failure_count == 1


def test_many_who_fail_at_once_open_it_once() -> None:
    subject = breaker(5)
    permits = [admitted(subject) for _ in range(50)]
    for permit in permits:
        permit.fail(0.0)
    told = subject.view()
    assert (subject.state, told.opens, told.total_failures) == (OPEN, 1, 50)


# ---- open ----


@pytest.mark.req("B2")
def test_it_stays_open_to_the_last_moment_and_no_longer() -> None:
    subject = opened(at=100.0)
    assert not subject.would_admit(159.999)
    assert subject.admit(159.999) is None
    assert subject.retry_in_seconds(130.0) == 30.0
    assert subject.would_admit(160.0)
    assert subject.state is OPEN, "to ask takes nothing"
    assert admitted(subject, 160.0).is_probe
    assert subject.state is HALF_OPEN


def test_refusals_do_not_prolong_it() -> None:
    subject = opened()
    for second in range(60):
        assert subject.admit(float(second)) is None
    assert subject.view().total_rejections == 60
    admitted(subject, 60.0)


@pytest.mark.parametrize("begun", [0.1, 1e-9, 12345.678, 1e15 + 0.5, 4e17])
def test_who_waits_as_long_as_told_is_admitted(begun: float) -> None:
    """Sums of fractions do not come out even; nobody may be sent away with nothing left to wait."""
    for open_seconds in (0.1, 0.3, 1 / 3, 60.0, 59.9):
        subject = breaker(1, open_seconds=open_seconds)
        admitted(subject, begun).fail(begun)
        now = begun
        for _ in range(3):
            now += subject.retry_in_seconds(now)
        assert subject.retry_in_seconds(now) == 0.0
        assert subject.admit(now) is not None


def test_a_late_verdict_does_not_count_while_it_is_open() -> None:
    subject = breaker(1)
    late = [admitted(subject) for _ in range(3)]
    late[0].fail(0.0)
    late[1].fail(50.0)
    late[2].succeed(50.0)
    assert subject.retry_in_seconds(50.0) == 10.0, "a late failure does not prolong it"
    assert subject.state is OPEN


def test_an_order_opens_it_from_any_state_and_counts_from_then() -> None:
    subject = breaker()
    subject.open_now(5.0)
    assert (subject.state, subject.view().opens) == (OPEN, 1)
    subject.open_now(35.0)
    assert subject.view().opens == 1, "it was open"
    assert subject.admit(94.9) is None
    probe = admitted(subject, 95.0)
    subject.open_now(96.0)
    assert (subject.state, subject.view().opens) == (OPEN, 2)
    probe.succeed(97.0)
    assert subject.state is OPEN, "the probe was sent before the order"


# ---- half-open ----


@pytest.mark.req("B2")
@pytest.mark.parametrize("probes", [1, 2, 3, 10])
def test_exactly_the_configured_probes_are_admitted(probes: int) -> None:
    subject = opened(probes=probes, successes=probes)
    permits = [subject.admit(60.0) for _ in range(20)]
    assert sum(permit is not None for permit in permits) == probes
    assert all(permit.is_probe for permit in permits if permit is not None)
    assert not subject.would_admit(1e9)


def test_no_probe_is_sent_in_place_of_one_that_succeeded() -> None:
    """Three canaries are three, also when the first is back before the last is gone."""
    subject = opened(probes=3, successes=3)
    first, *others = [admitted(subject, 60.0) for _ in range(3)]
    first.succeed(60.0)
    assert subject.admit(60.0) is None
    for permit in others:
        permit.succeed(60.0)
    assert subject.state is CLOSED


def test_a_probe_that_was_given_back_is_free_again() -> None:
    subject = opened(probes=2, successes=2)
    for _ in range(50):
        permits = [admitted(subject, 60.0), admitted(subject, 60.0)]
        assert subject.admit(60.0) is None
        for permit in permits:
            permit.give_back()
            permit.give_back()
    assert subject.state is HALF_OPEN


def test_it_closes_after_as_many_successes_as_asked_for_one_at_a_time() -> None:
    subject = opened(probes=1, successes=5)
    for done in range(5):
        assert (subject.state, subject.view().success_count) == ((OPEN, 0) if done == 0 else (HALF_OPEN, done))
        permit = admitted(subject, 60.0)
        assert subject.admit(60.0) is None
        permit.succeed(60.0)
    assert (subject.state, subject.view().failure_count) == (CLOSED, 0)


def test_one_failed_probe_opens_it_for_the_whole_time_again() -> None:
    subject = opened(probes=3, successes=3)
    permits = [admitted(subject, 60.0) for _ in range(3)]
    permits[0].succeed(61.0)
    permits[1].fail(62.0)
    permits[2].succeed(63.0)
    assert (subject.state, subject.view().opens) == (OPEN, 2)
    assert subject.retry_in_seconds(62.0) == 60.0
    assert len([permit for permit in (subject.admit(122.0) for _ in range(9)) if permit]) == 3


def test_a_probe_of_an_earlier_trial_neither_counts_nor_frees_a_place() -> None:
    subject = opened(probes=2, successes=2)
    old, failing = admitted(subject, 60.0), admitted(subject, 60.0)
    failing.fail(60.0)
    now = [admitted(subject, 120.0), admitted(subject, 120.0)]
    old.give_back()
    assert subject.admit(120.0) is None
    now[0].succeed(120.0)
    now[1].succeed(120.0)
    assert subject.state is CLOSED


def test_a_failure_from_before_does_not_open_it_again() -> None:
    subject = breaker(1)
    first, second = admitted(subject), admitted(subject)
    first.fail(0.0)
    admitted(subject, 60.0).succeed(60.0)
    second.fail(61.0)
    assert subject.state is CLOSED
    assert subject.view().total_failures == 2, "it is counted, but decides nothing"


# ---- the window ----


def window(seconds: float = 600.0, attempts: int = 30, percent: float = 35.0) -> Breaker:
    return Breaker("w", WindowRule(seconds, attempts, percent), BreakerPolicy(900.0, 3, 3))


def told(subject: Breaker, verdicts: str, now: float = 0.0) -> BreakerState:
    for verdict in verdicts:
        permit = admitted(subject, now)
        permit.succeed(now) if verdict == "s" else permit.fail(now)
    return subject.state


@pytest.mark.req("B2")
@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        ("f" * 29, CLOSED),
        ("f" * 30, OPEN),
        ("s" * 20 + "f" * 10, CLOSED),
        ("s" * 19 + "f" * 11, OPEN),
        ("f" * 11 + "s" * 19, OPEN),
        ("s" * 13 + "f" * 7 + "s" * 13 + "f" * 7, OPEN),
        ("s" * 14 + "f" * 6 + "s" * 13 + "f" * 7, CLOSED),
    ],
)
def test_a_share_of_failures_trips_it_once_there_are_enough_attempts(verdicts: str, state: BreakerState) -> None:
    assert told(window(), verdicts) is state


def test_what_is_as_old_as_the_window_has_left_it() -> None:
    subject = window()
    told(subject, "f" * 29)
    assert told(subject, "f", now=600.0) is CLOSED
    other = window()
    told(other, "f" * 29)
    assert told(other, "f", now=599.999) is OPEN


def test_the_window_rolls_and_does_not_jump() -> None:
    subject = window(seconds=100.0, attempts=10, percent=50.0)
    for second in range(500):
        assert told(subject, "f" if second % 3 == 0 else "s", now=float(second)) is CLOSED
    assert subject.view().failure_count == len([each for each in range(400, 500) if each % 3 == 0])


def test_it_forgets_what_was_before_it_opened() -> None:
    subject = window()
    told(subject, "f" * 30)
    for permit in [admitted(subject, 900.0) for _ in range(3)]:
        permit.succeed(900.0)
    assert subject.state is CLOSED
    assert told(subject, "f" * 29, now=901.0) is CLOSED


def test_no_rate_of_calls_fills_the_memory() -> None:
    rule = WindowRule(600.0, 30, 101.0)
    for call in range(200_000):
        rule.record(call % 7 > 0, call * 0.05)
    assert len(rule._moments) <= 1001
    assert abs(rule._attempts - 12_000) <= 12
    assert sum(moment.attempts for moment in rule._moments) == rule._attempts
    assert sum(moment.failures for moment in rule._moments) == rule.failures


# ---- extremes ----


@pytest.mark.parametrize("now", [0.0, -1e9, 1e-300, 1e18, 1e300, sys.float_info.max / 4])
@pytest.mark.parametrize("subject", [breaker(1), window(attempts=1)], ids=["consecutive", "window"])
def test_no_time_is_too_great(subject: Breaker, now: float) -> None:
    fresh = Breaker("x", subject._rule, BreakerPolicy(60.0, 1, 1))
    fresh._rule.forget()
    admitted(fresh, now).fail(now)
    assert fresh.state is OPEN
    later = now * 4 + 1e9 if now >= 0 else 1e9
    admitted(fresh, later).succeed(later)
    assert fresh.state is CLOSED


def test_one_that_never_cools_stays_open() -> None:
    subject = breaker(1, open_seconds=float("inf"))
    admitted(subject).fail(0.0)
    assert subject.admit(1e300) is None
    assert subject.retry_in_seconds(0.0) == float("inf")


def test_a_long_life_leaves_it_as_small_as_it_was() -> None:
    subject, now = breaker(2, probes=2, successes=2), 0.0
    for _ in range(5_000):
        for _ in range(2):
            admitted(subject, now).fail(now)
        now += 60.0
        for permit in (admitted(subject, now), admitted(subject, now)):
            permit.succeed(now)
    view = subject.view()
    assert (view.state, view.opens, view.total_calls) == ("CLOSED", 5_000, 20_000)
    assert sum(sys.getsizeof(value) for value in vars(subject).values()) < 2_000


def test_its_view_tells_everything_that_happened() -> None:
    subject = opened()
    subject.admit(1.0)
    view = subject.view()
    assert (view.name, view.state, view.opens, view.failure_count) == ("b", "OPEN", 1, 0)
    assert (view.total_calls, view.total_failures, view.total_successes, view.total_rejections) == (1, 1, 0, 1)
