"""A value that no store can keep costs its match one look, and not one a minute until kickoff."""

from typing import Any

import pytest

from longstop.clock import LoopClock
from longstop.domain.capture_errors import CaptureFailedError
from longstop.domain.errors import InputError, RecordRefusedError, SchemaBreakError
from longstop.observe.signals import ErrorRaised
from longstop.sources.sofascore import parser
from longstop.store.contract import WriteBatch
from longstop.store.sqlite import SqliteStore
from tests.football_captures import KICKOFF, START, Site, service_on, told_lineups, upcoming
from tests.virtual import Heard, on_virtual_time

REDS_BLUES: dict[str, Any] = {"match_id": 7, "kickoff_utc": KICKOFF, "home_team": "Reds", "away_team": "Blues"}


class ChoosyStore(SqliteStore):
    """One value of a team sheet does not fit, whatever the reason."""

    async def save(self, batch: WriteBatch) -> None:
        if batch.lineups:
            raise RecordRefusedError("A value cannot be kept: too large.")
        await super().save(batch)


def a_site(lineups: dict[str, Any]) -> Site:
    site = Site(LoopClock(START))
    site.show(upcoming(501, "Reds", "Blues"), lineups)
    return site


def with_player(**changes: Any) -> dict[str, Any]:
    told = told_lineups()
    told["home"]["players"][0].update(changes)
    return told


@pytest.mark.req("D4")
@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"shirtNumber": 2**70}, "home.players[0].shirtNumber"),
        ({"shirtNumber": -1}, "home.players[0].shirtNumber"),
        ({"shirtNumber": 1000}, "home.players[0].shirtNumber"),
        ({"player": {"id": 2**63, "name": "A"}}, "home.players[0].player.id"),
        ({"player": {"id": 0, "name": "A"}}, "home.players[0].player.id"),
    ],
)
def test_a_number_out_of_bounds_breaks_the_contract_by_its_path(changes: dict[str, Any], path: str) -> None:
    with pytest.raises(SchemaBreakError) as refused:
        parser.read_lineups(with_player(**changes))
    assert refused.value.wrong == (path,)
    assert "out of bounds" in refused.value.message


@pytest.mark.req("D4")
@on_virtual_time
async def test_an_oversized_number_is_held_and_the_match_rests() -> None:
    site, heard = a_site(with_player(shirtNumber=2**70)), Heard()
    store = SqliteStore(None, clock=site.clock)
    await store.open()
    with pytest.raises(CaptureFailedError, match=r"sofascore\.lineups\.v1"):
        await service_on(site, heard, store).scrape_match(**REDS_BLUES)
    assert [each.family for each in await store.quarantined()] == ["lineups"]
    told = await store.capture_progress(7)
    assert told is not None
    assert (told.status, told.reason) == ("hard_fail", "schema_break")
    await store.close()


@pytest.mark.req("D4")
@on_virtual_time
async def test_what_the_store_refuses_ends_the_attempt_loudly_with_a_row_and_a_rest() -> None:
    site, heard = a_site(told_lineups()), Heard()
    store = ChoosyStore(None, clock=site.clock)
    await store.open()
    with pytest.raises(CaptureFailedError) as failed:
        await service_on(site, heard, store).scrape_match(**REDS_BLUES)
    assert (failed.value.reason, failed.value.severity) == ("not_keepable", "hard")
    (held,) = await store.quarantined()
    assert (held.family, held.contract, "too large" in held.reason) == ("lineups", "sofascore.lineups.v1", True)
    told = await store.capture_progress(7)
    assert told is not None
    assert (told.status, told.reason) == ("hard_fail", "not_keepable")
    assert told.next_at is not None
    assert (told.next_at - told.updated_at).total_seconds() >= 360
    assert [each.severity for each in heard.of(ErrorRaised)] == ["CRITICAL"]
    assert len(site.visits) == 1
    await store.close()


@pytest.mark.req("D4")
@pytest.mark.parametrize("number", [99999999999999999999, 0, -1])
def test_a_number_of_a_match_that_nothing_can_keep_is_refused_before_a_visit(number: int) -> None:
    @on_virtual_time
    async def scene() -> None:
        site = a_site(told_lineups())
        with pytest.raises(InputError, match="is no number of a match"):
            await service_on(site, Heard()).scrape_match(**REDS_BLUES | {"match_id": number})
        assert not site.visits
        assert not site.lists

    scene()
