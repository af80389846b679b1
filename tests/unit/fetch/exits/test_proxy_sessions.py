"""The rules of rotation, one by one."""

import random

import pytest

from longstop.domain.errors import (
    ChallengeError,
    ErrorAnswerError,
    ExitFailedError,
    MatchGoneError,
    SettingsError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
    TokenUnavailableError,
)
from longstop.fetch.exits.exit import exit_at
from longstop.fetch.exits.outcome import Outcome, outcome_of
from longstop.fetch.exits.proxy_sessions import ExitEvent, ProxySessionManager, SessionLimits
from longstop.fetch.exits.quarantine import Record, Rest
from longstop.fetch.exits.session import ExitSession, SessionUse

pytestmark = pytest.mark.req("D6")


def made(
    exits: int = 6, limits: SessionLimits | None = None, told: list[ExitEvent] | None = None
) -> ProxySessionManager:
    pool = [exit_at(f"http://user:password@proxy{n}:8080") for n in range(exits)]
    tell = None if told is None else told.append
    return ProxySessionManager("site", pool, random.Random(1), limits, tell=tell)


def visited(manager: ProxySessionManager, key: str, outcome: Outcome, now: float = 0.0) -> ExitSession:
    session = manager.take(key, now)
    manager.judge(session, key, outcome, now)
    return session


def test_a_good_session_serves_match_after_match() -> None:
    manager = made()
    sessions = {visited(manager, f"match {n}", Outcome.GOOD, float(n)).session_id for n in range(20)}
    assert len(sessions) == 1


def test_after_twenty_matches_or_ten_minutes_a_session_is_over() -> None:
    manager = made()
    first = [visited(manager, f"match {n}", Outcome.GOOD) for n in range(21)]
    assert first[0] is first[19] is not first[20]
    assert first[0].ended == "spent"
    assert visited(manager, "late", Outcome.GOOD, 600.0) is not first[20]
    assert first[20].ended == "old"


def test_a_rotating_session_serves_one_match() -> None:
    manager = made(limits=SessionLimits(mode="rotating"))
    proxies = [visited(manager, f"match {n}", Outcome.GOOD, float(n)).proxy_id for n in range(6)]
    assert len(set(proxies)) == 6


def test_of_two_good_sessions_the_one_that_rested_longer_is_taken() -> None:
    manager = made()
    one, two = manager.take("one", 0.0), manager.take("two", 1.0)
    assert one.proxy_id != two.proxy_id
    manager.judge(two, "two", Outcome.GOOD, 2.0)
    manager.judge(one, "one", Outcome.GOOD, 3.0)
    assert manager.take("three", 4.0) is one
    assert manager.take("four", 5.0) is two


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.CHALLENGED, Outcome.EXIT_FAILED])
def test_who_is_sent_away_comes_back_as_somebody_else_and_the_exit_rests(outcome: Outcome) -> None:
    manager = made()
    session = visited(manager, "match", outcome)
    assert session.is_over
    assert manager.drain_ended() == (session,)
    assert manager.resting(119.0) == (session.proxy_id,)
    assert manager.take("match", 1.0).proxy_id != session.proxy_id
    assert manager.resting(120.0) == ()


def test_a_timeout_is_tried_once_more_on_the_same_exit_and_then_elsewhere() -> None:
    manager = made()
    first, second, third = (visited(manager, "match", Outcome.SILENT) for _ in range(3))
    assert first is second
    assert third.proxy_id != first.proxy_id
    assert not first.is_over, "others may go on with it"


def test_more_than_two_timeouts_in_a_row_end_a_session_whoever_met_them() -> None:
    manager = made()
    session = visited(manager, "one", Outcome.SILENT)
    assert visited(manager, "two", Outcome.SILENT) is session
    assert not session.is_over
    assert visited(manager, "three", Outcome.SILENT) is session
    assert session.ended == "timeouts"
    assert manager.resting(1.0) == (session.proxy_id,)


def test_a_good_answer_forgives_the_timeouts_before_it() -> None:
    manager = made()
    met = [visited(manager, f"match {n}", Outcome.SILENT if n % 3 else Outcome.GOOD) for n in range(9)]
    assert len({session.session_id for session in met}) == 1
    assert not met[0].is_over


def test_requests_that_weigh_far_more_than_usual_end_a_session() -> None:
    manager = made()
    for n in range(10):
        usual = manager.take(f"match {n}", 0.0)
        manager.judge(usual, f"match {n}", Outcome.GOOD, 0.0, SessionUse(requests=10, bytes_in=300_000))
    again = manager.take("heavy", 0.0)
    manager.judge(again, "heavy", Outcome.BLAMELESS, 0.0, SessionUse(requests=10, bytes_in=3_000_000))
    assert again.ended == "heavy"
    assert manager.take("heavy", 1.0).proxy_id != again.proxy_id


def test_half_of_the_exits_stay_however_bad_they_are_and_that_is_told() -> None:
    told: list[ExitEvent] = []
    manager = made(exits=4, told=told)
    met = [visited(manager, f"match {n}", Outcome.REFUSED).proxy_id for n in range(8)]
    assert len(manager.resting(0.0)) == 2
    assert set(met[4:]).isdisjoint(manager.resting(0.0))
    assert [event.name for event in told if event.name.startswith("exit")][:3] == [
        "exit_ejected", "exit_ejected", "exits_short",
    ]  # fmt: skip
    assert len(set(met[:4])) == 4, "the least bad one is taken"


def test_a_failure_that_is_nobodys_fault_keeps_session_and_exit() -> None:
    manager = made()
    assert visited(manager, "match", Outcome.BLAMELESS) is visited(manager, "match", Outcome.GOOD)


def test_each_rest_is_twice_as_long_up_to_a_bound_and_good_behaviour_is_remembered_slowly() -> None:
    record = Record(Rest(base_seconds=100.0, longest_seconds=500.0, forgotten_seconds=1000.0))
    lengths, now = [], 0.0
    for _ in range(4):
        record.strike(now)
        lengths.append(record.eject(now) - now)
        now = record.until
    assert lengths == [100.0, 200.0, 400.0, 500.0]
    now += 10_000.0
    record.strike(now)
    assert record.eject(now) - now == 100.0


def test_without_an_exit_nobody_goes_out() -> None:
    with pytest.raises(SettingsError, match="no exit"):
        made(exits=0)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, Outcome.GOOD),
        (ChallengeError("a wall"), Outcome.CHALLENGED),
        (SourceRefusedError("403"), Outcome.REFUSED),
        (SourceThrottledError("429"), Outcome.REFUSED),
        (ErrorAnswerError("told", verdict="challenge"), Outcome.CHALLENGED),
        (ErrorAnswerError("told", verdict="not_found"), Outcome.BLAMELESS),
        (TokenUnavailableError("no token"), Outcome.BLAMELESS),
        (ExitFailedError("407"), Outcome.EXIT_FAILED),
        (SourceTimeoutError("slow"), Outcome.SILENT),
        (SourceUnreachableError("cut"), Outcome.SILENT),
        (MatchGoneError("404"), Outcome.BLAMELESS),
    ],
)
def test_an_exit_is_blamed_for_what_another_might_do_better(error: Exception | None, outcome: Outcome) -> None:
    assert outcome_of(error) is outcome
