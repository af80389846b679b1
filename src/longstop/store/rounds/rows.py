"""Jobs, tasks and matches of rounds as rows, and back."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from longstop.domain.football import LineUps, MatchReport, TeamSheet
from longstop.domain.rounds import (
    JobState,
    RoundJob,
    RoundMatch,
    RoundRef,
    RoundTask,
    RoundTaskState,
    TaskError,
    TaskOutcome,
)
from longstop.store.cells import Row, json_text, key_text
from longstop.store.scripts import Tongue

Values = dict[str, Any]


def job_values(job: RoundJob, tongue: Tongue) -> Values:
    return {
        "job_id": key_text(job.job_id),
        "source": key_text(job.ref.source),
        "competition": key_text(job.ref.competition),
        "season": job.ref.season,
        "round": job.ref.round,
        "state": job.state.value,
        "created_at": tongue.moment(job.created_at),
        "updated_at": tongue.moment(job.updated_at),
        "request_key": key_text(job.request_key) if job.request_key else None,
        "is_recheck": job.is_recheck,
        "requested_by": job.requested_by,
        "attempt": job.attempt,
        "epoch": job.epoch,
        "next_at": tongue.moment(job.next_at or job.created_at),
        "owner": "",
        "lease_until": None,
        "listed_at": tongue.moment(job.listed_at),
        "finished_at": tongue.moment(job.finished_at),
        "error": error_text(job.error),
    }


def job_from(row: Row, tongue: Tongue) -> RoundJob:
    (job_id, source, competition, season, number, state, created, updated, request_key, is_recheck, requested_by) = row[
        :11
    ]
    attempt, epoch, next_at, _owner, _lease, listed, finished, error = row[11:19]
    return RoundJob(
        job_id=job_id,
        ref=RoundRef(source, competition, season, number),
        state=JobState(state),
        created_at=tongue.time_of(created),
        updated_at=tongue.time_of(updated),
        request_key=request_key or "",
        is_recheck=bool(is_recheck),
        requested_by=requested_by,
        attempt=attempt,
        epoch=epoch,
        next_at=tongue.time_of(next_at),
        listed_at=tongue.time_of(listed),
        finished_at=tongue.time_of(finished),
        error=error_from(error),
    )


def task_values(task: RoundTask, tongue: Tongue) -> Values:
    return {
        "job_id": task.job_id,
        "key": key_text(task.key),
        "match_id": key_text(task.match_id),
        "position": task.position,
        "title": task.title,
        "url": task.url,
        "kickoff_at": tongue.moment(task.kickoff_at),
        "state": task.state.value,
        "attempt": task.attempt,
        "losses": task.losses,
        "epoch": task.epoch,
        "next_at": tongue.moment(task.next_at),
        "updated_at": tongue.moment(task.updated_at),
        "owner": task.owner,
        "lease_until": tongue.moment(task.lease_until),
        "outcome": task.outcome.value if task.outcome else None,
        "error": error_text(task.error),
        "evidence": json_text(task.evidence) if task.evidence else None,
        "started_at": tongue.moment(task.started_at),
        "finished_at": tongue.moment(task.finished_at),
    }


def task_from(row: Row, tongue: Tongue) -> RoundTask:
    job_id, key, match_id, position, title, url, kickoff, state, attempt, losses, epoch = row[:11]
    next_at, updated, owner, lease, outcome, error, evidence, started, finished = row[11:20]
    return RoundTask(
        job_id=job_id,
        key=key,
        match_id=match_id,
        position=position,
        title=title,
        url=url,
        kickoff_at=tongue.time_of(kickoff),
        state=RoundTaskState(state),
        attempt=attempt,
        losses=losses,
        epoch=epoch,
        next_at=tongue.time_of(next_at),
        updated_at=tongue.time_of(updated),
        owner=owner,
        lease_until=tongue.time_of(lease),
        outcome=TaskOutcome(outcome) if outcome else None,
        error=error_from(error),
        evidence=tuple(msgspec.json.decode(evidence)) if evidence else (),
        started_at=tongue.time_of(started),
        finished_at=tongue.time_of(finished),
    )


def error_text(error: TaskError | None) -> str | None:
    return None if error is None else json_text(error)


def error_from(text: str | None) -> TaskError | None:
    return None if text is None else msgspec.json.decode(text, type=TaskError)


def digest_of(match: RoundMatch) -> str:
    """Of what the match says, wherever and whenever it was read."""
    told = (match.key, match.ref, match.venue, match.report)
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()


def match_values(match: RoundMatch, revision: int, job_id: str, tongue: Tongue) -> Values:
    event = match.event
    score = event.score or (None, None)
    return {
        "match_id": key_text(match.match_id),
        "revision": revision,
        "source": match.ref.source,
        "key": match.key,
        "competition": match.ref.competition,
        "season": match.ref.season,
        "round": match.ref.round,
        "phase": event.phase.value,
        "is_finished": match.is_finished,
        "kickoff_at": tongue.moment(event.kickoff),
        "home": event.home.name,
        "away": event.away.name,
        "home_goals": score[0],
        "away_goals": score[1],
        "venue": match.venue,
        "event": json_text(match.report),
        "digest": digest_of(match),
        "captured_at": tongue.moment(match.captured_at),
        "payload_sha256": match.payload_sha256,
        "job_id": job_id,
    }


def match_from(row: Row, tongue: Tongue) -> RoundMatch:
    match_id, revision, source, key, competition, season, number = row[:7]
    venue, report, _digest, captured_at, sha256 = row[14:19]
    return RoundMatch(
        match_id=match_id,
        ref=RoundRef(source, competition, season, number),
        key=key,
        report=msgspec.json.decode(report, type=MatchReport),
        captured_at=tongue.time_of(captured_at),
        payload_sha256=sha256,
        venue=venue,
        revision=revision,
    )


def event_rows(match: RoundMatch, revision: int) -> Iterator[Values]:
    for number, told in enumerate(match.report.incidents or ()):
        after = told.after or (None, None)
        yield {
            "match_id": match.match_id,
            "revision": revision,
            "number": number,
            "kind": told.kind.value,
            "minute": told.minute,
            "added": told.added,
            "side": told.side.value if told.side else None,
            "player": told.player.name if told.player else None,
            "other": told.other.name if told.other else None,
            "detail": told.detail,
            "home_after": after[0],
            "away_after": after[1],
        }


def statistic_rows(match: RoundMatch, revision: int) -> Iterator[Values]:
    for told in match.report.statistics or ():
        yield {
            "match_id": match.match_id,
            "revision": revision,
            "period": told.period,
            "name": told.name,
            "home": told.home,
            "away": told.away,
            "home_value": told.home_value,
            "away_value": told.away_value,
        }


def lineup_rows(match: RoundMatch, revision: int) -> Iterator[Values]:
    lineups: LineUps | None = match.report.lineups
    for side, sheet in lineups.sheets if lineups else ():
        for number, row in enumerate(_sheet_rows(sheet)):
            yield {"match_id": match.match_id, "revision": revision, "side": side.value, "number": number, **row}


def _sheet_rows(sheet: TeamSheet) -> Iterator[Mapping[str, Any]]:
    for player in sheet.players:
        yield {
            "player_key": player.person.key,
            "player": player.person.name,
            "is_substitute": player.is_substitute,
            "position": player.position,
            "shirt": player.shirt,
            "formation": sheet.formation,
        }
