"""Which match of the source is ours? By both teams and the kickoff, from the lists of the day; never by a guess."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

import msgspec

from longstop.domain.capture import Fixture
from longstop.domain.capture_errors import AmbiguousFixtureError, UnlistedFixtureError
from longstop.domain.football import FootballEvent
from longstop.jobs.captures.names import Likeness, likeness

# A kickoff may have moved since somebody wrote it down; the same teams do not meet twice within so much.
KICKOFF_MOVED_MAX = timedelta(hours=20)
# Where names agree only in part, the kickoff must be the very same.
KICKOFF_SAME_MAX = timedelta(minutes=15)
# Sites draw the line between two days by their own clock.
DAYS_APART = timedelta(hours=14)


class Candidate(msgspec.Struct, frozen=True):
    event: FootballEvent
    certainty: Likeness


def days_of(kickoff: datetime) -> tuple[date, ...]:
    """The lists in which it may stand, the likeliest first."""
    days = [kickoff.date(), (kickoff - DAYS_APART).date(), (kickoff + DAYS_APART).date()]
    return tuple(dict.fromkeys(days))


def found_among(fixture: Fixture, events: Iterable[FootballEvent]) -> FootballEvent | None:
    """None where no match is like it. Raises AmbiguousFixtureError where more than one is."""
    distinct = {event.key: event for event in events}.values()
    candidates = [each for event in distinct if (each := _candidate(fixture, event)) is not None]
    best = max((each.certainty for each in candidates), default=Likeness.NONE)
    left = [each.event for each in candidates if each.certainty is best]
    if len(left) > 1:
        raise _ambiguous(fixture, left)
    return left[0] if left else None


def _candidate(fixture: Fixture, event: FootballEvent) -> Candidate | None:
    if event.kickoff is None:
        return None
    apart = abs(event.kickoff - fixture.kickoff_utc)
    certainty = min(likeness(fixture.home_team, event.home.name), likeness(fixture.away_team, event.away.name))
    if certainty is Likeness.NONE or apart > KICKOFF_MOVED_MAX:
        return None
    if certainty is Likeness.PART and apart > KICKOFF_SAME_MAX:
        return None
    return Candidate(event, certainty)


def _ambiguous(fixture: Fixture, events: Sequence[FootballEvent]) -> AmbiguousFixtureError:
    told = "; ".join(f"{event.key}: {event.home.name} - {event.away.name}" for event in events[:5])
    return AmbiguousFixtureError(
        f"{fixture.home_team} - {fixture.away_team} may be any of {len(events)} matches: {told}.",
        candidates=tuple(event.key for event in events),
    )


def unlisted(fixture: Fixture, days: Sequence[date]) -> UnlistedFixtureError:
    told = ", ".join(f"{day:%Y-%m-%d}" for day in days)
    return UnlistedFixtureError(f"No match like {fixture.home_team} - {fixture.away_team} is listed for {told}.")
