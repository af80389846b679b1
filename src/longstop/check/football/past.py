"""Against what was known: the same match, not older, not alive again, and no goals taken back in handfuls."""

import math
from collections.abc import Iterator

from longstop.domain.football import FootballEvent, Phase, Stage

# A goal that video took back, and one more that went with it between two looks.
GOALS_TAKEN_BACK_MAX = 2
GOALS_A_MINUTE_MAX = 1
# Only the end of normal time goes on, and only an end on the pitch is one.
_GOES_ON_WITH = {
    Phase.FINISHED: frozenset({Phase.EXTRA_TIME, Phase.SHOOT_OUT}),
    Phase.AFTER_EXTRA_TIME: frozenset({Phase.SHOOT_OUT}),
}
_ALIVE_OR_NOT_YET = frozenset({Stage.LIVE, Stage.UPCOMING})
_NEVER_AFTER_THE_END = frozenset({Phase.INTERRUPTED, Phase.POSTPONED})
_IN_ORDER = (Phase.FIRST_HALF, Phase.HALF_TIME, Phase.SECOND_HALF, Phase.EXTRA_TIME, Phase.SHOOT_OUT)
# A whistle that was told too early is taken back by one step.
STEPS_BACK_MAX = 1


def reasons(event: FootballEvent, previous: FootballEvent) -> Iterator[str]:
    if event.key != previous.key or _teams(event) != _teams(previous):
        yield f"it is {event.home.name} v {event.away.name}, and was {previous.home.name} v {previous.away.name}"
        return
    if is_older(event, previous):
        yield "it is older than what is known already"
        return
    yield from _life_reasons(event, previous)
    yield from _score_reasons(event, previous)


def is_older(event: FootballEvent, previous: FootballEvent) -> bool:
    return bool(event.changed_at and previous.changed_at and event.changed_at < previous.changed_at)


def _teams(event: FootballEvent) -> set[str]:
    """As a set: some fixtures change hosts before they are played."""
    return {event.home.key, event.away.key}


def _life_reasons(event: FootballEvent, previous: FootballEvent) -> Iterator[str]:
    is_on = event.phase.stage in _ALIVE_OR_NOT_YET or event.phase in _NEVER_AFTER_THE_END
    may_go_on = event.phase in _GOES_ON_WITH.get(previous.phase, frozenset())
    if previous.phase.is_played_out and is_on and not may_go_on:
        yield f"it was {previous.phase.value}, and is {event.phase.value} again"
    if _steps_back(event.phase, previous.phase) > STEPS_BACK_MAX:
        yield f"it was {previous.phase.value}, and is {event.phase.value} again"
    if previous.phase.stage is Stage.LIVE and event.phase is Phase.NOT_STARTED:
        yield f"it was {previous.phase.value}, and has not started now"


def _steps_back(now: Phase, before: Phase) -> int:
    if now not in _IN_ORDER or before not in _IN_ORDER:
        return 0
    return _IN_ORDER.index(before) - _IN_ORDER.index(now)


def _score_reasons(event: FootballEvent, previous: FootballEvent) -> Iterator[str]:
    before, after = previous.score, event.score
    if before is None or after is None or event.phase is Phase.AWARDED:
        return
    taken = max(0, before[0] - after[0]) + max(0, before[1] - after[1])
    is_corrected = bool(event.changed_at and (previous.changed_at is None or event.changed_at > previous.changed_at))
    if taken > GOALS_TAKEN_BACK_MAX or (taken and not is_corrected):
        yield f"the score went from {before[0]}-{before[1]} back to {after[0]}-{after[1]}"
    added = max(0, after[0] - before[0]) + max(0, after[1] - before[1])
    if added > _goals_possible(event, previous):
        yield f"the score leapt from {before[0]}-{before[1]} to {after[0]}-{after[1]}"


def _goals_possible(event: FootballEvent, previous: FootballEvent) -> float:
    """After the end only a correction changes it; before, no team scores each minute."""
    if previous.phase.is_played_out and event.phase is previous.phase:
        return GOALS_TAKEN_BACK_MAX
    if event.changed_at is None or previous.changed_at is None:
        return math.inf
    minutes = (event.changed_at - previous.changed_at).total_seconds() / 60
    return GOALS_TAKEN_BACK_MAX + GOALS_A_MINUTE_MAX * minutes
