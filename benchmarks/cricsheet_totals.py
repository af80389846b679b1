"""What a Cricsheet file says of its match, added up from the plain JSON.

Apart from `longstop_origin` on purpose: the origin and its oracle read the same files, and a fault that they share
would be seen by nobody else.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

EXTRA_KINDS = ("wides", "noballs", "byes", "legbyes", "penalty")
NO_WICKET = frozenset({"retired hurt", "retired not out"})
Item = dict[str, Any]


def load(path: Path) -> Item:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def facts_of(document: Item) -> Item:
    """In names, as the file has them."""
    balls = [*_placed(document)]
    return {
        "balls": len(balls),
        "innings": [_innings(each, document["info"].get("balls_per_over", 6)) for each in document["innings"]],
        "wickets": [found for place, ball in balls for found in _wickets(place, ball)],
        "replacements": [found for _, ball in balls for found in _replacements(ball)],
        "result": _result(document["info"]["outcome"]),
    }


def _placed(document: Item) -> Iterator[tuple[str, Item]]:
    """Every ball with its place; an over number that comes twice goes on where it stopped."""
    for number, innings in enumerate(document["innings"], 1):
        counted: dict[int, int] = {}
        for over in innings.get("overs", []):
            for ball in over["deliveries"]:
                counted[over["over"]] = counted.get(over["over"], 0) + 1
                yield f"{number}.{over['over']}.{counted[over['over']]}", ball


def _innings(innings: Item, balls_per_over: int) -> Item:
    balls = [ball for over in innings.get("overs", []) for ball in over["deliveries"]]
    penalty = innings.get("penalty_runs", {})
    pre, post = penalty.get("pre", 0), penalty.get("post", 0)
    extras = {kind: sum(ball.get("extras", {}).get(kind, 0) for ball in balls) for kind in EXTRA_KINDS}
    extras["penalty"] += pre + post
    outs = [wicket["kind"] for ball in balls for wicket in ball.get("wickets", [])]
    return {
        "team": innings["team"],
        "runs": sum(ball["runs"]["total"] for ball in balls) + pre + post,
        "wickets": sum(kind not in NO_WICKET for kind in outs),
        "legal_balls": sum(map(_is_legal, balls)),
        "overs": _overs(innings, balls_per_over),
        "extras": extras,
        "penalty_pre": pre,
        "penalty_post": post,
        "super_over": bool(innings.get("super_over")),
        "declared": bool(innings.get("declared")),
        "forfeited": bool(innings.get("forfeited")),
    }


def _is_legal(ball: Item) -> bool:
    extras = ball.get("extras", {})
    return not (extras.get("wides") or extras.get("noballs"))


def _overs(innings: Item, balls_per_over: int) -> str:
    """As the board shows them: every over but the last counts as one, miscounted or not."""
    legal = {
        number: sum(_is_legal(ball) for over in overs for ball in over["deliveries"])
        for number, overs in groupby(innings.get("overs", []), key=lambda over: over["over"])
    }
    if not legal:
        return "0.0"
    last = [*legal][-1]
    miscounted = innings.get("miscounted_overs", {}).get(str(last), {})
    full = int(miscounted.get("balls", balls_per_over))
    return f"{len(legal)}.0" if legal[last] >= full else f"{len(legal) - 1}.{legal[last]}"


def _wickets(place: str, ball: Item) -> Iterator[Item]:
    for wicket in ball.get("wickets", []):
        yield {"place": place, "kind": wicket["kind"], "player": wicket["player_out"]}


def _replacements(ball: Item) -> Iterator[Item]:
    for scope in ("match", "role"):
        for found in ball.get("replacements", {}).get(scope, []):
            named = {name: found.get(name) for name in ("in", "out", "team", "role")}
            yield {"type": scope, **named, "reason": found.get("reason", "")}


def _result(outcome: Item) -> Item:
    kept = ("winner", "by", "method", "result", "eliminator", "bowl_out")
    return {name: outcome[name] for name in kept if name in outcome}


# ---- what Longstop kept, in the same words ----


def differences(path: Path, report: Item) -> list[str]:
    """In words, what a report of `longstop replay` and the file do not agree on; empty when they agree on all."""
    document = load(path)
    told, kept = facts_of(document), _facts_kept(report, _TeamNames(document, report))
    return [
        f"{path.name}: {name}: {_first_difference(told[name], kept[name])}" for name in told if told[name] != kept[name]
    ]


class _TeamNames:
    """Whose the codes are follows from who batted first; a team that never batted has the other code."""

    def __init__(self, document: Item, report: Item) -> None:
        self._opener = document["innings"][0]["team"]
        self._other = next(team for team in document["info"]["teams"] if team != self._opener)
        self._code = report["innings"][0]["team"] if report["innings"] else None

    def __call__(self, code: str | None) -> str | None:
        return None if code is None else self._opener if code == self._code else self._other


def _facts_kept(report: Item, name: _TeamNames) -> Item:
    result = report["result_kept"] or {}
    named = ("winner", "eliminator", "bowl_out")
    return {
        "balls": report["events"]["stored"],
        "innings": [_without_number(each, name) for each in report["innings"]],
        "wickets": report["wickets"],
        "replacements": [each | {"team": name(each["team"])} for each in report["replacements"]],
        "result": {each: name(value) if each in named else value for each, value in result.items()},
    }


def _without_number(innings: Item, name: _TeamNames) -> Item:
    kept = {fact: value for fact, value in innings.items() if fact != "number"}
    return kept | {"team": name(innings["team"])}


def _first_difference(told: Any, kept: Any) -> str:
    if not isinstance(told, list):
        return f"{kept!r}, the file says {told!r}"
    for number, (one, other) in enumerate(zip(told, kept, strict=False), 1):
        if one != other:
            return f"item {number} is {other}, the file says {one}"
    return f"{len(kept)} instead of {len(told)}"
