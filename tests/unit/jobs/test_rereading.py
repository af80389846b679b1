"""Payloads that broke their contract, once the reading was mended."""

from datetime import timedelta
from typing import Any

import pytest

from longstop.clock import LoopClock
from longstop.domain.capture_errors import CaptureFailedError
from longstop.domain.errors import SchemaBreakError
from longstop.jobs.captures.rereading import reread
from longstop.sources.sofascore import parser
from longstop.store.sqlite import SqliteStore
from tests.football_captures import KICKOFF, START, Site, service_on, told_lineups, upcoming
from tests.virtual import Heard, on_virtual_time

REDS_BLUES: dict[str, Any] = {"match_id": 7, "kickoff_utc": KICKOFF, "home_team": "Reds", "away_team": "Blues"}


async def broken_scene(monkeypatch: pytest.MonkeyPatch) -> tuple[Site, SqliteStore]:
    """The reading is what is broken; the payload is good."""
    site = Site(LoopClock(START))
    site.show(upcoming(501, "Reds", "Blues"), told_lineups())
    store = SqliteStore(None, clock=site.clock)
    await store.open()

    def refuse(_: Any) -> Any:
        raise SchemaBreakError("It breaks.", contract="sofascore.lineups.v1", missing=("home.players",))

    with monkeypatch.context() as then:
        then.setattr(parser, "parse_lineups", refuse)
        with pytest.raises(CaptureFailedError):
            await service_on(site, Heard(), store).scrape_match(**REDS_BLUES)
        assert [each.outcome for each in await reread(store, site.clock.now())] == ["broken"]
    return site, store


@pytest.mark.req("D4")
def test_what_waited_is_kept_with_the_moment_of_its_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    @on_virtual_time
    async def scene() -> None:
        site, store = await broken_scene(monkeypatch)
        (held,) = await store.quarantined()
        await site.clock.sleep(3 * 24 * 3600)
        assert [each.outcome for each in await reread(store, site.clock.now())] == ["kept"]
        told = await store.line_ups(7)
        assert {row.captured_at for row in told} == {held.captured_at}
        assert len(told) == 2
        assert await reread(store, site.clock.now()) == []
        await store.close()

    scene()


@pytest.mark.req("D2")
def test_a_kickoff_that_was_moved_meanwhile_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    @on_virtual_time
    async def scene() -> None:
        site, store = await broken_scene(monkeypatch)
        service = service_on(site, Heard(), store)
        await site.clock.sleep(60)
        await service.scrape_match(**REDS_BLUES)
        await site.clock.sleep(1)
        await service.note_kickoff(7, START - timedelta(minutes=5))
        assert [each.outcome for each in await reread(store, site.clock.now())] == ["after_kickoff"]
        assert await store.line_ups(7) == []
        await store.close()

    scene()
