"""Against what was known: the same match, not older, not alive again, and no goals taken back in handfuls."""

from collections.abc import Iterator

from longstop.domain.football import FootballEvent, Phase, Stage

# A goal that video took back, and one more that went with it between two looks.
GOALS_TAKEN_BACK_MAX = 2

_AFTER_THE_END = frozenset({Phase.EXTRA_TIME, Phase.SHOOT_OUT})


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
    was_over = previous.phase.is_played_out
    is_on = event.phase.stage in (Stage.LIVE, Stage.UPCOMING) and event.phase not in _AFTER_THE_END
    if was_over and is_on:
        yield f"it was {previous.phase.value}, and is {event.phase.value} again"
    if previous.phase.stage is Stage.LIVE and event.phase is Phase.NOT_STARTED:
        yield f"it was {previous.phase.value}, and has not started now"


def _score_reasons(event: FootballEvent, previous: FootballEvent) -> Iterator[str]:
    before, after = previous.score, event.score
    if before is None or after is None or event.phase is Phase.AWARDED:
        return
    taken = max(0, before[0] - after[0]) + max(0, before[1] - after[1])
    is_corrected = bool(event.changed_at and (previous.changed_at is None or event.changed_at > previous.changed_at))
    if taken > GOALS_TAKEN_BACK_MAX or (taken and not is_corrected):
        yield f"the score went from {before[0]}-{before[1]} back to {after[0]}-{after[1]}"
