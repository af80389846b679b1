"""What the product kept, in the words of the oracle. The only place where the two meet."""

from typing import Any

from longstop.domain.cricket import Delivery
from longstop.domain.events import DeliveryRecord


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
        "replacements": [
            {
                "type": found.scope,
                "in": found.player_in,
                "out": found.player_out,
                "team": found.team,
                "reason": found.reason,
                "role": found.role,
            }
            for found in delivery.replacements
        ],
        "non_boundary": delivery.is_non_boundary,
    }
