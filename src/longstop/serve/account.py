"""A match as plain data: every ball that holds, every content ever stored, the innings and the result.

It is what the record is held against something else with: the oracle of the simulated site, or another record.
"""

from typing import Any

from longstop.domain.cricket import NO_EXTRAS, Delivery, InningsScore, InningsState, Result
from longstop.domain.events import DeliveryRecord
from longstop.store.contract import LiveRow, Store


async def account_of(store: Store, match_id: str) -> dict[str, Any]:
    """The ledger of a match with its history, the scoreboard and the result, as plain data."""
    live = (await store.live([match_id])).get(match_id)
    return {
        "balls": [ball_of(record) for record in await store.deliveries(match_id)],
        "history": [ball_of(record) for record in await store.delivery_history(match_id) if record.delivery],
        "innings": [innings_of(score) for score in live.innings] if live else [],
        "result": result_of(live),
    }


def ball_of(record: DeliveryRecord) -> dict[str, Any]:
    """One row of the ledger as a canonical ball; a withdrawn one has only its place."""
    place = record.place
    where = {"innings": place.innings, "over": place.over, "position": place.position}
    return where if record.delivery is None else where | _content(record.delivery)


def _content(delivery: Delivery) -> dict[str, Any]:
    extras = delivery.extras
    return {
        "batter": delivery.batter,
        "non_striker": delivery.non_striker,
        "bowler": delivery.bowler,
        "runs_batter": delivery.runs_batter,
        "wides": extras.wides,
        "noballs": extras.noballs,
        "byes": extras.byes,
        "legbyes": extras.legbyes,
        "penalty": extras.penalty,
        "wickets": [
            {"player": found.player, "kind": found.kind, "fielders": list(found.fielders)}
            for found in delivery.dismissals
        ],
        "replacements": _replacements(delivery),
        "non_boundary": delivery.is_non_boundary,
    }


def _replacements(delivery: Delivery) -> list[dict[str, Any]]:
    return [
        {
            "type": found.scope,
            "in": found.player_in,
            "out": found.player_out,
            "team": found.team,
            "reason": found.reason,
            "role": found.role,
        }
        for found in delivery.replacements
    ]


def innings_of(score: InningsScore) -> dict[str, Any]:
    extras = score.extras or NO_EXTRAS
    return {
        "number": score.number,
        "team": score.team,
        "runs": score.runs,
        "wickets": score.wickets,
        "legal_balls": score.legal_balls,
        "overs": score.overs,
        "extras": {
            "wides": extras.wides,
            "noballs": extras.noballs,
            "byes": extras.byes,
            "legbyes": extras.legbyes,
            "penalty": extras.penalty,
        },
        "penalty_pre": score.penalty_before,
        "penalty_post": score.penalty_after,
        "super_over": score.is_super_over,
        "declared": score.state is InningsState.DECLARED,
        "forfeited": score.state is InningsState.FORFEITED,
    }


def result_of(live: LiveRow | None) -> dict[str, Any] | None:
    """The outcome in Cricsheet's shape, with codes for the teams; nothing that is empty."""
    if live is None or live.result is None:
        return None
    return {name: value for name, value in _outcome(live.result).items() if value}


def _outcome(result: Result) -> dict[str, Any]:
    margins = {"runs": result.by_runs, "wickets": result.by_wickets, "innings": result.by_innings}
    return {
        "winner": result.winner,
        "by": {name: count for name, count in margins.items() if count is not None},
        "method": result.method,
        "result": None if result.verdict == "won" else result.verdict,
        "eliminator": result.eliminator,
        "bowl_out": result.bowl_out,
    }
