"""Is the file whole? An innings that is missing shows in what the others and the result say of it.

Only what cannot be is refused. A margin that does not add up, a short innings or a strange method is played as it is.
"""

from longstop_origin.cricsheet_reading import FieldError
from longstop_origin.script import MatchScript, ScriptInnings

MOST_WICKETS = 10
MULTI_DAY = frozenset({"Test", "MDM"})
FETCH_AGAIN = "Fetch the whole file from cricsheet.org."


def check_complete(script: MatchScript) -> None:
    main = [innings for innings in script.innings if not innings.super_over]
    if not script.innings and script.outcome.result == "no result":
        return  # abandoned without a ball
    if not main:
        raise FieldError("it has no innings, so there is nothing to play", FETCH_AGAIN)
    _check_wickets(script)
    _check_first(script, main)
    _check_count(script, main)
    _check_super_overs(script)
    _check_overs(script, main)


def _check_wickets(script: MatchScript) -> None:
    """Two of a side must be in, so its eleventh wicket belongs to an innings that is missing."""
    for number, innings in enumerate(script.innings, 1):
        lost = sum(ball.delivery.wickets_lost for ball in innings.balls)
        if lost > MOST_WICKETS:
            raise FieldError(f"innings {number} loses {lost} wickets, and there are {MOST_WICKETS}", FETCH_AGAIN)


def _check_first(script: MatchScript, main: list[ScriptInnings]) -> None:
    if main[0].target_runs is not None:
        raise FieldError("its first innings has a target, so the innings before it is missing", FETCH_AGAIN)
    if len(main) > 1 and main[0].team == main[1].team:
        raise FieldError(f"its first two innings are by {main[0].team}, so one between them is missing", FETCH_AGAIN)
    expected = _chosen_first(script)
    if script.outcome.result in ("draw", "no result") and expected not in (None, main[0].team):
        raise FieldError(f"by the toss {expected} bat first, so the first innings is missing", FETCH_AGAIN)


def _chosen_first(script: MatchScript) -> str | None:
    """Who bats first by the toss, None when the file does not say."""
    toss = script.toss
    if toss is None or toss.decision not in ("bat", "field"):
        return None
    others = [team.name for team in script.teams if team.name != toss.winner]
    return toss.winner if toss.decision == "bat" else others[0]


def _check_count(script: MatchScript, main: list[ScriptInnings]) -> None:
    needed = _innings_needed(script)
    if len(main) < needed:
        raise FieldError(f"an innings is missing: its result needs {needed}, but it holds {len(main)}", FETCH_AGAIN)


def _innings_needed(script: MatchScript) -> int:
    outcome = script.outcome
    if not outcome.by:
        return 2 if outcome.result == "tie" or outcome.eliminator or outcome.bowl_out else 1
    if outcome.by.get("innings"):
        return 3
    # With a method (a first-innings lead, a conceded match) fewer can decide.
    return 4 if script.format in MULTI_DAY and outcome.method is None else 2


def _check_super_overs(script: MatchScript) -> None:
    super_overs = sum(innings.super_over and bool(innings.balls) for innings in script.innings)
    if script.outcome.eliminator and not super_overs:
        raise FieldError("it was won in a super over, whose innings are missing", FETCH_AGAIN)
    if script.outcome.eliminator and super_overs % 2:
        raise FieldError(f"it holds {super_overs} innings of super overs, so one is missing", FETCH_AGAIN)


def _check_overs(script: MatchScript, main: list[ScriptInnings]) -> None:
    for number, innings in enumerate(main, 1):
        if script.outcome.by and not (innings.balls or innings.declared or innings.forfeited):
            raise FieldError(f"innings {number} has no deliveries, though the match was won", FETCH_AGAIN)
