"""Small Cricsheet documents for tests, and their totals added up from the plain JSON."""

from copy import deepcopy
from typing import Any

Document = dict[str, Any]
REDS, BLUES = "Reds", "Blues"
EXTRA_KINDS = ("wides", "noballs", "byes", "legbyes", "penalty")
UNCOUNTED = {"retired hurt", "retired not out"}


def delivery(runs: int = 0, extras: dict[str, int] | None = None, **more: Any) -> Document:
    extra = sum((extras or {}).values())
    ball: Document = {
        "batter": "A One",
        "bowler": "B Eleven",
        "non_striker": "A Two",
        "runs": {"batter": runs, "extras": extra, "total": runs + extra},
    }
    return ball | ({"extras": extras} if extras else {}) | more


def over(number: int, *deliveries: Document) -> Document:
    return {"over": number, "deliveries": list(deliveries) or [delivery(1) for _ in range(6)]}


def innings(team: str, *overs: Document, **more: Any) -> Document:
    return {"team": team, "overs": list(overs) or [over(0)]} | more


def document(*all_innings: Document, outcome: Document | None = None, **info: Any) -> Document:
    """Two innings of one over each and no result, unless it is said otherwise."""
    return {
        "meta": {"data_version": "1.1.0", "created": "2024-01-01", "revision": 1},
        "info": {
            "balls_per_over": 6,
            "dates": ["2024-01-01"],
            "match_type": "T20",
            "outcome": outcome or {"result": "no result"},
            "overs": 20,
            "players": {REDS: ["A One", "A Two"], BLUES: ["B Eleven"]},
            "teams": [REDS, BLUES],
            "toss": {"winner": REDS, "decision": "bat"},
        }
        | info,
        "innings": list(all_innings) or [innings(REDS), innings(BLUES)],
    }


def without(whole: Document, *path: Any) -> Document:
    changed = deepcopy(whole)
    part = changed
    for step in path[:-1]:
        part = part[step]
    del part[path[-1]]
    return changed


def having(whole: Document, value: Any, *path: Any) -> Document:
    changed = deepcopy(whole)
    part = changed
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return changed


def totals(one: Document) -> Document:
    """Runs, wickets, legal balls and extras of an innings, from its JSON alone."""
    balls = [ball for each in one.get("overs", []) for ball in each["deliveries"]]
    penalty = one.get("penalty_runs", {})
    awarded = penalty.get("pre", 0) + penalty.get("post", 0)
    extras = {kind: sum(ball.get("extras", {}).get(kind, 0) for ball in balls) for kind in EXTRA_KINDS}
    extras["penalty"] += awarded
    outs = [wicket["kind"] for ball in balls for wicket in ball.get("wickets", [])]
    return {
        "team": one["team"],
        "runs": sum(ball["runs"]["total"] for ball in balls) + awarded,
        "wickets": sum(kind not in UNCOUNTED for kind in outs),
        "legal_balls": sum(not {"wides", "noballs"} & set(ball.get("extras", {})) for ball in balls),
        "extras": extras,
        "super_over": bool(one.get("super_over")),
    }
