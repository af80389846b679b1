"""A match as Cricsheet JSON 1.1.0 (cricsheet.org/format/json). What nobody told (umpires, squads, gender) is left out.

`meta.longstop` says what the export can be trusted with: other readers pass over it.
"""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any, Final

import msgspec

from longstop.domain.cricket import Delivery, InningsScore, InningsState, Replacement, Result
from longstop.domain.events import GapState
from longstop.serve.exports.people import People
from longstop.serve.freshness import iso_or_none
from longstop.serve.whole import WholeMatch

VERSION: Final = "1.1.0"
# What a format limits an innings to; where its name does not say it, nobody told.
OVERS: Final = {"T20": 20, "T20I": 20, "IT20": 20, "ODI": 50, "ODM": 50, "T10": 10}
_EXTRAS: Final = ("wides", "noballs", "byes", "legbyes", "penalty")


def cricsheet_json(whole: WholeMatch, people: People, created: datetime) -> tuple[bytes, bytes]:
    """The file, and what it says, whenever it is made."""
    found = cricsheet(whole, people, created)
    said = msgspec.json.encode(found | {"meta": _meta(whole, None)})
    return msgspec.json.format(msgspec.json.encode(found), indent=1), said


def cricsheet(whole: WholeMatch, people: People, created: datetime) -> dict[str, Any]:
    return {
        "meta": _meta(whole, created),
        "info": _info(whole, people),
        "innings": [_innings(score, whole, people) for score in whole.scores],
    }


def _meta(whole: WholeMatch, created: datetime | None) -> dict[str, Any]:
    return {
        "data_version": VERSION,
        "created": None if created is None else f"{created:%Y-%m-%d}",
        "revision": 1,
        "longstop": _trust(whole, created),
    }


def _trust(whole: WholeMatch, created: datetime | None) -> dict[str, Any]:
    known = whole.known
    return {
        "match_id": known.match_id,
        "created_at": iso_or_none(created),
        "as_of": iso_or_none(known.as_of),
        "complete_through": known.live.complete_through if known.live else None,
        "gaps": [{"innings": gap.innings, "cause": gap.cause, "state": gap.state.value} for gap in known.gaps],
    }


def _info(whole: WholeMatch, people: People) -> dict[str, Any]:
    row, live = whole.known.row, whole.known.live
    result = (live.result if live else None) or row.result
    found: dict[str, Any] = {
        "balls_per_over": whole.balls_per_over,
        "dates": _dates(whole),
        "event": {"name": people.series(row.series)} if row.series else None,
        "match_type": row.format or None,
        "overs": OVERS.get(row.format.upper()),
        "outcome": _outcome(result, people) if result else None,
        "players": people.sides(whole),
        "registry": {"people": people.registry()},
        "teams": [people.team(code) for code in row.teams],
        "toss": {"winner": people.team(live.toss.winner), "decision": live.toss.decision}
        if live and live.toss
        else None,
        "venue": row.venue or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _dates(whole: WholeMatch) -> list[str]:
    """The days on which balls were bowled, by the source's clock in UTC; before the first one the day of the start."""
    days = {f"{record.true_at:%Y-%m-%d}" for record in whole.records}
    starts_at = whole.known.row.starts_at
    return sorted(days) or ([] if starts_at is None else [f"{starts_at:%Y-%m-%d}"])


def _outcome(result: Result, people: People) -> dict[str, Any]:
    margins = {"runs": result.by_runs, "wickets": result.by_wickets, "innings": result.by_innings}
    found = {
        "winner": people.team_or_none(result.winner),
        "by": {unit: count for unit, count in margins.items() if count is not None},
        "method": result.method,
        "result": None if result.verdict == "won" else result.verdict,
        "eliminator": people.team_or_none(result.eliminator),
        "bowl_out": people.team_or_none(result.bowl_out),
    }
    return {name: value for name, value in found.items() if value}


def _innings(score: InningsScore, whole: WholeMatch, people: People) -> dict[str, Any]:
    balls = whole.balls(score.number)
    found: dict[str, Any] = {"team": people.team(score.team)}
    if balls:
        found["overs"] = [
            {"over": over, "deliveries": [_delivery(ball, people) for ball in bowled]}
            for over, bowled in groupby(balls, key=lambda ball: ball.place.over)
        ]
    return found | {name: value for name, value in _circumstances(score, whole, people).items() if value}


def _circumstances(score: InningsScore, whole: WholeMatch, people: People) -> dict[str, Any]:
    penalties = {"pre": score.penalty_before, "post": score.penalty_after}
    return {
        "absent_hurt": [people.player(code) for code in score.absent_hurt],
        "declared": score.state is InningsState.DECLARED,
        "forfeited": score.state is InningsState.FORFEITED,
        "miscounted_overs": _miscounted(score, whole),
        "penalty_runs": {name: runs for name, runs in penalties.items() if runs},
        "super_over": score.is_super_over,
        "target": _target(score),
    }


def _miscounted(score: InningsScore, whole: WholeMatch) -> dict[str, Any]:
    """Overs that ended with another number of balls than overs have. Where balls are missing nobody can tell."""
    if any(gap.innings == score.number and gap.state is not GapState.REPAIRED for gap in whole.known.gaps):
        return {}
    legal: dict[int, int] = {}
    for ball in whole.balls(score.number):
        legal[ball.place.over] = legal.get(ball.place.over, 0) + ball.is_legal
    last, whole_over = max(legal, default=0), whole.balls_per_over
    odd = (
        (over, count) for over, count in legal.items() if count > whole_over or (count < whole_over and over != last)
    )
    return {str(over): {"balls": count} for over, count in sorted(odd)}


def _target(score: InningsScore) -> dict[str, Any] | None:
    if score.target_runs is None:
        return None
    overs = _number(score.target_overs)
    return {"runs": score.target_runs} | ({} if overs is None else {"overs": overs})


def _number(text: str | None) -> int | float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def _delivery(ball: Delivery, people: People) -> dict[str, Any]:
    runs: dict[str, Any] = {"batter": ball.runs_batter, "extras": ball.extras.total, "total": ball.runs}
    if ball.is_non_boundary:
        runs["non_boundary"] = True
    found: dict[str, Any] = {
        "batter": people.player(ball.batter),
        "bowler": people.player(ball.bowler),
        "non_striker": people.player(ball.non_striker),
        "runs": runs,
    }
    extras = {kind: count for kind in _EXTRAS if (count := getattr(ball.extras, kind))}
    wickets = [_wicket(each.player, each.kind, each.fielders, people) for each in ball.dismissals]
    replacements = _replacements(ball.replacements, people)
    more = {"extras": extras, "wickets": wickets, "replacements": replacements}
    return found | {name: value for name, value in more.items() if value}


def _wicket(player: str, kind: str, fielders: Iterable[str], people: People) -> dict[str, Any]:
    named = [{"name": people.player(code)} for code in fielders]
    return {"player_out": people.player(player), "kind": kind} | ({"fielders": named} if named else {})


def _replacements(replacements: Iterable[Replacement], people: People) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in replacements:
        item = {
            "in": people.player(each.player_in),
            "out": None if each.player_out is None else people.player(each.player_out),
            "team": people.team_or_none(each.team),
            "reason": each.reason or None,
            "role": each.role,
        }
        found.setdefault(each.scope, []).append({name: value for name, value in item.items() if value is not None})
    return found
