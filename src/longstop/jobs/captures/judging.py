"""From what a visit brought to what may be believed: contract, right match, consistency, before kickoff. Pure."""

from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from longstop.check.football import judge
from longstop.check.football.integrity import integrity
from longstop.domain.capture import CaptureIntegrity, Fixture, SnapshotType
from longstop.domain.capture_errors import AfterKickoffError, ContradictoryPayloadError, NotAheadError
from longstop.domain.errors import EmptyPayloadError, ErrorAnswerError
from longstop.domain.football import FootballEvent, MatchReport
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import Snapshot
from longstop.jobs.captures.begun import is_surely_ahead, proofs
from longstop.sources.sofascore import parser
from longstop.sources.sofascore.contracts import VERSIONS
from longstop.sources.sofascore.families import Family
from longstop.sources.sofascore.requests import SOURCE


class Captured(msgspec.Struct, frozen=True):
    """One visit, judged. `kickoff` is the earlier of what was asked and what the site says."""

    report: MatchReport
    event: FootballEvent
    captured_at: datetime
    kickoff: datetime
    integrity: CaptureIntegrity
    shas: Mapping[str, str]

    @property
    def snapshot(self) -> SnapshotType:
        lineups = self.report.lineups
        is_confirmed = lineups is not None and lineups.is_confirmed
        return SnapshotType.CONFIRMED if is_confirmed else SnapshotType.PREDICTED


Kept = Callable[[str], None]


def is_empty(snapshot: Snapshot) -> bool:
    return not snapshot.body.strip()


def judged(fixture: Fixture, snapshots: Mapping[str, Snapshot], kept: Kept = lambda _: None) -> Captured:
    """`kept` hears of every contract that was kept, also where another one breaks afterwards."""
    captured_at = moment_of(snapshots)
    report = _read(fixture.event_key, snapshots, kept)
    event = report.event
    if event is None:
        raise EmptyPayloadError("The visit brought no event.")
    kickoff = min(fixture.kickoff_utc, event.kickoff or fixture.kickoff_utc)
    _require_not_begun(report, event, captured_at)
    reasons = judge(report).reasons
    if reasons:
        raise ContradictoryPayloadError(f"It contradicts itself: {'; '.join(reasons[:3])}.", reasons=reasons)
    require_before(kickoff, captured_at, event)
    _require_ahead(event)
    shas = {family: snapshot.sha256() for family, snapshot in snapshots.items()}
    return Captured(report, event, captured_at, kickoff, integrity(report), shas)


def moment_of(snapshots: Mapping[str, Snapshot]) -> datetime:
    """Of the last answer: nothing in the capture is older than it says."""
    if not snapshots:
        raise EmptyPayloadError("The visit brought nothing.")
    return max(snapshot.fetched_at for snapshot in snapshots.values())


def require_before(kickoff: datetime, captured_at: datetime, event: FootballEvent | None = None) -> None:
    if captured_at >= kickoff:
        raise _after(
            f"It is {captured_at:%Y-%m-%d %H:%M:%S} UTC, and kickoff was at {kickoff:%Y-%m-%d %H:%M:%S} UTC.", event
        )


def _require_not_begun(report: MatchReport, event: FootballEvent, captured_at: datetime) -> None:
    """Before anything else is found odd: a stale event beside live line-ups is no contradiction to be tried again."""
    proof = next(proofs(report, captured_at), "")
    if proof:
        raise _after(f"The match has begun, whatever kickoff was told: {proof}.", event)


def _require_ahead(event: FootballEvent) -> None:
    if not is_surely_ahead(event):
        raise NotAheadError(f"The match is {event.phase.value} ({event.status[:40]}): not one that surely lies ahead.")


def _after(reason: str, event: FootballEvent | None) -> AfterKickoffError:
    error = AfterKickoffError(reason)
    error.kickoff_at = event.kickoff if event is not None else None
    return error


def _read(key: str, snapshots: Mapping[str, Snapshot], kept: Kept) -> MatchReport:
    ref = MatchRef(SOURCE, key)
    report = MatchReport()
    for family, snapshot in _in_order(snapshots):
        try:
            report = _with(report, family, ref, snapshot)
        except ErrorAnswerError as error:
            if family is Family.EVENT or error.verdict != "not_found":
                raise
            continue  # not published yet, told as a body
        kept(VERSIONS[family])
    return report


def _in_order(snapshots: Mapping[str, Snapshot]) -> list[tuple[Family, Snapshot]]:
    """The event first: a visit to another match is told as that, and not as a line-up that is odd."""
    return [(family, snapshots[family.value]) for family in Family if family.value in snapshots]


def _with(report: MatchReport, family: Family, ref: MatchRef, snapshot: Snapshot) -> MatchReport:
    replace = msgspec.structs.replace
    if family is Family.EVENT:
        return replace(report, event=parser.parse_event(ref, snapshot))
    if family is Family.LINEUPS:
        return replace(report, lineups=parser.parse_lineups(snapshot))
    if family is Family.STATISTICS:
        return replace(report, statistics=parser.parse_statistics(snapshot))
    if family is Family.INCIDENTS:
        return replace(report, incidents=parser.parse_incidents(snapshot))
    return report
