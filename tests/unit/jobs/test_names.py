"""Names of teams as callers and sites write them."""

import pytest

from longstop.jobs.captures.names import Likeness, likeness

ALIKE = [
    ("Atlético Madrid", "Atletico de Madrid", Likeness.SAME),
    ("FC Barcelona", "Barcelona", Likeness.SAME),
    ("Málaga CF", "malaga", Likeness.SAME),
    ("Bayern München", "FC Bayern Munich", Likeness.SAME),
    ("Brøndby IF", "Brondby", Likeness.SAME),
    ("Manchester Utd", "Manchester United", Likeness.SAME),
    ("Man Utd", "Manchester United", Likeness.SHORT),
    ("Man. City", "Manchester City", Likeness.SHORT),
    ("PSG", "Paris Saint-Germain", Likeness.SHORT),
    ("Inter", "Internazionale", Likeness.SHORT),
    ("Brighton", "Brighton & Hove Albion", Likeness.PART),
    ("Arsenal Women", "Arsenal (W)", Likeness.SAME),
    ("1. FC Köln", "Koln", Likeness.SAME),
    ("Schalke 04", "FC Schalke", Likeness.SAME),
    ("1860 München", "TSV 1860 Munich", Likeness.SAME),
    ("1860 München", "München 1860", Likeness.SAME),
    ("Mainz 05", "Mainz", Likeness.SAME),
    ("Mainz 05", "1. FSV Mainz 05", Likeness.PART),
    ("Hannover 96", "Hannover 1896", Likeness.SAME),
    ("9 de Octubre", "CD 9 de Octubre", Likeness.SAME),
    ("Sportivo 2 de Mayo", "2 de Mayo Sportivo", Likeness.SAME),
    ("Bayern München II", "Bayern Munich 2", Likeness.SAME),
    ("Krasnodar-2", "FC Krasnodar II", Likeness.SAME),
    ("England U-21", "England Under 21", Likeness.SAME),
    ("England U21", "England Sub 21", Likeness.SAME),
    ("Arsenal WFC", "Arsenal Women FC", Likeness.SAME),
    ("Real Madrid (F)", "Real Madrid Fem.", Likeness.SAME),
    ("Schalke 04 II", "Schalke 2", Likeness.SAME),
]
APART = [
    ("Manchester United", "Manchester City"),
    ("Real Madrid", "Real Sociedad"),
    ("Real Madrid", "Real Madrid B"),
    ("Real Madrid", "Real Madrid Castilla"),
    ("Arsenal", "Arsenal Women"),
    ("Ajax", "Jong Ajax"),
    ("Brazil U20", "Brazil U23"),
    ("Inter", "Milan"),
    ("Krasnodar", "Krasnodar-2"),
    ("Lyon", "Lyon 2"),
    ("Spartak Moscow", "Spartak Moscow 2"),
    ("Zenit St. Petersburg", "Zenit 2"),
    ("Schalke 04", "Schalke 04 II"),
    ("Schalke 04", "Schalke 04 3"),
    ("Lyon 2", "Lyon 3"),
    ("Real Madrid", "Real Madrid (F)"),
    ("Real Madrid", "Real Madrid Fem."),
    ("Arsenal", "Arsenal WFC"),
    ("England", "England U-21"),
    ("England", "England Under 21"),
    ("England U-19", "England Under 21"),
    ("Ajax", "Ajax O21"),
    ("Ajax", "Ajax Zondag"),
    ("Real Sociedad", "Real Sociedad C"),
    ("Celtic", "Celtic Colts"),
    ("Barcelona", "Barcelona Atlètic"),
    ("1860 München", "Bayern München"),
    ("9 de Octubre", "12 de Octubre"),
    ("Alpha Bravo Delta Echo Golf Hotel Kilo Lima", "Alpha Bravo Delta Echo Golf Hotel Kilo Lima Women"),
    ("", "Arsenal"),
    ("FC", "Arsenal FC"),
    ("???", "Arsenal"),
]


@pytest.mark.req("D1")
@pytest.mark.parametrize(("ours", "theirs", "wanted"), ALIKE)
def test_the_same_team_is_known_by_other_spellings(ours: str, theirs: str, wanted: Likeness) -> None:
    assert likeness(ours, theirs) is wanted
    assert likeness(theirs, ours) is wanted


@pytest.mark.req("D1")
@pytest.mark.parametrize(("ours", "theirs"), APART)
def test_another_team_is_never_taken_for_it(ours: str, theirs: str) -> None:
    assert likeness(ours, theirs) is Likeness.NONE
    assert likeness(theirs, ours) is Likeness.NONE
