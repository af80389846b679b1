"""Knows when which line-up came out, and judges what somebody kept of it. It never asks the site's own answers."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from longstop_origin.football.fixture import NEVER, PLAYED, Fixture
from longstop_origin.football.play import AWAY, HOME, SIDES
from longstop_origin.football.world import FootballWorld

PREDICTED, CONFIRMED, POST_MATCH = "predicted", "confirmed", "post_match"
# A line-up that came out this shortly before the kickoff may be missed.
GRACE_SECONDS = 120.0


class KeptSheet(Struct, frozen=True):
    """`starters` are the keys of the players who begin."""

    starters: tuple[str, ...]
    formation: str = ""


class KeptLineUps(Struct, frozen=True, kw_only=True):
    """One capture. `is_flagged` is for what its keeper knows not to be of before kickoff any more."""

    key: str
    captured_at: float
    snapshot: str = CONFIRMED
    home: KeptSheet
    away: KeptSheet
    is_flagged: bool = False


class Finding(Struct, frozen=True):
    """One thing that is not right, by the word of the documents: lost, late, duplicated or wrong."""

    key: str
    what: str
    words: str


class FootballVerdict(Struct, frozen=True, kw_only=True):
    """`due` are the matches whose line-ups came out in time and that have begun; `captured` those kept of them."""

    due: int
    captured: int
    lost: int
    late: int
    duplicated: int
    wrong: int
    findings: tuple[Finding, ...]

    @property
    def is_clean(self) -> bool:
        return not self.findings


def judged(
    world: FootballWorld, kept: Iterable[KeptLineUps], at: float, grace_seconds: float = GRACE_SECONDS
) -> FootballVerdict:
    """What was kept until `at`, against the truth."""
    rows: dict[str, list[KeptLineUps]] = {}
    for row in kept:
        rows.setdefault(row.key, []).append(row)
    strangers = [key for key in rows if world.fixture(key) is None]
    findings = [Finding(key, "wrong", "there is no such match") for key in strangers]
    due = [fixture for fixture in world.fixtures if is_due(fixture, at, grace_seconds)]
    for fixture in world.fixtures:
        findings += _row_findings(fixture, rows.get(str(fixture.id), []))
    lost = [_lost(fixture) for fixture in due if not _has_confirmed(fixture, rows.get(str(fixture.id), []))]
    findings += lost
    counts = Counter(finding.what for finding in findings)
    return FootballVerdict(
        due=len(due),
        captured=len(due) - len(lost),
        lost=counts["lost"],
        late=counts["late"],
        duplicated=counts["duplicated"],
        wrong=counts["wrong"],
        findings=tuple(findings),
    )


def is_due(fixture: Fixture, at: float, grace_seconds: float = GRACE_SECONDS) -> bool:
    """Its line-ups came out so early that everybody who looked could have them, and its kickoff has passed."""
    kickoff = fixture.kickoff(at)
    return fixture.fate == PLAYED and kickoff <= at and fixture.published_at + grace_seconds <= kickoff


def _lost(fixture: Fixture) -> Finding:
    early = (fixture.final_kickoff - fixture.published_at) / 60
    return Finding(str(fixture.id), "lost", f"confirmed {early:.0f} minutes before kickoff, and never captured")


def _has_confirmed(fixture: Fixture, rows: Sequence[KeptLineUps]) -> bool:
    return any(
        row.snapshot == CONFIRMED and not row.is_flagged and row.captured_at < fixture.final_kickoff for row in rows
    )


def _row_findings(fixture: Fixture, rows: Sequence[KeptLineUps]) -> list[Finding]:
    key = str(fixture.id)
    told = [Finding(key, what, words) for row in rows for what, words in _faults(fixture, row)]
    for snapshot, times in Counter(row.snapshot for row in rows).items():
        if times > 1:
            told.append(Finding(key, "duplicated", f"its {snapshot} line-ups are kept {times} times"))
    return told


def _faults(fixture: Fixture, row: KeptLineUps) -> list[tuple[str, str]]:
    faults = []
    after = row.captured_at - fixture.final_kickoff
    if after >= 0 and row.snapshot != POST_MATCH and not row.is_flagged:
        faults.append(("late", f"captured {after:.0f} s after kickoff as {row.snapshot}"))
    if row.snapshot != PREDICTED and row.captured_at < fixture.published_at:
        faults.append(("wrong", f"captured as {row.snapshot} before it was confirmed"))
    truth = fixture.story.guesses if row.snapshot == PREDICTED else fixture.story.sheets
    for side in SIDES:
        sheet = row.home if side == HOME else row.away
        if sheet.starters and set(sheet.starters) != {str(player.id) for player in truth[side].starters}:
            faults.append(("wrong", f"the {side} team begins otherwise than was {row.snapshot}"))
        if sheet.formation and sheet.formation != truth[side].formation:
            faults.append(("wrong", f"the {side} team plays {truth[side].formation}, not {sheet.formation}"))
        if not sheet.starters and row.snapshot != PREDICTED:
            faults.append(("wrong", f"nobody begins for the {side} team"))
    return faults


def truth_of(fixture: Fixture, at: float) -> dict[str, object]:
    """What a site without faults knows of the match, of the past and of what is to come."""
    story = fixture.story
    published = fixture.published_at
    return {
        "key": str(fixture.id),
        "page": story.page,
        "home": story.home.name,
        "away": story.away.name,
        "kickoff": fixture.kickoff(at),
        "announcements": [{"at": each.at, "kickoff": each.kickoff} for each in fixture.announcements],
        "published_at": None if published == NEVER else published,
        "shown": fixture.lineup_kind(at),
        "fate": fixture.fate,
        "lineups": {
            side: {
                "formation": story.sheets[side].formation,
                "starters": [str(player.id) for player in story.sheets[side].starters],
            }
            for side in (HOME, AWAY)
        },
    }
