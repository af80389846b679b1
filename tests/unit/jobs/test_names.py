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
