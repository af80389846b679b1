"""While the source rests nothing is sent but its probes, whatever was let in before and waits for its turn."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from longstop.clock import LoopClock
from longstop.domain.capture_errors import AfterKickoffError, CaptureError, CaptureFailedError, SourceRestingError
from longstop.domain.errors import SourceFailingError
from longstop.jobs.captures.circuit import Circuit
from longstop.jobs.captures.options import CaptureOptions
from longstop.jobs.captures.service import SofascoreScraperService
from longstop.resilience.breaker import BreakerPolicy, WindowRule
from tests.football_captures import KICKOFF, START, Site, service_on, told_lineups, upcoming
from tests.virtual import Heard, on_virtual_time

ONCE = CaptureOptions(attempts_max=1)
MANY = 20


def a_site() -> Site:
    site = Site(LoopClock(START))
    for number in range(MANY):
        site.show(upcoming(number + 1, f"Home{number}", f"Away{number}"), told_lineups())
    return site


def resting_after(attempts: int, site: Site, heard: Heard) -> SofascoreScraperService:
    service = service_on(site, heard, None, ONCE)
    rule, policy = WindowRule(600, attempts, 35), BreakerPolicy(900, probes=3, successes_to_close=3)
    circuit = Circuit("sofascore", site.clock, heard.bus, rule, policy)
    service.circuit = service.resolving._circuit = service._attempts._circuit = circuit
    return service


def of_match(number: int, **changes: Any) -> dict[str, Any]:
    known = {"match_id": number, "home_team": f"Home{number - 1}", "away_team": f"Away{number - 1}"}
    return {"kickoff_utc": KICKOFF} | known | changes


async def captured(service: SofascoreScraperService, number: int) -> CaptureError | None:
    from longstop.domain.capture import Fixture

    try:
        await service.capture(Fixture(event_key=str(number), page="http://127.0.0.1/x", **of_match(number)))
    except CaptureError as error:
        return error
    return None


@pytest.mark.req("B2")
@on_virtual_time
async def test_what_was_let_in_before_the_breaker_opened_and_waits_for_its_turn_is_not_sent() -> None:
    site, heard = a_site(), Heard()
    site.turn = asyncio.Semaphore(1)
    site.failures = [SourceFailingError("Down.") for _ in range(MANY)]
    service = resting_after(5, site, heard)
    told = await asyncio.gather(*(captured(service, number + 1) for number in range(8)))
    assert len(site.visits) == 5
    assert [type(error) for error in told] == [CaptureFailedError] * 5 + [SourceRestingError] * 3
    assert service.circuit.view().total_calls == 5, "what was not sent says nothing about the source"


async def rested(site: Site, heard: Heard) -> SofascoreScraperService:
    service = resting_after(1, site, heard)
    site.failures = [SourceFailingError("Down.")]
    await captured(service, 1)
    await site.clock.sleep(901)
    site.visits.clear()
    return service


@pytest.mark.req("B2")
@on_virtual_time
async def test_a_probe_of_a_match_that_has_begun_frees_no_other_probe() -> None:
    site, heard = a_site(), Heard()
    service = await rested(site, heard)
    for key in ("1", "2", "3", "4", "5"):
        site.events[key]["startTimestamp"] = int((START + timedelta(minutes=1)).timestamp())
    told = [await captured(service, number) for number in range(1, 4)]
    assert [type(error) for error in told] == [AfterKickoffError] * 3
    assert service.circuit.is_closed, "it was asked three times and answered three times"


@pytest.mark.req("B2")
@on_virtual_time
async def test_a_probe_that_was_called_off_after_it_was_sent_frees_no_other_probe() -> None:
    site, heard = a_site(), Heard()
    service = await rested(site, heard)
    for number in range(1, 9):
        task = asyncio.create_task(captured(service, number))
        await site.clock.sleep(0.5)
        task.cancel()
        await asyncio.wait([task])
    assert len(site.visits) <= 3
