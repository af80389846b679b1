"""The plan of faults: as many as it says, the same for the same seed, and nothing it could not be blamed for."""

from collections import Counter

import msgspec
import pytest

from longstop_origin import faults
from longstop_origin.faults import Fault, FaultPlan
from longstop_origin.oracle import truth_of
from longstop_origin.pages import match_path
from longstop_origin.site import Request, Site
from longstop_origin.world import World, WorldOptions
from tests.unit.origin import readings

EPOCH = 1_700_000_000.0
KEYS = [f"K{number:03}" for number in range(40)]


def decisions(plan: FaultPlan, asked: str = faults.STATE) -> list[Fault | None]:
    """Forty matches, each asked every 2.5 s for ten minutes."""
    return [plan.decide(key, ordinal, asked, EPOCH + 2.5 * ordinal) for key in KEYS for ordinal in range(240)]


@pytest.mark.parametrize(
    ("level", "lowest", "highest"), [("none", 0.0, 0.0), ("mild", 0.03, 0.07), ("storm", 0.2, 0.32)]
)
def test_a_level_fails_its_share_of_requests(level: str, lowest: float, highest: float) -> None:
    made = decisions(FaultPlan(level, seed=1))
    assert lowest <= sum(fault is not None for fault in made) / len(made) <= highest


@pytest.mark.parametrize("asked", [faults.LIST, faults.PAGE, faults.STATE, faults.CARD, faults.FEED, faults.NAMES])
def test_every_path_is_hit(asked: str) -> None:
    assert any(decisions(FaultPlan("storm", seed=1), asked))


def test_every_kind_of_fault_comes() -> None:
    plan = FaultPlan("storm", seed=1)
    seen = {fault.kind for asked in (faults.STATE, faults.PAGE) for fault in decisions(plan, asked) if fault}
    assert seen == faults.KINDS


def test_what_a_path_cannot_suffer_does_not_come() -> None:
    plan = FaultPlan("storm", seed=1)
    of_names = {fault.kind for fault in decisions(plan, faults.NAMES) if fault}
    assert not of_names & {"changed page", "stale", "not found"}
    assert "changed page" not in {fault.kind for fault in decisions(plan, faults.STATE) if fault}


def test_the_same_plan_decides_the_same() -> None:
    assert decisions(FaultPlan("storm", seed=3)) == decisions(FaultPlan("storm", seed=3))
    assert decisions(FaultPlan("storm", seed=3)) != decisions(FaultPlan("storm", seed=4))


def test_statuses_are_those_of_the_table() -> None:
    counted = Counter(fault.status for fault in decisions(FaultPlan("storm", seed=1)) if fault)
    assert {500, 502, 503, 429, 401, 403, 404} <= set(counted)
    limited = [fault for fault in decisions(FaultPlan("storm", seed=1)) if fault and fault.status == 429]
    assert all(fault.retry_after_seconds and 1 <= fault.retry_after_seconds <= 4 for fault in limited)


def test_a_burst_fails_everything_for_seconds_and_then_ends() -> None:
    plan = FaultPlan("storm", seed=1)
    longest = max(_longest_failure(plan, key) for key in KEYS)
    assert 8.0 < longest < 45.0


def _longest_failure(plan: FaultPlan, key: str) -> float:
    longest = current = 0.0
    for ordinal in range(6000):
        is_hit = plan.decide(key, ordinal, faults.STATE, EPOCH + 0.1 * ordinal) is not None
        current = current + 0.1 if is_hit else 0.0
        longest = max(longest, current)
    return longest


def test_only_a_finished_match_disappears_and_not_at_once() -> None:
    plan = FaultPlan("storm", seed=1)
    gone = [plan.disappears_at(key, EPOCH) for key in KEYS]
    times = [at for at in gone if at is not None]
    assert 0 < len(times) < len(KEYS)
    assert all(EPOCH + 180 <= at <= EPOCH + 600 for at in times)


def test_an_unknown_level_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(ValueError, match="none, mild, storm"):
        FaultPlan("hurricane")


class Doomed(FaultPlan):
    """Always the same fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__("none")
        self.fault: Fault | None = fault

    def decide(self, key: str, ordinal: int, asked: str, now: float) -> Fault | None:
        return self.fault


def doomed(fault: Fault) -> tuple[Site, str, bytes]:
    """A site that fails so, the key of a match, and the body it would send."""
    plan = Doomed(fault)
    site = Site(World(WorldOptions(epoch=EPOCH, seed=2, matches=3, speed=20.0)), plan)
    plan.fault = None
    key = site.world.listed(EPOCH)[0].key
    whole = readings.get(site, "/api/v3/getSV3", EPOCH, key=key).body
    plan.fault = fault
    return site, key, whole


def test_latency_delays_the_right_answer() -> None:
    site, key, whole = doomed(Fault("latency", delay_seconds=0.7))
    reply = readings.get(site, "/api/v3/getSV3", EPOCH, key=key)
    assert (reply.status, reply.body, reply.delay_seconds) == (200, whole, 0.7)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 502, 503])
def test_a_refusal_has_its_status(status: int) -> None:
    site, key, _ = doomed(Fault("server error", status=status, retry_after_seconds=3 if status == 429 else None))
    reply = readings.get(site, "/api/v3/getSV3", EPOCH, key=key)
    assert reply.status == status
    assert reply.headers.get("Retry-After") == ("3" if status == 429 else None)
    assert "ETag" not in reply.headers


@pytest.mark.parametrize("kind", ["reset", "hang"])
def test_a_broken_connection_says_how_it_breaks(kind: str) -> None:
    site, key, _ = doomed(Fault(kind, delay_seconds=4.0))
    reply = readings.get(site, "/api/v3/getSV3", EPOCH, key=key)
    assert (reply.broken, reply.is_hung, reply.is_reset) == (kind, kind == "hang", kind == "reset")


def test_a_truncated_body_keeps_its_length_and_names_the_cut() -> None:
    site, key, whole = doomed(Fault("truncated", share=0.5))
    reply = readings.get(site, "/api/v3/getSV3", EPOCH, key=key)
    assert (reply.body, reply.cut_at) == (whole, len(whole) // 2)


@pytest.mark.parametrize("variant", range(4))
def test_a_malformed_body_is_no_state(variant: int) -> None:
    site, key, _ = doomed(Fault("malformed", variant=variant))
    reply = readings.get(site, "/api/v3/getSV3", EPOCH, key=key)
    assert reply.status == 200
    try:
        decoded = msgspec.json.decode(reply.body)
    except msgspec.DecodeError:
        decoded = None
    assert not isinstance(decoded, dict)


def test_a_stale_body_is_an_older_state_and_at_most_a_minute_old() -> None:
    site, key, _ = doomed(Fault("stale"))
    fixture = site.world.listed(EPOCH)[0]
    now = EPOCH + 31.3
    fresh = truth_of(fixture, now)
    stale = msgspec.json.decode(readings.get(site, "/api/v3/getSV3", now, key=key).body)
    older = fixture.elapsed(now) - fixture.elapsed(now) % 60
    assert 0 < fixture.elapsed(now) - older < 60
    expected = truth_of(fixture, fixture.starts_at + older / fixture.speed + 1e-6)
    assert [readings.innings_totals(item)["runs"] for item in stale["in"]] == [each.runs for each in expected.innings]
    assert len(expected.balls) <= len(fresh.balls)


def test_a_changed_page_shows_the_score_under_other_names() -> None:
    site, _, _ = doomed(Fault("changed page", variant=2))
    fixture = site.world.listed(EPOCH)[0]
    html = readings.get(site, match_path(fixture), EPOCH).body.decode()
    assert "team-content" not in html
    assert "app-root-state" not in html
    assert fixture.script.teams[0].short in html


def test_a_disappeared_match_is_gone_from_everywhere() -> None:
    plan = FaultPlan("storm", seed=1)
    site = Site(World(WorldOptions(epoch=EPOCH, seed=2, matches=30, speed=1000.0, rolling=False)), plan)
    gone = [fixture for fixture in site.world.listed(EPOCH) if plan.disappears_at(fixture.key, fixture.ends_at)]
    assert gone
    for fixture in gone:
        before, after = fixture.ends_at + 100.0, fixture.ends_at + 601.0
        assert site.known(fixture.key, before) is fixture
        assert site.known(fixture.key, after) is None
        assert fixture not in site._listed(after)


def test_faults_are_counted_by_kind() -> None:
    site, key, _ = doomed(Fault("server error", status=503))
    readings.get(site, "/api/v3/getSV3", EPOCH, key=key)
    assert site.faults == {"server error": 1}


def test_robots_and_unknown_paths_never_fail() -> None:
    site, _, _ = doomed(Fault("reset"))
    assert readings.get(site, "/robots.txt", EPOCH).status == 200
    assert site.respond(Request("GET", "/nowhere"), EPOCH).status == 404
