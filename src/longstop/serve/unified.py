"""The unified schema of the documents: one shape for a match, whichever source it was read from."""

from typing import Any

from longstop.domain.match import Names
from longstop.domain.observation import Observation
from longstop.serve import balls, matches
from longstop.serve.naming import NameBook


def unified(observation: Observation, known: Names) -> dict[str, Any]:
    """Nothing is added that the payload does not say: what it lacks is null."""
    names = NameBook(known)
    first, second = (names.team(code) for code in observation.teams)
    score = matches.score_of(observation.teams, observation.innings)
    toss, current = observation.toss, observation.current_innings
    return {
        "match_id": observation.ref.match_id if observation.ref.key else None,
        "domain_id": observation.ref.source,
        "title": f"{first.name} v {second.name}",
        "status": observation.status.value,
        "play_state": observation.play.value,
        "teams": {
            "team_a": {"name": first.name, "short_name": first.short_name, "code": first.code},
            "team_b": {"name": second.name, "short_name": second.short_name, "code": second.code},
        },
        "score": {"team_a": score.team_a, "team_b": score.team_b},
        "current_innings": current.number if current else None,
        "innings": [balls.innings_out(each, observation.balls_per_over, names) for each in observation.innings],
        "toss": {"winner": names.team_name(toss.winner), "decision": toss.decision} if toss else None,
        "result": balls.result_out(observation.result, names) if observation.result else None,
        "last_event": {
            "type": matches.event_type(observation.last_event),
            "description": observation.last_event,
            "timestamp": observation.provenance.source_at,
        },
        "last_balls": [balls.ball_out(ball, names) for over in observation.overs for ball in over.deliveries],
        "metadata": {
            "match_type": observation.format or None,
            "balls_per_over": observation.balls_per_over,
            "announcement": observation.announcement,
            "sequence": observation.sequence,
            "source_at": observation.provenance.source_at,
            "payload_sha256": observation.provenance.payload_sha256,
        },
    }
