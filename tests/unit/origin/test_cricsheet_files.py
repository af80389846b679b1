"""Every real match beside the project, through the whole site: what it shows at the end is what the file says."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from longstop_origin.cricsheet import load_cricsheet
from longstop_origin.oracle import compare, truth_of
from longstop_origin.site import Site
from longstop_origin.world import World
from tests.unit.origin import readings
from tests.unit.origin.documents import totals

EPOCH = 1_700_000_000.0
LONG_AFTER = EPOCH + 10_000_000.0
RESULT_KEYS = {"w": "winner", "by": "by", "m": "method", "res": "result", "el": "eliminator", "bo": "bowl_out"}


@pytest.fixture(scope="module")
def matches(shared_data: Path) -> list[tuple[Path, dict[str, Any]]]:
    paths = sorted((shared_data / "cricsheet").glob("*/*.json"))
    if not paths:
        pytest.skip("the shared data holds no Cricsheet files")
    return [(path, msgspec.json.decode(path.read_bytes())) for path in paths]


@pytest.fixture(scope="module", params=["none", "storm"])
def sites(request: pytest.FixtureRequest, matches: list[tuple[Path, dict[str, Any]]]) -> Site:
    """All of them in one world, shown right at once, and shown wrong at first."""
    scripts = [load_cricsheet(path) for path, _ in matches]
    return Site(World.from_scripts(scripts, epoch=EPOCH, speed=1000.0, corrections=request.param))


def test_the_final_totals_are_those_of_the_file(matches: list[tuple[Path, dict[str, Any]]], sites: Site) -> None:
    for (path, document), fixture in zip(matches, sites.world.listed(LONG_AFTER), strict=True):
        shown = [readings.innings_totals(item) for item in readings.state(sites, fixture, LONG_AFTER)["in"]]
        expected = [totals(each) for each in document["innings"]]
        for each in expected:
            each["team"] = fixture.codes.teams[each["team"]]
        assert shown == expected, path.name


def test_the_final_balls_are_those_of_the_file(matches: list[tuple[Path, dict[str, Any]]], sites: Site) -> None:
    for (path, document), fixture in zip(matches, sites.world.listed(LONG_AFTER), strict=True):
        balls = readings.all_balls(sites, fixture, LONG_AFTER)
        told = [delivery for each in document["innings"] for over in each["overs"] for delivery in over["deliveries"]]
        names = {code: name for name, code in fixture.codes.players.items()}
        assert len(balls) == len(told), path.name
        for ball, delivery in zip(balls, told, strict=True):
            assert _in_words(ball, names) == _as_told(delivery), f"{path.name} {ball}"


def test_the_result_is_that_of_the_file(matches: list[tuple[Path, dict[str, Any]]], sites: Site) -> None:
    for (path, document), fixture in zip(matches, sites.world.listed(LONG_AFTER), strict=True):
        shown = readings.state(sites, fixture, LONG_AFTER)["rs"]
        names = {code: name for name, code in fixture.codes.teams.items()}
        result = {RESULT_KEYS[key]: names.get(value, value) if key != "by" else value for key, value in shown.items()}
        assert result == document["info"]["outcome"], path.name
        assert truth_of(fixture, LONG_AFTER).result == document["info"]["outcome"], path.name


def test_the_oracle_finds_nothing_wrong_in_the_feeds(sites: Site) -> None:
    for fixture in sites.world.listed(LONG_AFTER):
        truth = truth_of(fixture, LONG_AFTER)
        counts = compare(truth.balls, readings.all_balls(sites, fixture, LONG_AFTER))
        assert counts.is_clean, (fixture.slug, counts)
        assert counts.truth == len(truth.balls)


def test_retirements_and_replacements_are_told(matches: list[tuple[Path, dict[str, Any]]], sites: Site) -> None:
    for (path, document), fixture in zip(matches, sites.world.listed(LONG_AFTER), strict=True):
        truth = truth_of(fixture, LONG_AFTER)
        told = [delivery for each in document["innings"] for over in each["overs"] for delivery in over["deliveries"]]
        retired = [each["kind"] for ball in told for each in ball.get("wickets", []) if "retired" in each["kind"]]
        replaced = [one for ball in told for scope in ball.get("replacements", {}).values() for one in scope]
        assert [kind for _, _, kind in truth.retirements] == retired, path.name
        assert [truth.names[each["in"]] for each in truth.replacements] == [each["in"] for each in replaced], path.name


def _in_words(ball: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        "batter": names[ball["batter"]],
        "non_striker": names[ball["non_striker"]],
        "bowler": names[ball["bowler"]],
        "runs": ball["runs_batter"],
        "extras": {kind: ball[kind] for kind in ("wides", "noballs", "byes", "legbyes", "penalty") if ball[kind]},
        "wickets": [
            (names[each["player"]], each["kind"], [names[code] for code in each["fielders"]])
            for each in ball["wickets"]
        ],
        "non_boundary": ball["non_boundary"],
    }


def _as_told(delivery: dict[str, Any]) -> dict[str, Any]:
    return {
        "batter": delivery["batter"],
        "non_striker": delivery["non_striker"],
        "bowler": delivery["bowler"],
        "runs": delivery["runs"]["batter"],
        "extras": delivery.get("extras", {}),
        "wickets": [
            (each["player_out"], each["kind"], [one["name"] for one in each.get("fielders", []) if "name" in one])
            for each in delivery.get("wickets", [])
        ],
        "non_boundary": delivery["runs"].get("non_boundary", False),
    }
