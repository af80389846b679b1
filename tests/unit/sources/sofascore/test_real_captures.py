"""What the real site sent. Each says what kind of file it is and what must be seen; none is tuned to."""

from pathlib import Path

import msgspec
import pytest

from longstop.check import football
from longstop.check.verdict import Verdict
from longstop.domain.errors import ErrorAnswerError, ForeignPayloadError, LongstopError, MisfiledPayloadError
from longstop.domain.football import MatchReport, Phase
from longstop.sources.contract import Reading
from longstop.sources.sofascore import SofascoreReader
from tests.sofascore import snapshot

HEALTHY = {
    "page": ["brasileirao2025_tournament_page.html"],
    "event_list": [
        "can/all_can_matches.json",
        "devanhdq/data00_euro_event.json",
        "laliga-fantasy-data/cup-events-champions.json",
        "laliga-fantasy-data/events-8-77559-last-0.json",
        "moisuc/live_events.json",
        "moisuc/scheduled_events.json",
    ],
    "lineups": ["laliga-fantasy-data/lineups.json", "reduced/lineups_unconfirmed_empty.json"],
    "incidents": ["reduced/incidents_live_extra_time.json"],
    "player_statistics": ["laliga-fantasy-data/event-player-stats.json"],
    "season_statistics": ["laliga-fantasy-data/overall-8-77559.json"],
    "player": ["laliga-fantasy-data/player-1086128.json"],
    "search": ["laliga-fantasy-data/search.json", "laliga-fantasy-data/search-ambiguous.json"],
    "seasons": ["laliga-fantasy-data/seasons.json"],
}
OTHERS = (
    "crex",
    "espn_core_api_cricket",
    "espn_cricket_site_api",
    "espn_soccer",
    "espncricinfo",
    "globo",
    "cricsheet",
    "statsbomb",
    "brasileirao_dataset",
)
POISONED = "osegonte_suspected_poisoned"


def read(path: Path) -> Reading:
    return SofascoreReader().read(snapshot(path.read_bytes(), filed_as=path.name))


def report_of(reading: Reading) -> MatchReport:
    assert reading.football is not None
    return reading.football


def verdict_of(path: Path) -> Verdict:
    return football.judge(report_of(read(path)))


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in HEALTHY.items() for name in names])
def test_a_healthy_capture_is_read_as_what_it_is_and_believed(kind: str, name: str, shared_data: Path) -> None:
    reading = read(shared_data / "sofascore" / name)
    assert reading.kind == kind
    assert reading.schema.endswith(".v1")
    if reading.football is not None:
        assert football.judge(reading.football).reasons == ()
        assert football.held_rows(reading.football) == ()
    assert not [note for note in reading.notes if "breaks" in note]
    msgspec.json.encode(reading)


def test_every_match_of_a_captured_day_is_read_with_its_status(shared_data: Path) -> None:
    events = report_of(read(shared_data / "sofascore" / "moisuc" / "scheduled_events.json")).events
    assert events is not None
    phases = {phase: sum(event.phase is phase for event in events) for phase in {event.phase for event in events}}
    assert phases == {Phase.FINISHED: 63, Phase.NOT_STARTED: 43, Phase.POSTPONED: 1, Phase.HALF_TIME: 1}


def test_a_captured_line_up_has_its_players_shirts_and_ratings(shared_data: Path) -> None:
    lineups = report_of(read(shared_data / "sofascore" / "laliga-fantasy-data" / "lineups.json")).lineups
    assert lineups is not None
    assert lineups.is_confirmed
    assert (lineups.starters_missing, lineups.has_ratings) == (0, True)
    assert [(len(sheet.players), sheet.formation) for _, sheet in lineups.sheets] == [(23, "3-4-3"), (23, "4-1-4-1")]
    assert lineups.home is not None
    assert lineups.home.players[0].rating == 5.4


def test_an_empty_line_up_is_told_as_such(shared_data: Path) -> None:
    reading = read(shared_data / "sofascore" / "reduced" / "lineups_unconfirmed_empty.json")
    assert {"unconfirmed", "empty", "no_ratings"} <= set(reading.notes)


@pytest.mark.req("B10")
def test_the_poisoned_event_is_held_for_its_scores(shared_data: Path) -> None:
    said = "; ".join(verdict_of(shared_data / "sofascore" / POISONED / "split" / "12436559_event.json").reasons)
    assert "the home score is 1 in one place (current) and 0 in another (display)" in said
    assert "the away score has 1 + 2 in its halves and 2 in normal time" in said


@pytest.mark.req("B10")
def test_the_poisoned_incidents_are_held_for_their_sides_and_minutes(shared_data: Path) -> None:
    said = "; ".join(verdict_of(shared_data / "sofascore" / POISONED / "split" / "12436559_incidents.json").reasons)
    assert "the goal at 28' made it 0-1 and is told as the home team's" in said
    assert "the goal at 76' made it 0-2 and is told as the home team's" in said
    assert "FT is at minute 97 and at second 5400" in said
    assert "is told to be of both teams" in said


@pytest.mark.req("B10")
def test_a_file_with_several_answers_is_held_also_for_what_they_say_of_each_other(shared_data: Path) -> None:
    (path,) = (shared_data / "sofascore" / POISONED).glob("*.json")
    reading = read(path)
    assert reading.kind == "bundle"
    said = "; ".join(football.judge(report_of(reading)).reasons)
    assert "the first half ended 1-1 by its halves and 0-1 by what happened" in said


def test_an_error_that_came_as_a_body_is_told_by_its_class(shared_data: Path) -> None:
    with pytest.raises(ErrorAnswerError) as refused:
        read(shared_data / "sofascore" / "errors" / "403_challenge.json")
    assert refused.value.verdict == "challenge"


def test_statistics_that_were_kept_as_line_ups_are_told_as_statistics(shared_data: Path) -> None:
    with pytest.raises(MisfiledPayloadError) as refused:
        read(shared_data / "sofascore" / "devanhdq" / "statistics_misnamed_as_lineups.json")
    assert refused.value.family == "statistics"


def test_a_list_of_addresses_is_no_answer_of_the_site(shared_data: Path) -> None:
    with pytest.raises(ForeignPayloadError):
        read(shared_data / "sofascore" / "links_brasileirao.csv")


@pytest.mark.parametrize("folder", OTHERS)
def test_the_files_of_other_sites_are_foreign(folder: str, shared_data: Path) -> None:
    paths = [path for path in (shared_data / folder).rglob("*") if path.is_file()]
    assert paths
    for path in paths:
        with pytest.raises(ForeignPayloadError):
            read(path)


def test_pages_that_hold_visitors_up_are_challenges_each_of_them(shared_data: Path) -> None:
    classes = {}
    for path in (shared_data / "antibot").rglob("*.html"):
        with pytest.raises(LongstopError) as refused:
            read(path)
        classes[path.stem] = getattr(refused.value, "verdict", "")
    assert sorted(classes.values()) == ["challenge"] * 5, classes
