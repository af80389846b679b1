"""The normalised payload, its versions, and how whole it is."""

from copy import deepcopy
from typing import Any

import pytest

from longstop.check.football.integrity import integrity
from longstop.domain.errors import InputError
from longstop.domain.football import MatchReport
from longstop.sources.sofascore import parser
from longstop.sources.sofascore.normalized import NORMALIZED, normalized
from longstop.sources.sofascore.upgrades import V1, V2, upgraded
from tests import sofascore
from tests.football_captures import told_lineups, upcoming


def report(lineups: dict[str, Any] | None = None) -> MatchReport:
    told = told_lineups() if lineups is None else lineups
    return MatchReport(
        event=parser.read_event({"event": upcoming(501, "Reds", "Blues")}), lineups=parser.read_lineups(told)
    )


@pytest.mark.req("D4")
def test_a_stored_payload_is_led_to_the_next_version() -> None:
    first = normalized(report())
    kept = deepcopy(first)
    second = upgraded(first, V1, V2)
    assert first == kept, "the stored one is left as it is"
    for side in ("home", "away"):
        players = second["lineups"][side]["players"]
        assert [each["name"] for each in players if each["role"] == "starter"] == [
            each["name"] for each in first["lineups"][side]["xi"]
        ]
        assert len(players) == len(first["lineups"][side]["xi"]) + len(first["lineups"][side]["bench"])
    assert second["event"] == first["event"]
    assert upgraded(second, V2) == second
    assert upgraded(normalized(MatchReport()))["lineups"] == {"confirmed": False, "home": None, "away": None}


@pytest.mark.req("D4")
def test_no_way_leads_back_nor_to_a_version_that_does_not_exist() -> None:
    assert NORMALIZED == "sofascore.event.v1"
    with pytest.raises(InputError):
        upgraded({}, V2, V1)
    with pytest.raises(InputError):
        upgraded({}, "sofascore.event.v99")


@pytest.mark.req("D4")
def test_holes_are_counted_over_what_features_are_made_of() -> None:
    whole = integrity(report())
    assert (whole.null_field_rate, whole.xi_missing, whole.missing_required_fields) == (0.0, 0, ())
    assert whole.flags == ("no_ratings",)
    holes = told_lineups()
    for row in holes["home"]["players"][:11]:
        row.pop("position", None)
    assert integrity(report(holes)).null_field_rate == round(11 / 70, 4)


@pytest.mark.req("D4")
def test_a_rating_is_missed_only_where_others_have_one() -> None:
    rated = sofascore.lineups()
    rated["home"]["players"][0]["statistics"].pop("rating", None)
    told = integrity(report(rated))
    assert "no_ratings" not in told.flags
    assert told.null_field_rate == round(1 / 92, 4)


@pytest.mark.req("D4")
def test_a_starter_who_is_not_told_is_missing_whole() -> None:
    short = told_lineups()
    short["away"]["players"] = [row for row in short["away"]["players"] if row["player"]["id"] != 105]
    told = integrity(report(short))
    assert (told.xi_missing, told.starters_missing) == (1, 1)
    assert told.missing_required_fields == ("lineups.away.xi",)
    assert integrity(MatchReport()).null_field_rate == 1.0


@pytest.mark.req("D1")
def test_before_a_match_the_rating_is_that_of_the_season_and_says_so() -> None:
    told = told_lineups()
    told["home"]["players"][0]["avgRating"] = 6.86
    found = report(told)
    shown = normalized(found)["lineups"]["home"]["xi"]
    assert (shown[0]["rating"], shown[0]["rating_kind"]) == (6.86, "season")
    assert (shown[1]["rating"], shown[1]["rating_kind"]) == (None, None)
    assert "no_ratings" not in integrity(found).flags


@pytest.mark.req("D1")
def test_after_a_match_the_rating_is_that_of_the_match() -> None:
    told = sofascore.lineups()
    told["home"]["players"][0]["avgRating"] = 6.1
    shown = normalized(report(told))["lineups"]["home"]["xi"][0]
    assert (shown["rating"], shown["rating_kind"]) == (6.8, "match")
