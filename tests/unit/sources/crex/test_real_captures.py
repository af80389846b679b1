"""What real sites sent. Nothing here is tuned to one file: each says what kind of file it is, and what must be seen."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from longstop.check import plausibility
from longstop.domain.cricket import InningsState, PlayState
from longstop.domain.errors import ForeignPayloadError, LongstopError
from longstop.domain.match import MatchStatus
from longstop.sources.contract import Reading
from longstop.sources.crex import CrexSource
from tests.crex import snapshot

NOW = datetime(2025, 12, 1, tzinfo=UTC)
OTHERS = (
    "sofascore",
    "espn_core_api_cricket",
    "espn_cricket_site_api",
    "espn_soccer",
    "espncricinfo",
    "globo",
    "cricsheet",
    "antibot",
    "statsbomb",
    "brasileirao_dataset",
    "robots",
)


def read(path: Path) -> Reading:
    return CrexSource().read(snapshot(path.read_bytes(), at=NOW))


def test_a_captured_innings_break_is_read_as_one(shared_data: Path) -> None:
    (path,) = (shared_data / "crex").glob("sv3_*_innings_break.json")
    told = read(path).observation
    assert told is not None
    assert told.teams == ("CD", "11")
    (score,) = told.innings
    assert (score.team, score.runs, score.wickets, score.overs) == ("CD", 106, 10, "31.1")
    assert score.state is InningsState.CLOSED
    assert (told.play, told.status, told.result) == (PlayState.INNINGS_BREAK, MatchStatus.LIVE, None)
    assert plausibility.judge(told).is_accepted


def test_a_dump_of_the_page_storage_gives_names(shared_data: Path) -> None:
    names = read(shared_data / "crex" / "local_storage_QUY_2024-09-18.json").names
    assert names is not None
    assert names.teams == {"CD": "United States", "11": "United Arab Emirates"}
    assert names.teams_short == {"CD": "USA", "11": "UAE"}
    assert names.series == {"1JK": "Men's CWC League-II 2023-27"}
    assert names.players == {}


def test_a_dump_with_few_names_gives_those_and_invents_none(shared_data: Path) -> None:
    (path,) = (shared_data / "crex").glob("local_storage_incomplete_*.json")
    names = read(path).names
    assert names is not None
    assert len(names.players) == 6
    assert names.players["XX"] == "Lorcan Tucker"
    assert not any("unknown" in name.lower() for name in names.players.values())


def test_what_another_parser_made_of_the_site_is_foreign(shared_data: Path) -> None:
    (path,) = (shared_data / "crex").glob("live_batters_sequence_*.json")
    with pytest.raises(ForeignPayloadError):
        read(path)


@pytest.mark.parametrize("folder", OTHERS)
def test_the_files_of_other_sites_are_foreign_and_told_so_in_one_sentence(folder: str, shared_data: Path) -> None:
    paths = [path for path in (shared_data / folder).rglob("*") if path.is_file()]
    assert paths
    for path in paths:
        try:
            found = read(path)
        except ForeignPayloadError as error:
            assert "\n" not in str(error), path  # noqa: PT017 - the loop goes on over many files
            assert len(str(error)) < 400, path  # noqa: PT017 - the same
        except LongstopError as error:
            pytest.fail(f"{path}: {type(error).__name__} {error}")
        else:
            pytest.fail(f"{path} was taken for a {found.kind}")
