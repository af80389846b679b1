"""Knows the truth and judges what was kept.

It adds up the script by itself and shares no sum with the boards that the site shows, so that a fault in one is seen
by the other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from longstop_origin.canonical import CanonicalBall, canonical_ball
from longstop_origin.fixture import Fixture
from longstop_origin.script import BallKey, Delivery, ScriptInnings, result_text

__all__ = ["CanonicalBall", "Counts", "InningsTruth", "MatchTruth", "compare", "never_shown", "truth_of", "versions_of"]

EXTRA_KINDS = ("wides", "noballs", "byes", "legbyes", "penalty")
STATUS_WORDS = ("upcoming", "live", "finished")
History = Mapping[BallKey, frozenset[CanonicalBall]]


class InningsTruth(Struct, frozen=True):
    """`extras` counts all penalty runs, those before and after the innings too, as the site does."""

    number: int
    team: str
    team_name: str
    runs: int
    wickets: int
    legal_balls: int
    overs: str
    extras: dict[str, int]
    penalty_pre: int
    penalty_post: int
    super_over: bool
    declared: bool
    forfeited: bool
    is_closed: bool
    absent_hurt: tuple[str, ...]


class MatchTruth(Struct, frozen=True):
    """One match at one moment. `result` is the outcome in Cricsheet's shape, with names, once the match is over."""

    key: str
    format: str
    status: str
    innings: tuple[InningsTruth, ...]
    balls: tuple[CanonicalBall, ...]
    result: dict[str, Any] | None
    result_text: str
    names: dict[str, str]

    @property
    def wickets(self) -> list[tuple[BallKey, str, str]]:
        """Who was out or left, how and when: retirements stand among them."""
        return [(ball.key, each.player, each.kind) for ball in self.balls for each in ball.wickets]

    @property
    def retirements(self) -> list[tuple[BallKey, str, str]]:
        return [each for each in self.wickets if each[2].startswith("retired")]

    @property
    def replacements(self) -> list[dict[str, Any]]:
        return [dict(msgspec.to_builtins(each)) for ball in self.balls for each in ball.replacements]

    def to_dict(self, *, with_balls: bool = True) -> dict[str, Any]:
        plain = dict(msgspec.json.decode(msgspec.json.encode(self)))
        if not with_balls:
            plain["balls"] = len(self.balls)
        return plain


class Counts(Struct, frozen=True):
    """The verdict on what was stored of a match, or of many."""

    truth: int = 0
    stored: int = 0
    lost: int = 0
    duplicated: int = 0
    unexpected: int = 0
    wrong: int = 0

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.duplicated or self.unexpected or self.wrong)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))

    def to_dict(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__struct_fields__}


def truth_of(fixture: Fixture, at: float) -> MatchTruth:
    """What is true of the match at that moment of the world's clock: what the site shows when nothing fails."""
    seconds = fixture.elapsed(at)
    script, status = fixture.script, fixture.status(at)
    begun = [innings for innings in script.innings if innings.begins_seconds <= seconds]
    names = {code: name for name, code in (*fixture.codes.players.items(), *fixture.codes.teams.items())}
    is_over = status == 2
    return MatchTruth(
        key=fixture.key,
        format=script.format,
        status=STATUS_WORDS[status],
        innings=tuple(_innings_truth(fixture, number, each, seconds) for number, each in enumerate(begun, 1)),
        balls=tuple(_balls(fixture, seconds)),
        result=script.outcome.to_dict() if is_over and script.outcome.is_known else None,
        result_text=result_text(script.outcome) if is_over else "",
        names=names,
    )


def _balls(fixture: Fixture, seconds: float) -> Iterator[CanonicalBall]:
    for key, ball in fixture.script.keyed_balls():
        delivery = ball.shown_at(seconds)
        if delivery is not None:
            yield canonical_ball(key, delivery, fixture.codes)


def _innings_truth(fixture: Fixture, number: int, innings: ScriptInnings, seconds: float) -> InningsTruth:
    shown = [(ball.over, delivery) for ball in innings.balls if (delivery := ball.shown_at(seconds)) is not None]
    deliveries = [delivery for _, delivery in shown]
    is_closed = innings.closes_seconds <= seconds
    awarded = innings.penalty_pre + (innings.penalty_post if is_closed else 0)
    extras = {kind: sum(getattr(each.extras, kind) for each in deliveries) for kind in EXTRA_KINDS}
    extras["penalty"] += awarded
    return InningsTruth(
        number=number,
        team=fixture.codes.teams[innings.team],
        team_name=innings.team,
        runs=sum(each.runs for each in deliveries) + awarded,
        wickets=sum(each.wickets_lost for each in deliveries),
        legal_balls=sum(each.is_legal for each in deliveries),
        overs=_overs_text(shown, innings.miscounted, fixture.script.balls_per_over),
        extras=extras,
        penalty_pre=innings.penalty_pre,
        penalty_post=innings.penalty_post if is_closed else 0,
        super_over=innings.super_over,
        declared=innings.declared and is_closed,
        forfeited=innings.forfeited,
        is_closed=is_closed,
        absent_hurt=tuple(fixture.codes.players[name] for name in innings.absent_hurt) if is_closed else (),
    )


def _overs_text(shown: list[tuple[int, Delivery]], miscounted: Mapping[int, int], balls_per_over: int) -> str:
    """Every over but the last counts as one; the last does when it has its balls, else its balls are shown."""
    if not shown:
        return "0.0"
    last = shown[-1][0]
    legal = sum(delivery.is_legal for over, delivery in shown if over == last)
    overs = len({over for over, _ in shown})
    return f"{overs}.0" if legal >= miscounted.get(last, balls_per_over) else f"{overs - 1}.{legal}"


def versions_of(fixture: Fixture, at: float) -> History:
    """All contents that each ball has ever shown up to that moment, those taken away again included."""
    seconds = fixture.elapsed(at)
    history: dict[BallKey, frozenset[CanonicalBall]] = {}
    for key, ball in fixture.script.keyed_balls():
        if ball.at_seconds <= seconds:
            later = (each.delivery for each in ball.revisions if each.at_seconds <= seconds)
            shown = [ball.delivery, *(each for each in later if each is not None)]
            history[key] = frozenset(canonical_ball(key, each, fixture.codes) for each in shown)
    return history


def compare(truth: Iterable[CanonicalBall], stored: Iterable[Mapping[str, Any]]) -> Counts:
    """Holds the balls that are stored as valid against the true ones. A list, so that a double is seen."""
    true = {ball.key: ball for ball in truth}
    kept = [_place_and_ball(each) for each in stored]
    times = Counter(place for place, _ in kept)
    wrong = {place for place, ball in kept if place in true and ball != true[place]}
    return Counts(
        truth=len(true),
        stored=len(kept),
        lost=sum(place not in times for place in true),
        duplicated=sum(count - 1 for count in times.values()),
        unexpected=sum(place not in true for place in times),
        wrong=len(wrong),
    )


def never_shown(history: History, stored: Iterable[Mapping[str, Any]]) -> list[BallKey]:
    """Where the ledger remembers a content, valid or superseded, that the site has never shown."""
    kept = (_place_and_ball(each) for each in stored)
    return [place for place, ball in kept if ball not in history.get(place, frozenset())]


def _place_and_ball(stored: Mapping[str, Any]) -> tuple[BallKey, CanonicalBall | None]:
    """A content that does not even have the form of a ball is wrong, but it has its place."""
    place = BallKey(stored["innings"], stored["over"], stored["position"])
    try:
        return place, msgspec.convert(dict(stored), CanonicalBall)
    except msgspec.ValidationError:
        return place, None
