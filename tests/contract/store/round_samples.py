"""Rounds to try the journal with: a job, its listings, a match with something in each of its tables."""

from datetime import UTC, datetime, timedelta

import msgspec

from longstop.domain.football import (
    Club,
    FootballEvent,
    Incident,
    IncidentKind,
    LineUps,
    MatchReport,
    Measure,
    Person,
    Phase,
    Side,
    SideScore,
    SquadPlayer,
    Stage,
    TeamSheet,
)
from longstop.domain.rounds import JobState, RoundJob, RoundListing, RoundMatch, RoundRef, TaskError
from longstop.store.rounds.leases import Taker

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
REF = RoundRef("brasileirao", "serie-a", 2026, 14)
LEASE = timedelta(seconds=30)


def job(job_id: str = "j1", ref: RoundRef = REF, at: datetime = NOW, **values: object) -> RoundJob:
    plain = RoundJob(job_id=job_id, ref=ref, state=JobState.PENDING, created_at=at, updated_at=at)
    return msgspec.structs.replace(plain, **values)


def listing(key: str) -> RoundListing:
    return RoundListing(key=key, title=f"Home {key} v Away {key}", kickoff_at=NOW - timedelta(days=1))


def match(key: str, goals: int = 2, phase: Phase = Phase.FINISHED, at: datetime = NOW) -> RoundMatch:
    stage = Stage.OVER if phase is Phase.FINISHED else Stage.UPCOMING
    score = SideScore(current=goals if phase is Phase.FINISHED else None)
    event = FootballEvent(
        key=key,
        home=Club("1", "Home"),
        away=Club("2", "Away\x00 with a NUL"),
        phase=phase,
        stage=stage,
        kickoff=NOW - timedelta(days=1),
        home_score=score,
        away_score=SideScore(current=0),
    )
    goal = Incident(IncidentKind.GOAL, minute=10, side=Side.HOME, player=Person("p", "Nélio"), after=(1, 0))
    sheet = TeamSheet((SquadPlayer(Person("p", "Nélio"), is_substitute=False, shirt=9),), formation="4-4-2")
    report = MatchReport(
        event=event,
        incidents=(goal,) * goals,
        lineups=LineUps(is_confirmed=True, home=sheet, away=sheet),
        statistics=(Measure("ALL", "shots", "9", "3", 9.0, 3.0),),
    )
    return RoundMatch(f"brasileirao_{key}", REF, key, report, at, "sha", venue="Maracanã")


def taker(owner: str = "me", at: datetime = NOW, limit: int = 10, losses_max: int = 2) -> Taker:
    return Taker(owner, at, at + LEASE, limit, losses_max)


def error(*, is_permanent: bool = False) -> TaskError:
    return TaskError("network", "It broke.", "Wait.", is_permanent, 1, NOW)
