"""One row of the operations page: a match as compact JSON, rebuilt only when something about it changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from longstop.clock import to_millis
from longstop.domain.cricket import InningsScore, Result
from longstop.domain.match import Names
from longstop.domain.observation import Observation
from longstop.observe.health import Watched
from longstop.serve.console.scene import Scene
from longstop.serve.naming import NameBook
from longstop.serve.notation import ball_text, chase_text, innings_text, result_text
from longstop.store.contract import LiveRow, MatchRow

_BALLS = 12
OVER_BREAK = "|"
_REASONS_MAX = 8
Pulse = tuple[int, int | None, int, int, int, int | None]
_MEGABYTE = 1024 * 1024


class Line(Struct, frozen=True, omit_defaults=True):
    """One team. `overs` belongs to the innings that is on, or was last."""

    name: str
    full: str
    score: str = ""
    overs: str = ""
    batting: bool = False


class Trouble(Struct, frozen=True):
    kind: str
    message: str
    at: int


class Held(Struct, frozen=True):
    """A newer payload that is not believed, since when and why."""

    since: int
    reasons: tuple[str, ...]


class Row(Struct, frozen=True, omit_defaults=True):
    """`n` is the number of the match on this board: short, and never given twice in one life."""

    n: int
    id: str
    title: str
    status: str
    play: str
    source: str
    lines: tuple[Line, Line]
    about: str = ""
    rung: str = ""
    why: str = ""
    shut: tuple[str, ...] = ()
    pace: float = 0.0
    pace_why: str = ""
    rests_until: int | None = None
    stale: bool = False
    watched: bool = False
    held: Held | None = None
    note: str = ""
    balls: list[str] = field(default_factory=list)
    starts: int | None = None
    gaps: int = 0
    trouble: Trouble | None = None


def build_row(number: int, scene: Scene, names: Names) -> Row:
    book = NameBook(names)
    row, state, watched = scene.row, scene.state, scene.watched
    title = book.title(row.title if row is not None else (watched.title if watched else ""), scene.teams)
    lines = _lines(scene.teams, state.innings if state is not None else (), book)
    return Row(
        n=number,
        id=scene.match_id,
        title=title,
        about=" · ".join(part for part in (_occasion(title, scene.teams, book), *_competition(row, book)) if part),
        status=scene.status.value,
        play=state.play.value if state is not None else "unknown",
        source=scene.source,
        lines=lines if any(scene.teams) else _unnamed(title or scene.match_id),
        rung=watched.rung if watched is not None else (scene.live.rung if scene.live is not None else ""),
        why=scene.standing.why,
        shut=scene.standing.shut,
        note=_note(scene, book),
        balls=_recent(state),
        starts=None if row is None or row.starts_at is None else to_millis(row.starts_at),
        **_watching(watched),
    )


def _watching(watched: Watched | None) -> dict[str, Any]:
    """What is known only of a match that somebody watches, or watched in this life."""
    if watched is None:
        return {}
    hold, until = watched.hold, watched.paused_until
    return {
        "gaps": len(watched.gaps),
        "pace": watched.interval_seconds,
        "pace_why": watched.pace_reason,
        "rests_until": None if until is None else to_millis(until),
        "stale": watched.is_stale,
        "watched": watched.is_active,
        "held": None if hold is None else Held(to_millis(hold.since), hold.reasons[:_REASONS_MAX]),
        "trouble": _trouble(watched),
    }


def build_pulse(number: int, scene: Scene, now: datetime) -> Pulse:
    """What changes with every poll: last capture, grade, errors in a row, errors in the last minute, megabytes."""
    watched, captured_at = scene.watched, scene.captured_at
    in_a_row = watched.error_count if watched is not None else 0
    last_minute = watched.errors.total(now) if watched is not None else 0
    millis = None if captured_at is None else to_millis(captured_at)
    return (number, millis, scene.grade(now), in_a_row, last_minute, _megabytes(watched))


def _megabytes(watched: Watched | None) -> int | None:
    """Rounded up: a match that is watched takes something. None is not known."""
    size = watched.memory_bytes if watched is not None else None
    return -(-size // _MEGABYTE) if size else None


def _occasion(title: str, teams: tuple[str, str], book: NameBook) -> str:
    """The title without the teams, which stand above it anyway."""
    named = f"{book.team(teams[0]).name} v {book.team(teams[1]).name}"
    return title.removeprefix(named).lstrip(", ")


def _competition(row: MatchRow | None, book: NameBook) -> tuple[str, ...]:
    return () if row is None else (row.format, book.series(row.series))


def _lines(teams: tuple[str, str], innings: Sequence[InningsScore], book: NameBook) -> tuple[Line, Line]:
    batting = innings[-1].team if innings else None
    first, second = (_line(team, innings, batting, book) for team in teams)
    return first, second


def _unnamed(known_as: str) -> tuple[Line, Line]:
    """Nobody has told who plays: what it is known as stands where the teams would."""
    return Line(known_as, known_as), Line("", "")


def _line(code: str, innings: Sequence[InningsScore], batting: str | None, book: NameBook) -> Line:
    team = book.team(code)
    own = [score for score in innings if score.team == code]
    return Line(
        name=team.short_name,
        full=team.name,
        score=" & ".join(_innings_text(score) for score in own),
        overs=own[-1].overs if own else "",
        batting=code == batting,
    )


def _innings_text(score: InningsScore) -> str:
    return f"{innings_text(score)} SO" if score.is_super_over else innings_text(score)


def _note(scene: Scene, book: NameBook) -> str:
    state = scene.state
    result: Result | None = (state.result if state is not None else None) or (scene.row.result if scene.row else None)
    if result is not None:
        return result_text(result, book.team_name(result.winner or result.eliminator or result.bowl_out) or "")
    if state is None:
        return ""
    latest = state.innings[-1] if state.innings else None
    chase = chase_text(latest, state.balls_per_over, book.team(latest.team).short_name) if latest is not None else ""
    return " · ".join(part for part in (state.announcement, chase) if part)


def _recent(state: LiveRow | Observation | None) -> list[str]:
    """The newest balls, oldest first, with a mark where an over ended."""
    if not isinstance(state, Observation):
        return []
    texts: list[str] = []
    for over in state.overs:
        if texts:
            texts.append(OVER_BREAK)
        texts.extend(ball_text(ball) for ball in over.deliveries)
    newest = texts[-_BALLS:]
    return newest[1:] if newest[:1] == [OVER_BREAK] else newest


def _trouble(watched: Watched | None) -> Trouble | None:
    if watched is None or watched.last_error_at is None:
        return None
    return Trouble(watched.last_error_kind, watched.last_error_message, to_millis(watched.last_error_at))
