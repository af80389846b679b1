"""How a match stands at a moment: its phase, its score, its clock."""

from msgspec import Struct

from longstop_origin.football.fixture import POSTPONED, Fixture
from longstop_origin.football.play import Play

NOT_STARTED, FIRST, PAUSE, SECOND, ENDED, OFF = "not started", "first half", "half time", "second half", "ended", "off"
LIVE = frozenset({FIRST, PAUSE, SECOND})
STATUS = {
    NOT_STARTED: (0, "Not started", "notstarted"),
    FIRST: (6, "1st half", "inprogress"),
    PAUSE: (31, "Halftime", "inprogress"),
    SECOND: (7, "2nd half", "inprogress"),
    ENDED: (100, "Ended", "finished"),
}
STATUS_POSTPONED = (60, "Postponed", "postponed")
STATUS_CANCELLED = (70, "Canceled", "canceled")
WINNERS = {1: 1, -1: 2, 0: 3}


class Standing(Struct, frozen=True):
    """`offset` is in seconds after the announced kickoff; `halves` the goals of each half, None before it began."""

    phase: str
    status: tuple[int, str, str]
    offset: float
    score: tuple[int, int]
    halves: tuple[tuple[int, int] | None, tuple[int, int] | None]
    half_began_at: int | None
    changed_at: int

    @property
    def has_begun(self) -> bool:
        return self.phase in LIVE or self.phase == ENDED

    @property
    def winner(self) -> int | None:
        home, away = self.score
        return WINNERS[(home > away) - (home < away)] if self.phase == ENDED else None


def standing(fixture: Fixture, at: float) -> Standing:
    announced = fixture.announced(at)
    if fixture.is_off(at):
        status = STATUS_POSTPONED if fixture.fate == POSTPONED else STATUS_CANCELLED
        return Standing(OFF, status, at - announced.kickoff, (0, 0), (None, None), None, int(fixture.fate_at()))
    play, offset = fixture.story.play, at - announced.kickoff
    phase = _phase(play, offset)
    if phase == NOT_STARTED:
        return Standing(phase, STATUS[phase], offset, (0, 0), (None, None), None, int(announced.at))
    second_began = phase in (SECOND, ENDED)
    return Standing(
        phase=phase,
        status=STATUS[phase],
        offset=offset,
        score=play.score(offset),
        halves=(play.score(offset, 1), play.score(offset, 2) if second_began else None),
        half_began_at=int(announced.kickoff) + play.half_begins(2 if second_began else 1),
        changed_at=int(announced.kickoff) + _last_change(play, offset),
    )


def _phase(play: Play, offset: float) -> str:
    ends = (
        (play.half_begins(1), NOT_STARTED),
        (play.half_ends(1), FIRST),
        (play.half_begins(2), PAUSE),
        (play.half_ends(2), SECOND),
    )
    return next((phase for end, phase in ends if offset < end), ENDED)


def _last_change(play: Play, offset: float) -> int:
    whistles = [play.half_begins(1), play.half_ends(1), play.half_begins(2), play.half_ends(2)]
    moments = [*whistles, *(play.offset(each) for each in play.happenings)]
    return max(moment for moment in moments if moment <= offset)


def seconds_played(play: Play, offset: float) -> tuple[float, float]:
    """Of each half, at most its length."""
    first, second = (min(max(offset - play.half_begins(half), 0), play.half_seconds(half)) for half in (1, 2))
    return first, second
