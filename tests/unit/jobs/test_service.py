"""One match captured before kickoff: what comes of it, what is tried again, and what is refused."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from longstop.clock import LoopClock
from longstop.domain import errors
from longstop.domain.capture import AttemptState
from longstop.domain.capture_errors import (
    AfterKickoffError,
    AmbiguousFixtureError,
    CaptureFailedError,
    NotAheadError,
    UnlistedFixtureError,
)
from longstop.observe.signals import captures as facts
from tests import sofascore
from tests.football_captures import KICKOFF, START, Site, service_on, told_lineups, upcoming
from tests.virtual import Heard, on_virtual_time

REDS_BLUES: dict[str, Any] = {
    "match_id": 7,
    "kickoff_utc": KICKOFF,
    "home_team": "Reds FC",
    "away_team": "Blues",
}


def a_site() -> Site:
    site = Site(LoopClock(START))
    site.show(upcoming(501, "Reds", "Blues"), told_lineups())
    return site


def attempts(heard: Heard) -> list[facts.CaptureAttempted]:
    return heard.of(facts.CaptureAttempted)


@pytest.mark.req("D1")
@on_virtual_time
async def test_a_match_is_captured_with_the_signature_of_the_document() -> None:
    site, heard = a_site(), Heard()
    result = await service_on(site, heard).scrape_match(**REDS_BLUES, league_id=1, season=2026, priority="high")
    assert (result.source, result.schema_version, result.source_event_id) == ("sofascore", "sofascore.event.v1", "501")
    assert result.captured_at < KICKOFF
    home = result.normalized["lineups"]["home"]
    assert (home["formation"], len(home["xi"])) == ("4-3-3", 11)
    assert result.normalized["lineups"]["away"]["missing"][0]["player_id"] == "199"
    assert result.integrity is not None
    assert (result.integrity["xi_missing"], result.integrity["null_field_rate"] < 0.2) == (0, True)
    assert [each.state for each in attempts(heard)] == ["DONE"]
    assert site.verdicts == [None]


@pytest.mark.req("D2")
@on_virtual_time
async def test_a_match_that_has_begun_is_refused_before_anything_is_sent() -> None:
    site, heard = a_site(), Heard()
    with pytest.raises(AfterKickoffError):
        await service_on(site, heard).scrape_match(**REDS_BLUES | {"kickoff_utc": START})
    assert not site.visits
    assert not site.lists


@pytest.mark.req("D2")
@on_virtual_time
async def test_a_capture_that_comes_in_after_kickoff_is_refused() -> None:
    site, heard = a_site(), Heard()
    site.show(upcoming(501, "Reds", "Blues", START + timedelta(seconds=30)), told_lineups())
    site.visit_seconds = 31.0
    with pytest.raises(AfterKickoffError):
        await service_on(site, heard).scrape_match(**REDS_BLUES | {"kickoff_utc": START + timedelta(seconds=30)})
    assert site.verdicts == [None]


@pytest.mark.req("D2")
@on_virtual_time
async def test_a_kickoff_that_the_site_tells_to_be_earlier_counts() -> None:
    """Somebody still has the old kickoff; the site knows that it was moved to an hour ago."""
    site, heard = a_site(), Heard()
    site.show(upcoming(501, "Reds", "Blues", START - timedelta(hours=1)), told_lineups())
    with pytest.raises(AfterKickoffError):
        await service_on(site, heard).scrape_match(**REDS_BLUES)


@pytest.mark.req("D2")
@on_virtual_time
async def test_a_match_that_is_being_played_is_refused_whatever_its_kickoff() -> None:
    site, heard = a_site(), Heard()
    live = upcoming(501, "Reds", "Blues") | {
        "status": sofascore.STATUSES["first half"],
        "homeScore": {"current": 0, "display": 0, "period1": 0},
        "awayScore": {"current": 0, "display": 0, "period1": 0},
    }
    site.show(live, told_lineups())
    with pytest.raises(AfterKickoffError):
        await service_on(site, heard).scrape_match(**REDS_BLUES)


HALF_BEGAN = {"time": {"currentPeriodStartTimestamp": int(START.timestamp()) - 1200}}
ONE_NIL = {"homeScore": {"current": 1, "display": 1}, "awayScore": {"current": 0, "display": 0}}
PROOFS = [
    HALF_BEGAN,
    HALF_BEGAN | ONE_NIL | {"status": sofascore.STATUSES["interrupted"]},
    ONE_NIL | {"status": {"code": 555, "type": "weird", "description": "Whatever"}},
]


@pytest.mark.req("D2")
@pytest.mark.parametrize("proof", PROOFS)
@on_virtual_time
async def test_a_match_that_is_proved_to_run_is_refused_whatever_its_status(proof: dict[str, Any]) -> None:
    site, heard = a_site(), Heard()
    site.show(upcoming(501, "Reds", "Blues") | proof)
    with pytest.raises(AfterKickoffError):
        await service_on(site, heard).scrape_match(**REDS_BLUES)


@pytest.mark.req("D2")
@pytest.mark.parametrize("figures", [{"minutesPlayed": 20}, {"rating": 7.1}, {"rating": 7.1, "minutesPlayed": 20}])
@on_virtual_time
async def test_live_line_ups_beside_a_stale_event_are_refused(figures: dict[str, Any]) -> None:
    site, heard = a_site(), Heard()
    live = told_lineups()
    live["home"]["players"][3]["statistics"] = figures
    site.show(upcoming(501, "Reds", "Blues"), live)
    with pytest.raises(AfterKickoffError):
        await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert len(site.visits) == 1, "nothing of it gets better by asking again"


@pytest.mark.req("D2")
@pytest.mark.parametrize(
    "status",
    [
        *(sofascore.STATUSES[name] for name in ("postponed", "cancelled", "abandoned", "interrupted", "unheard of")),
        {"code": 999, "type": "suspended", "description": "Suspended"},
        {"code": 0, "type": "weird", "description": "Not started"},
    ],
)
@on_virtual_time
async def test_only_what_surely_lies_ahead_is_captured(status: dict[str, Any]) -> None:
    site, heard = a_site(), Heard()
    site.show(upcoming(501, "Reds", "Blues") | {"status": status}, told_lineups())
    with pytest.raises(NotAheadError):
        await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert not heard.of(facts.MatchCaptured)
    assert site.verdicts == [None]


@pytest.mark.req("D5")
@pytest.mark.req("B1")
@on_virtual_time
async def test_what_fails_softly_is_tried_four_times_at_growing_intervals() -> None:
    site, heard = a_site(), Heard()
    site.is_down = lambda: errors.SourceFailingError("503")
    site.visit_seconds = 0.0
    with pytest.raises(CaptureFailedError) as failed:
        await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert not site.visits, "the list of the day did not come either"
    assert failed.value.reason == "5xx"
    site.is_down = lambda: None
    site.failures = [errors.SourceFailingError("503") for _ in range(4)]
    with pytest.raises(CaptureFailedError) as failed:
        await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert (failed.value.attempts, failed.value.severity, failed.value.reason) == (4, "soft", "5xx")
    times = [each.at for each in attempts(heard)]
    waits = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    assert all(base <= wait <= base + 1 for base, wait in zip((2, 4, 8), waits, strict=True)), waits


@pytest.mark.req("B1")
@on_virtual_time
async def test_a_wish_to_come_later_is_honoured() -> None:
    site, heard = a_site(), Heard()
    site.failures = [errors.SourceThrottledError("429", retry_after_seconds=90)]
    result = await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert (result.captured_at - START).total_seconds() >= 90


@pytest.mark.req("D4")
@on_virtual_time
async def test_a_schema_break_is_told_once_and_burns_no_attempt() -> None:
    site, heard = a_site(), Heard()
    broken = told_lineups()
    broken["home"]["players"][3].pop("substitute")
    site.show(upcoming(501, "Reds", "Blues"), broken)
    service = service_on(site, heard)
    for _ in range(3):
        with pytest.raises(CaptureFailedError) as failed:
            await service.scrape_match(**REDS_BLUES)
        assert (failed.value.reason, failed.value.attempts) == ("schema_break", 1)
    assert [each.contract for each in heard.of(facts.SchemaBroken)] == ["sofascore.lineups.v1"]
    site.show(upcoming(501, "Reds", "Blues"), told_lineups())
    await service.scrape_match(**REDS_BLUES)
    assert [each.contract for each in heard.of(facts.SchemaHealed)] == ["sofascore.lineups.v1"]


@pytest.mark.req("D5")
@on_virtual_time
async def test_a_challenge_that_persists_is_hard_and_is_told() -> None:
    site, heard = a_site(), Heard()
    site.failures = [errors.ErrorAnswerError("challenge", verdict="challenge") for _ in range(4)]
    with pytest.raises(CaptureFailedError) as failed:
        await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert (failed.value.reason, failed.value.severity, failed.value.attempts) == ("anti_bot_challenge", "hard", 3)
    assert len(heard.of(facts.ChallengePersisted)) == 1


OUTCOMES: list[tuple[Any, str]] = [
    (b"", "empty"),
    ({"error": {"code": 403, "reason": "Forbidden"}}, "403"),
    ({"error": {"code": 403, "reason": "challenge"}}, "anti_bot_challenge"),
    ({"error": {"code": 404, "message": "Not Found"}}, "404"),
    ({"event": upcoming(999, "Reds", "Blues")}, "wrong_match"),
    (sofascore.statistics(), "wrong_match"),
    (b'{"event": {"id": 501', "malformed"),
    (b"<html><body>Sorry</body></html>", "foreign"),
    ({"event": upcoming(501, "Reds", "Blues") | {"awayTeam": {"id": 5011, "name": "Blues"}}}, "held"),
    ({"event": {key: value for key, value in upcoming(501, "R", "B").items() if key != "status"}}, "schema_break"),
]


@pytest.mark.req("D4")
@pytest.mark.req("D5")
@pytest.mark.parametrize(("body", "reason"), OUTCOMES, ids=[reason for _, reason in OUTCOMES])
def test_each_kind_of_bad_answer_has_its_own_outcome(body: Any, reason: str) -> None:
    @on_virtual_time
    async def scene() -> None:
        site, heard = a_site(), Heard()
        service = service_on(site, heard)
        await service.scrape_match(**REDS_BLUES)
        site.failures = [body for _ in range(4)]
        with pytest.raises(CaptureFailedError) as failed:
            await service.scrape_match(**REDS_BLUES)
        assert failed.value.reason == reason
        assert attempts(heard)[-1].reason == reason

    scene()


@pytest.mark.req("D4")
@on_virtual_time
async def test_line_ups_that_are_not_published_are_said_to_be_missing() -> None:
    site, heard = a_site(), Heard()
    site.lineups.clear()
    result = await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert result.integrity is not None
    assert (result.integrity["xi_missing"], result.integrity["starters_missing"]) == (1, 22)
    assert "lineups_missing" in result.integrity["flags"]
    assert result.integrity["missing_required_fields"] == ["lineups"]


@pytest.mark.req("D1")
@on_virtual_time
async def test_two_matches_that_may_be_meant_are_refused() -> None:
    site, heard = a_site(), Heard()
    site.show(upcoming(502, "Reds", "Blues", KICKOFF + timedelta(hours=1)))
    with pytest.raises(AmbiguousFixtureError) as refused:
        await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert set(refused.value.candidates) == {"501", "502"}
    with pytest.raises(UnlistedFixtureError):
        await service_on(site, heard).scrape_match(**REDS_BLUES | {"home_team": "Greens"})
    assert not site.visits


@pytest.mark.req("D1")
@pytest.mark.parametrize("minutes", [-2, 0, 2])
@on_virtual_time
async def test_two_meetings_on_two_days_are_refused_from_either_day(minutes: int) -> None:
    """One 9 h before midnight, one 11 h after it: neither was asked for."""
    site, heard = Site(LoopClock(START)), Heard()
    midnight = START.replace(hour=0) + timedelta(days=1)
    site.show(upcoming(501, "Reds", "Blues", midnight - timedelta(hours=9)), told_lineups())
    site.show(upcoming(502, "Reds", "Blues", midnight + timedelta(hours=11)), told_lineups())
    asked = REDS_BLUES | {"kickoff_utc": midnight + timedelta(minutes=minutes)}
    with pytest.raises(AmbiguousFixtureError) as refused:
        await service_on(site, heard).scrape_match(**asked)
    assert set(refused.value.candidates) == {"501", "502"}


@pytest.mark.req("D1")
@on_virtual_time
async def test_of_two_meetings_far_apart_the_one_with_the_very_kickoff_is_meant() -> None:
    site, heard = a_site(), Heard()
    site.show(upcoming(502, "Reds", "Blues", KICKOFF + timedelta(hours=18)), told_lineups())
    for kickoff, key in ((KICKOFF, "501"), (KICKOFF + timedelta(hours=18), "502")):
        result = await service_on(site, heard).scrape_match(**REDS_BLUES | {"kickoff_utc": kickoff})
        assert result.source_event_id == key


@pytest.mark.req("D1")
@on_virtual_time
async def test_a_name_that_fits_in_part_does_not_hide_a_better_one_of_the_next_day() -> None:
    site, heard = Site(LoopClock(START)), Heard()
    evening = START.replace(hour=22)
    site.show(upcoming(501, "Brighton Town", "Blues", evening), told_lineups())
    site.show(upcoming(502, "Brighton", "Blues", evening + timedelta(hours=12)), told_lineups())
    with pytest.raises(AmbiguousFixtureError):
        await service_on(site, heard).scrape_match(
            match_id=7, kickoff_utc=evening, home_team="Brighton", away_team="Blues"
        )


@pytest.mark.req("B2")
@pytest.mark.parametrize(
    "error",
    [
        errors.BudgetSpentError("All of the month has moved."),
        errors.EgressRefusedError("Not there."),
        errors.RobotsRefusedError("Asked not to."),
        errors.BrowserMissingError("None here."),
    ],
)
@on_virtual_time
async def test_what_is_our_own_doing_blames_neither_the_source_nor_the_exit(error: errors.LongstopError) -> None:
    """Often enough to open the breaker, were it the source's."""
    site, heard = a_site(), Heard()
    service = service_on(site, heard)
    for _ in range(40):
        site.failures = [error]
        with pytest.raises(CaptureFailedError):
            await service.scrape_match(**REDS_BLUES)
    assert not heard.of(facts.CircuitOpened)
    assert site.verdicts == [None] * 40
    await service.scrape_match(**REDS_BLUES)


def silent_lists(site: Site, times: int) -> None:
    """Each list that is asked for is refused, so many times."""
    left = [errors.SourceRefusedError("403.") for _ in range(times)]
    site.is_down = lambda: left.pop() if left and not site.visits else None


@pytest.mark.req("D1")
@on_virtual_time
async def test_a_match_that_is_not_found_at_once_is_looked_up_again() -> None:
    site, heard = a_site(), Heard()
    silent_lists(site, 3)
    began = site.clock.monotonic()
    await service_on(site, heard).scrape_match(**REDS_BLUES)
    assert len(site.lists) == 4
    assert site.clock.monotonic() - began >= 2 + 4 + 8, "each pause is twice as long"


@pytest.mark.req("D1")
@on_virtual_time
async def test_attempts_to_look_a_match_up_are_counted_and_end() -> None:
    site, heard = a_site(), Heard()
    silent_lists(site, 100)
    service = service_on(site, heard)
    with pytest.raises(CaptureFailedError, match="in 4 attempts") as failed:
        await service.scrape_match(**REDS_BLUES)
    assert (failed.value.attempts, len(site.lists)) == (4, 4)
    told = service.noted(7)
    assert told is not None
    assert (told.attempts, told.reason) == (4, "403")


@pytest.mark.req("D1")
@on_virtual_time
async def test_the_row_of_a_success_says_that_it_is_done() -> None:
    site, heard = a_site(), Heard()
    service = service_on(site, heard)
    await service.scrape_match(**REDS_BLUES)
    told = service.noted(7)
    assert told is not None
    assert told.state is AttemptState.DONE
