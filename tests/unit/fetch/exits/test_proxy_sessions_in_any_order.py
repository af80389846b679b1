"""Whatever order things happen in, the manager keeps its promises: conservation, rests, the half, and the bounds."""

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from longstop.fetch.exits.exit import exit_at
from longstop.fetch.exits.outcome import Outcome
from longstop.fetch.exits.proxy_sessions import ExitEvent, ProxySessionManager, SessionLimits
from longstop.fetch.exits.quarantine import Rest
from longstop.fetch.exits.session import ExitSession, SessionUse

pytestmark = pytest.mark.req("D6")
REST = Rest(base_seconds=100.0, longest_seconds=900.0, forgotten_seconds=500.0)
TTL = 300.0
BATCH = 5
KEYS = st.sampled_from(["a", "b", "c", "d", "e", "f"])


class Exits(RuleBasedStateMachine):
    @initialize(exits=st.integers(1, 9), mode=st.sampled_from(["sticky", "rotating"]), seed=st.integers(0, 99))
    def begin(self, exits: int, mode: str, seed: int) -> None:
        self.now = 0.0
        self.exits = exits
        self.told: list[ExitEvent] = []
        self.until: dict[str, float] = {}
        self.out: list[tuple[str, ExitSession]] = []
        self.known: dict[str, ExitSession] = {}
        self.ended: list[str] = []
        self.visits = 0
        limits = SessionLimits("sticky" if mode == "sticky" else "rotating", TTL, BATCH, 2, REST)
        pool = [exit_at(f"http://user:password@proxy{n}:8080") for n in range(exits)]
        self.manager = ProxySessionManager("site", pool, random.Random(seed), limits, tell=self.hear)

    def hear(self, event: ExitEvent) -> None:
        self.told.append(event)
        if event.name == "exit_ejected":
            assert 0 < event.rests_seconds <= max(REST.longest_seconds, self.until.get(event.proxy_id, 0) - self.now)
            self.until[event.proxy_id] = self.now + event.rests_seconds
        if event.name == "exits_short":
            assert (event.resting + 1) * 2 > event.exits, "it was told that exits are short, and more could have rested"

    @rule(key=KEYS)
    def take(self, key: str) -> None:
        session = self.manager.take(key, self.now)
        assert session.is_in_use
        assert not session.is_over
        assert all(session is not other for _, other in self.out), "two visits hold one session"
        assert self.until.get(session.proxy_id, 0.0) <= self.now, "an exit was used while it rests"
        assert self.now - session.created_at < TTL
        assert session.matches <= BATCH
        self.known[session.session_id] = session
        self.out.append((key, session))

    @precondition(lambda self: self.out)
    @rule(
        which=st.integers(0, 100),
        outcome=st.sampled_from(Outcome),
        requests=st.integers(0, 20),
        weight=st.sampled_from([1_000, 20_000, 5_000_000]),
    )
    def judge(self, which: int, outcome: Outcome, requests: int, weight: int) -> None:
        key, session = self.out.pop(which % len(self.out))
        self.manager.judge(session, key, outcome, self.now, SessionUse(requests, requests * weight))
        self.visits += 1
        if outcome in (Outcome.REFUSED, Outcome.CHALLENGED, Outcome.EXIT_FAILED):
            assert session.is_over, "who was sent away comes again with the same cookies"

    @rule(seconds=st.sampled_from([0.5, 20.0, 90.0, 400.0, 2_000.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def drain(self) -> None:
        self.ended += [session.session_id for session in self.manager.drain_ended()]

    @invariant()
    def never_more_than_half_rest(self) -> None:
        if hasattr(self, "manager"):
            assert len(self.manager.resting(self.now)) * 2 <= self.exits

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "manager"):
            return
        alive = {session.session_id for session in self.manager.sessions()}
        assert len(self.ended) == len(set(self.ended))
        assert alive.isdisjoint(self.ended)
        assert all(session.session_id in alive for _, session in self.out)
        assert sum(each.successes + each.failures for each in self.known.values()) == self.visits

    def teardown(self) -> None:
        if hasattr(self, "manager"):
            self.ended += [session.session_id for session in self.manager.end_all(self.now)]
            assert set(self.ended) == set(self.known), "a session was never handed back to be closed"
            assert not self.manager.sessions()


TestExits = Exits.TestCase
TestExits.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
