"""Which match of the source is ours? By both teams and the kickoff, from the lists of the day; never by a guess."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

import msgspec

from longstop.domain.capture import Fixture
from longstop.domain.capture_errors import AmbiguousFixtureError, UnlistedFixtureError
from longstop.domain.football import FootballEvent
from longstop.domain.football_record import FootballMatch
from longstop.jobs.captures.names import Likeness, likeness

# A kickoff may have moved since somebody wrote it down.
KICKOFF_MOVED_MAX = timedelta(hours=20)
# Where names agree only in part, the kickoff must be the very same.
KICKOFF_SAME_MAX = timedelta(minutes=15)
# The same teams do not meet twice within less: two such rows are one match told twice, or a doubt.
MEETINGS_APART_MIN = timedelta(hours=3)


class Candidate(msgspec.Struct, frozen=True):
    event: FootballEvent
    kickoff: datetime
    certainty: Likeness
    is_same_kickoff: bool


def days_of(kickoff: datetime) -> tuple[date, ...]:
    """The lists in which it may stand, the likeliest first: a match that moved as far as may be stands in one."""
    near = (kickoff, kickoff - MEETINGS_APART_MIN, kickoff + MEETINGS_APART_MIN)
    far = (kickoff - KICKOFF_MOVED_MAX, kickoff + KICKOFF_MOVED_MAX)
    return tuple(dict.fromkeys(moment.date() for moment in (*near, *far)))


def sure_among(fixture: Fixture, events: Sequence[FootballEvent], read: Iterable[date]) -> FootballEvent | None:
    """One that has the kickoff that was asked for, once no list that is unread can hold another taken for it."""
    near = {(fixture.kickoff_utc + apart).date() for apart in (-MEETINGS_APART_MIN, MEETINGS_APART_MIN)}
    event = found_among(fixture, events) if near <= set(read) else None
    found = _candidate(fixture, event) if event is not None else None
    return event if found is not None and _is_sure(found) else None


def found_among(fixture: Fixture, events: Iterable[FootballEvent]) -> FootballEvent | None:
    """None where no match is like it. Raises AmbiguousFixtureError where more than one is."""
    distinct = {event.key: event for event in events}.values()
    left = _likeliest([each for event in distinct if (each := _candidate(fixture, event)) is not None])
    if len(left) > 1:
        raise _ambiguous(fixture, [each.event for each in left])
    return left[0].event if left else None


def _likeliest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The kickoff decides between two meetings only where one has it and the other lies far from it."""
    sure = [each for each in candidates if _is_sure(each)]
    best = max((each.certainty for each in sure or candidates), default=Likeness.NONE)
    if not sure:
        return [each for each in candidates if each.certainty is best or each.is_same_kickoff]
    first = next(each for each in sure if each.certainty is best)
    return [each for each in candidates if each.certainty >= best and _is_close(first, each)]


def _is_sure(candidate: Candidate) -> bool:
    return candidate.is_same_kickoff and candidate.certainty > Likeness.PART


def _is_close(first: Candidate, second: Candidate) -> bool:
    return abs(first.kickoff - second.kickoff) < MEETINGS_APART_MIN


def teams_alike(fixture: Fixture, home: str, away: str) -> Likeness:
    return min(likeness(fixture.home_team, home), likeness(fixture.away_team, away))


def _candidate(fixture: Fixture, event: FootballEvent) -> Candidate | None:
    if event.kickoff is None:
        return None
    apart = abs(event.kickoff - fixture.kickoff_utc)
    certainty = teams_alike(fixture, event.home.name, event.away.name)
    is_same = apart <= KICKOFF_SAME_MAX
    if certainty is Likeness.NONE or apart > KICKOFF_MOVED_MAX:
        return None
    if certainty is Likeness.PART and not is_same:
        return None
    return Candidate(event, event.kickoff, certainty, is_same)


def is_known_as(fixture: Fixture, known: FootballMatch) -> bool:
    """A kickoff that differs by more than a match may move is another meeting, until a list tells otherwise."""
    return abs(known.kickoff_at - fixture.kickoff_utc) <= KICKOFF_MOVED_MAX


def _ambiguous(fixture: Fixture, events: Sequence[FootballEvent]) -> AmbiguousFixtureError:
    told = "; ".join(f"{event.key}: {event.home.name} - {event.away.name}" for event in events[:5])
    return AmbiguousFixtureError(
        f"{fixture.home_team} - {fixture.away_team} may be any of {len(events)} matches: {told}.",
        candidates=tuple(event.key for event in events),
    )


def unlisted(fixture: Fixture, days: Sequence[date]) -> UnlistedFixtureError:
    told = ", ".join(f"{day:%Y-%m-%d}" for day in days)
    return UnlistedFixtureError(f"No match like {fixture.home_team} - {fixture.away_team} is listed for {told}.")
