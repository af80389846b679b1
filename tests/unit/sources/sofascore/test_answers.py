"""Which answer is it, and is it one at all?"""

from typing import Any

import msgspec
import pytest

from longstop.domain.errors import (
    EmptyPayloadError,
    ErrorAnswerError,
    ForeignPayloadError,
    MalformedPayloadError,
    MisfiledPayloadError,
    SchemaBreakError,
)
from longstop.domain.football import Phase, Side, Winner
from longstop.domain.match import MatchRef
from longstop.sources.contract import Reading
from longstop.sources.sofascore import SofascoreReader, parser, requests
from tests.sofascore import KICKOFF, STATUSES, event, incidents, lineups, score, snapshot, statistics

REF = MatchRef("sofascore", "12345678")
EVENT, LIST = {"event": event()}, {"events": [event(), event("not started", winnerCode=None)], "hasNextPage": False}


def read(content: object, filed_as: str = "saved.json") -> Reading:
    return SofascoreReader().read(snapshot(content, filed_as=filed_as))


KINDS: dict[str, tuple[str, Any]] = {
    "an event": ("event", EVENT),
    "an event without its wrapping": ("event", event()),
    "a list": ("event_list", LIST),
    "a list without its wrapping": ("event_list", [event()]),
    "a day without matches": ("event_list", {"events": [], "hasNextPage": False}),
    "incidents": ("incidents", {"incidents": incidents(), "home": {}, "away": {}}),
    "incidents without their wrapping": ("incidents", incidents()),
    "no incidents yet": ("incidents", {"incidents": []}),
    "line-ups": ("lineups", lineups()),
    "line-ups to come": ("lineups", {"confirmed": False}),
    "statistics": ("statistics", statistics()),
    "no statistics yet": ("statistics", {"statistics": []}),
    "an event under another key": ("event", {"match_id": 1, "answer": EVENT}),
    "several answers": ("bundle", {"raw": {"event": EVENT, "more": [{"incidents": incidents()}, lineups()]}}),
}


@pytest.mark.parametrize("name", KINDS)
def test_an_answer_is_known_by_its_structure(name: str) -> None:
    kind, content = KINDS[name]
    assert read(content).kind == kind


def test_a_page_of_a_match_is_read_for_what_it_carries() -> None:
    state = msgspec.json.encode({"props": {"pageProps": {"initialProps": {"event": event(), "id": 5}}}})
    page = b'<!doctype html><script id="__NEXT_DATA__" type="application/json">' + state + b"</script>"
    reading = read(page)
    assert reading.kind == "page"
    assert reading.football is not None
    assert reading.football.event is not None
    assert reading.football.event.key == "12345678"


def test_an_event_is_read_whole() -> None:
    told = parser.parse_event(REF, snapshot(EVENT))
    assert (told.key, told.home.name, told.away.key) == ("12345678", "Reds", "17")
    assert (told.phase, told.winner, told.score) == (Phase.FINISHED, Winner.HOME, (2, 1))
    assert told.home_score.periods == (1, 1)
    assert told.kickoff is not None
    assert told.kickoff.timestamp() == KICKOFF
    assert told.changed_at is not None


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        ("not started", Phase.NOT_STARTED),
        ("first half", Phase.FIRST_HALF),
        ("started", Phase.IN_PLAY),
        ("after penalties", Phase.AFTER_PENALTIES),
        ("awarded", Phase.AWARDED),
        ("walkover", Phase.AWARDED),
        ("annulled", Phase.AWARDED),
        ("abandoned", Phase.ABANDONED),
        ("unheard of", Phase.UNKNOWN),
    ],
)
def test_a_status_is_read_by_words_for_paper_results_and_else_by_its_code(status: str, phase: Phase) -> None:
    assert STATUSES[status]
    assert parser.read_event({"event": event(status)}).phase is phase


def test_incidents_line_ups_and_statistics_are_read_whole() -> None:
    rows = parser.parse_incidents(snapshot({"incidents": incidents()}))
    assert [row.where for row in rows[:2]] == ["90'", "90+3'"]
    assert rows[12].side is Side.AWAY
    assert rows[3].minute is None
    assert rows[7].player is not None
    assert rows[7].player.name == "Player 12"
    squads = parser.parse_lineups(snapshot(lineups()))
    assert squads.away is not None
    assert [person.name for person in squads.away.missing] == ["Player 199"]
    assert len(parser.parse_statistics(snapshot(statistics()))) == 6


@pytest.mark.parametrize("content", [b"", b" \n", b"{}", b"[]", b"null"])
def test_a_good_answer_with_nothing_in_it_is_empty(content: bytes) -> None:
    with pytest.raises(EmptyPayloadError):
        read(content)


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        ({"code": 403, "reason": "challenge"}, "challenge"),
        ({"code": 403, "reason": "Forbidden"}, "refused"),
        ({"code": 401, "message": "no"}, "refused"),
        ({"code": 404, "message": "Not Found"}, "not_found"),
        ({"code": 410}, "not_found"),
        ({"code": 429, "reason": "slow down"}, "throttled"),
        ({"code": 503}, "failing"),
        ({"message": "odd"}, "error"),
        ({"code": "403", "reason": ["challenge"]}, "error"),
    ],
)
def test_an_error_in_a_body_is_told_by_its_class(error: dict[str, Any], verdict: str) -> None:
    for reader in (read, lambda content: parser.parse_event(REF, snapshot(content))):
        with pytest.raises(ErrorAnswerError) as refused:
            reader({"error": error})
        assert refused.value.verdict == verdict
        assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    "content",
    [b"hello", b"<html>", {"error": "match not found"}, {"events": [{"id": "1", "competitions": []}]}, {"a": 1}, [[1]]],
)
def test_what_is_no_answer_of_the_site_is_foreign(content: object) -> None:
    with pytest.raises(ForeignPayloadError):
        read(content)


@pytest.mark.parametrize("content", [b'{"event": {"id": 1', b"[1, 2", b'{"event": \xff}'])
def test_half_an_answer_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedPayloadError):
        read(content)


@pytest.mark.parametrize(
    ("content", "filed_as", "found"),
    [
        (statistics(), "lineups.json", "statistics"),
        (lineups(), "12345678_incidents.json", "lineups"),
        (EVENT, "event-statistics.json", "event"),
        ({"incidents": incidents()}, "line-ups-12345678.json", "incidents"),
    ],
)
def test_an_answer_that_was_kept_as_another_one_is_told_as_what_it_is(
    content: object, filed_as: str, found: str
) -> None:
    with pytest.raises(MisfiledPayloadError) as refused:
        read(content, filed_as)
    assert refused.value.family == found


@pytest.mark.parametrize("filed_as", ["event.json", "12345678_event.json", "event-player-stats.json", "-", "x.json"])
def test_a_name_that_claims_nothing_else_is_no_objection(filed_as: str) -> None:
    assert read(EVENT, filed_as).kind == "event"


def test_an_answer_to_another_call_is_misfiled() -> None:
    with pytest.raises(MisfiledPayloadError, match="filed as event and is statistics"):
        parser.parse_event(REF, snapshot(statistics()))


def test_another_match_is_not_taken_for_the_one_that_was_asked() -> None:
    with pytest.raises(MisfiledPayloadError, match="is match 12345678, not 99"):
        parser.parse_event(MatchRef("sofascore", "99"), snapshot(EVENT))


def test_another_sport_is_none_of_ours() -> None:
    told = event(tournament={"name": "NBA", "category": {"sport": {"slug": "basketball"}}})
    with pytest.raises(MisfiledPayloadError, match="'basketball', not football"):
        read({"event": told})


BREAKS: dict[str, tuple[Any, set[str], set[str]]] = {
    "teams renamed": (
        {"event": {**{key: value for key, value in event().items() if key != "homeTeam"}, "startTimestamp": "soon"}},
        {"event.homeTeam"},
        {"event.startTimestamp"},
    ),
    "scores renamed inside": ({"event": event(homeScore={"goals": 2})}, {"event.homeScore.current"}, set()),
    "scores gone": ({"event": event(awayScore=None)}, {"event.awayScore"}, set()),
    "a goal without side": (
        {"incidents": [{"incidentType": "goal", "time": 3, "homeScore": 1, "awayScore": 0}]},
        {"incidents[0].isHome"},
        set(),
    ),
    "kinds renamed": (
        {"incidents": [{"type": "goal", "isHome": True, "addedTime": 1}]},
        {"incidents[0].incidentType"},
        set(),
    ),
    "players renamed": (lineups(home={"squad": [], "formation": "4-4-2"}), {"home.players"}, set()),
    "a confirmed line-up of one team": ({"confirmed": True, "home": lineups()["home"]}, {"away"}, set()),
    "items renamed": (
        {"statistics": [{"period": "ALL", "groups": [{"groupName": "x"}]}]},
        {"statistics[0].groups[0].statisticsItems"},
        set(),
    ),
}  # fmt: skip


@pytest.mark.req("D4")
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_contract_is_told_with_every_path(name: str) -> None:
    content, missing, wrong = BREAKS[name]
    with pytest.raises(SchemaBreakError) as refused:
        read(content)
    assert (set(refused.value.missing), set(refused.value.wrong)) == (missing, wrong)
    assert refused.value.contract.startswith("sofascore.")
    assert refused.value.verdict == "schema_break"


def test_a_broken_row_costs_that_row_and_a_broken_list_the_list() -> None:
    broken = {**event(), "homeTeam": {"name": "nobody"}}
    reading = read({"events": [event(), broken]})
    assert reading.football is not None
    assert [told.key for told in reading.football.events or ()] == ["12345678"]
    assert "homeTeam.id is missing" in reading.notes[0]
    with pytest.raises(SchemaBreakError):
        read({"events": [broken, broken]})


def test_two_different_matches_in_one_file_are_not_mixed() -> None:
    with pytest.raises(MalformedPayloadError, match="more than one event"):
        read({"one": EVENT, "two": {"event": event(id=2)}})
    assert read({"one": EVENT, "two": EVENT}).kind == "event"


def test_what_a_line_up_lacks_is_noted() -> None:
    sheet = lineups(confirmed=False)
    sheet["home"]["players"] = sheet["home"]["players"][2:]
    assert read(sheet).notes == ("unconfirmed", "xi_missing: 2")
    assert read(lineups()).notes == ()


def test_the_calls_stand_on_the_address_that_is_handed_in() -> None:
    site = "http://127.0.0.1:9"
    urls = [call(site, REF).url for call in (requests.event, requests.incidents, requests.lineups, requests.statistics)]
    assert urls == [f"{site}/api/v1/event/12345678{end}" for end in ("", "/incidents", "/lineups", "/statistics")]
    assert requests.live(site).url == f"{site}/api/v1/sport/football/events/live"
    assert requests.scheduled(site, told_day()).url.endswith("/scheduled-events/2026-05-24")
    assert score(1, 1)["current"] == 2


def told_day() -> Any:
    kickoff = parser.read_event(EVENT).kickoff
    assert kickoff is not None
    return kickoff.date()
