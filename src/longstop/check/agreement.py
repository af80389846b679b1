"""Do two ways of fetching tell the same match? Asked before the better one takes over."""

from longstop.domain.cricket import InningsScore
from longstop.domain.observation import Observation


def agrees(candidate: Observation, trusted: Observation) -> bool:
    """The candidate may be a little newer, never older, and where both are at the same ball they say the same."""
    if set(candidate.teams) != set(trusted.teams) or len(candidate.innings) < len(trusted.innings):
        return False
    pairs = zip(candidate.innings, trusted.innings, strict=False)
    return all(_goes_on_from(newer, older) for newer, older in pairs)


def _goes_on_from(newer: InningsScore, older: InningsScore) -> bool:
    if newer.team != older.team or newer.wickets < older.wickets:
        return False
    if newer.legal_balls is None or older.legal_balls is None:
        return newer.runs >= older.runs
    if newer.legal_balls == older.legal_balls:
        # A wide or a no-ball adds runs and no ball, so the score may have moved on a little.
        return newer.runs >= older.runs
    return newer.legal_balls > older.legal_balls and newer.runs >= older.runs
