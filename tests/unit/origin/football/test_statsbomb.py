"""A real match from StatsBomb's files, played again by the football site."""

from pathlib import Path

import pytest

from longstop.check.football import judge
from longstop.domain.football import FootballEvent
from longstop_origin.football.site import FootballSite
from longstop_origin.football.statsbomb import StatsBombError, load_statsbomb
from longstop_origin.football.world import FootballOptions, FootballWorld
from tests.football import EPOCH, part_read, report_at

KICKOFF = EPOCH + 7200


def at_site(path: Path) -> FootballSite:
    fixture = load_statsbomb(path, KICKOFF)
    return FootballSite(FootballWorld(FootballOptions(epoch=EPOCH, matches=0), (fixture,)))


@pytest.mark.parametrize("kind", ["event", "lineup"])
def test_a_real_match_is_played_as_it_was_and_believed_at_every_moment(shared_data: Path, kind: str) -> None:
    of = at_site(shared_data / "statsbomb" / f"statsbomb_3788741_{kind}.json")
    (fixture,) = of.world.fixtures
    previous: FootballEvent | None = None
    for minute in range(-90, 130):
        report = report_at(of, fixture, KICKOFF + 60 * minute)
        verdict = judge(report, previous)
        assert not verdict.reasons, f"minute {minute}: {verdict.reasons}"
        previous = report.event
    assert previous is not None
    assert (previous.home.name, previous.away.name, previous.score) == ("Turkey", "Italy", (0, 3))


def test_the_line_ups_of_a_real_match_come_an_hour_before_its_kickoff(shared_data: Path) -> None:
    of = at_site(shared_data / "statsbomb" / "statsbomb_3788741_lineup.json")
    (fixture,) = of.world.fixtures
    for seconds, is_confirmed in ((-3601, False), (-3600, True)):
        reading = part_read(of, fixture, "/lineups", KICKOFF + seconds)
        assert not isinstance(reading, str)
        assert reading.football is not None
        assert reading.football.lineups is not None
        assert reading.football.lineups.is_confirmed is is_confirmed
        assert reading.football.lineups.starters_missing == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [("other.json", "[]"), ("a_event.json", "{"), ("a_event.json", '[{"id": 1}]'), ("a_event.json", "[]")],
)
def test_what_is_no_match_of_statsbomb_is_refused_in_a_sentence(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "a_lineup.json").write_text("[]", encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(StatsBombError, match=r"\.$"):
        load_statsbomb(tmp_path / name, KICKOFF)
