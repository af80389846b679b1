"""When a match is captured next. Pure.

| until kickoff | every |
|---|---|
| 72 h to 24 h | 12 h |
| 24 h to 3 h | 3 h |
| 3 h to 75 min | 20 min |
| 75 min to 12 min | 3 min, until the line-ups are confirmed |
| less | 1 min, until then |

Once they are, there is one look more, five minutes before kickoff: changes in the warm-up. At kickoff and after it
there is none.
"""

from datetime import datetime, timedelta

import msgspec

from longstop.domain.capture import CapturePriority


class Band(msgspec.Struct, frozen=True):
    """From so long before kickoff on, every so often."""

    before: timedelta
    every: timedelta


BANDS = (
    Band(timedelta(hours=72), timedelta(hours=12)),
    Band(timedelta(hours=24), timedelta(hours=3)),
    Band(timedelta(hours=3), timedelta(minutes=20)),
    Band(timedelta(minutes=75), timedelta(minutes=3)),
    Band(timedelta(minutes=12), timedelta(minutes=1)),
)
LAST_LOOK = timedelta(minutes=5)
# A visit takes up to its deadline; one that begins later than this would end after kickoff as likely as before.
TOO_LATE = timedelta(seconds=20)
HIGH_WITHIN = timedelta(minutes=75)
# After a failure that no attempt mended the match rests; near kickoff not for long.
REST_HARD = timedelta(minutes=30)
REST_HARD_NEAR = timedelta(minutes=6)


class Looked(msgspec.Struct, frozen=True):
    """The last look. `confirmed_at` is the first capture of confirmed line-ups; `is_hard` that it failed hard."""

    at: datetime
    confirmed_at: datetime | None = None
    is_hard: bool = False


def next_look(
    kickoff: datetime, now: datetime, last: Looked | None, window: timedelta | None = None
) -> datetime | None:
    """None: never again. In the past: at once."""
    if now >= kickoff - TOO_LATE:
        return None
    opens = kickoff - (window or BANDS[0].before)
    if last is None:
        return max(opens, now)
    due = _after_confirmation(kickoff, last) if last.confirmed_at is not None else _by_bands(kickoff, last.at, opens)
    if due is not None and last.is_hard:
        due = max(due, last.at + rest(kickoff, last.at))
    return due if due is not None and due < kickoff - TOO_LATE else None


def _by_bands(kickoff: datetime, last: datetime, opens: datetime) -> datetime:
    """The earliest that any band asks for, no band before its own beginning."""
    return max(opens, min(max(kickoff - band.before, last + band.every) for band in BANDS))


def _after_confirmation(kickoff: datetime, last: Looked) -> datetime | None:
    final = kickoff - LAST_LOOK
    return final if last.at < final else None


def rest(kickoff: datetime, now: datetime) -> timedelta:
    return REST_HARD_NEAR if kickoff - now <= HIGH_WITHIN else REST_HARD


def priority(kickoff: datetime, now: datetime) -> CapturePriority:
    return CapturePriority.HIGH if kickoff - now <= HIGH_WITHIN else CapturePriority.NORMAL
