"""Match statistics: figures as text and as numbers, parts and wholes, halves and the match."""

from typing import Any

import pytest

from longstop.check.football import judge
from longstop.domain.football import MatchReport
from longstop.sources.sofascore import parser
from tests.sofascore import statistics

Item = dict[str, Any]


def line(name: str, home: float | str, away: float | str, **more: Any) -> Item:
    """A number stands there as text too."""
    told: Item = {"name": name, "home": str(home), "away": str(away)}
    for side, value in (("homeValue", home), ("awayValue", away)):
        if not isinstance(value, str):
            told[side] = value
    return told | more


def told(**periods: list[Item]) -> MatchReport:
    """`of` is the whole match, `first` and `second` its halves."""
    names = {"of": "ALL", "first": "1ST", "second": "2ND"}
    content = [
        {"period": names[name], "groups": [{"groupName": "Match overview", "statisticsItems": lines}]}
        for name, lines in periods.items()
    ]
    return MatchReport(statistics=parser.read_statistics({"statistics": content}))


def reasons(report: MatchReport) -> str:
    return "; ".join(judge(report).reasons)


def figures(**changes: Any) -> MatchReport:
    content = statistics()
    content["statistics"][0]["groups"][0]["statisticsItems"][0].update(changes)
    return MatchReport(statistics=parser.read_statistics(content))


def half(shots: int, corners: int) -> list[Item]:
    return [line("Total shots", shots, 0), line("Corner kicks", corners, 0), line("Ball possession", 50, 50)]


HEALTHY = {
    "a whole match": figures(),
    "nothing": MatchReport(statistics=()),
    "only text": figures(homeValue=None, awayValue=None),
    "no figure": figures(home="-", away="-"),
    "the overview again in the groups below": told(of=[line("Total shots", 10, 8), line("Total shots", 10, 8)]),
    "a share whose value is a count": told(
        of=[line("Tackles won", "57%", "70%", homeValue=8, awayValue=14, homeTotal=14, awayTotal=20)]
    ),
    "a share whose value is a count of nobody knows what": told(
        of=[line("Tackles won", "57%", "70%", homeValue=8, awayValue=14)]
    ),
    "a share of nothing": told(
        of=[line("Dribbles", "0/0 (0%)", "1/1 (100%)", homeValue=0, awayValue=1, homeTotal=0, awayTotal=1)]
    ),
    "expected goals": told(of=[line("Expected goals", 1.23, 0.71), line("Goals prevented", -0.45, 0.1)]),
    "a distance": told(of=[line("Distance covered", "108.3 km", "110.2 km", homeValue=108.3, awayValue=110.2)]),
    "both halves": told(of=half(10, 6), first=half(4, 5), second=half(6, 1)),
    "the first half alone": told(of=half(4, 5), first=half(4, 5)),
    "a match with extra time": told(of=half(16, 9), first=half(5, 4), second=half(6, 2)),
    "a correction that has not reached the halves": told(of=half(10, 6), first=half(5, 5), second=half(6, 1)),
    "all of it on target": told(of=[line("Total shots", 3, 2), line("Shots on target", 3, 2)]),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_figures_are_believed(name: str) -> None:
    assert reasons(HEALTHY[name]) == ""


TWICE = statistics()
TWICE["statistics"].append({"period": "ALL", "groups": [{"statisticsItems": [line("Dribbles", "9/20 (45%)", 7)]}]})
POISONED = {
    "Ball possession of the home team in ALL is '45%' and 54": figures(homeValue=54),
    "is 60 and 55, which is not the whole": figures(home="60%", homeValue=60),
    "is 70 and 60, which is not the whole": told(of=[line("Ball possession", "70%", "60%")]),
    "Dribbles is told 2 times for ALL, and not the same": MatchReport(statistics=parser.read_statistics(TWICE)),
    "Fouls of the home team in ALL is '12' and 21": told(of=[line("Fouls", 12, 9, homeValue=21)]),
    "Tackles won of the home team in ALL is '90%' and 8": told(
        of=[line("Tackles won", "90%", "70%", homeValue=8, awayValue=14, homeTotal=14, awayTotal=20)]
    ),
    "Duels of the away team in ALL is 30 of 20": told(of=[line("Duels", 10, 30, homeTotal=40, awayTotal=20)]),
    "'12/5 (60%)', more than the whole": told(of=[line("Dribbles", "12/5 (60%)", "7/9 (78%)")]),
    "'12/20 (95%)', which is 60%": told(of=[line("Dribbles", "12/20 (95%)", "7/9 (78%)")]),
    "Fouls of the home team in ALL is -4": told(of=[line("Fouls", -4, 7)]),
    "the home team in ALL has 7 shots on target of 5 total shots": told(
        of=[line("Total shots", 5, 9), line("Shots on target", 7, 3)]
    ),
    "Corner kicks of the home team add up to 12 in its halves and are 6": told(
        of=half(10, 6), first=half(4, 9), second=half(6, 3)
    ),
    "Total shots of the home team add up to 9 in its halves and are 20": told(
        of=half(20, 6), first=half(4, 5), second=half(5, 1)
    ),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("reason", POISONED)
def test_figures_that_contradict_themselves_are_held(reason: str) -> None:
    assert reason in reasons(POISONED[reason])
