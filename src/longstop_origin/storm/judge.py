"""The verdict when the storm is over: what is kept, held against what is true."""

from collections.abc import Iterator
from typing import Any

import msgspec

from longstop.domain.events import Gap, GapState
from longstop.serve.account import account_of
from longstop.store.sqlite import SqliteStore
from longstop_origin.fixture import Fixture
from longstop_origin.judging import Account, Verdict, judge
from longstop_origin.oracle import CanonicalBall, truth_of
from longstop_origin.storm.database import inline
from longstop_origin.storm.findings import DUPLICATED, LOST, STALE, UNEXPECTED
from longstop_origin.storm.scene import Scene
from longstop_origin.storm.witness import critical_rows

SOURCE = "crex"
LIVE = 1


class Judge:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._rows: SqliteStore = scene.server.rows
        # By which evidence a match was found to be as it should.
        self._clean: dict[str, tuple[int, float]] = {}

    def pronounce(self) -> None:
        """Everything that is not as it must be becomes a finding."""
        self._scene.server.settle()
        for fixture in self.fixtures():
            if self._clean.get(fixture.key) != self.evidence(fixture):
                self._judge_match(fixture)
        self._judge_promises()

    def evidence(self, fixture: Fixture) -> tuple[int, float]:
        """As long as this is the same, so is the verdict: what was kept, and the moment whose truth is owed."""
        return self._scene.server.saves, self._at(fixture)

    def describe(self, fixture: Fixture) -> str:
        """What is wrong with one match; empty when nothing is."""
        evidence = self.evidence(fixture)
        described = "; ".join(f"{fixture.key}: {word}, {text}" for word, _, text in self._faults(fixture))
        if not described:
            self._clean[fixture.key] = evidence
        return described

    def fixtures(self) -> list[Fixture]:
        """The matches that something is owed of. One that began and ended while nobody could see it is none."""
        now = self._scene.timeline.moment
        at = self._scene.world.time(now)
        begun = sorted(self._scene.world.begun(now), key=lambda each: each.key)
        known = self._scene.witness.discovered
        return [each for each in begun if f"{SOURCE}_{each.key}" in known or each.status(at) == LIVE]

    def _at(self, fixture: Fixture) -> float:
        """The moment whose truth is owed: now, or when a match was seen last that the site shows no more."""
        at = self._scene.world.time(self._scene.timeline.moment)
        if self._scene.site.is_gone(fixture):
            return min(at, self._scene.witness.seen_at.get(f"{SOURCE}_{fixture.key}", fixture.starts_at))
        return at

    def _verdict(self, fixture: Fixture) -> tuple[Verdict, dict[str, Any]]:
        account = inline(account_of(self._rows, f"{SOURCE}_{fixture.key}"))
        return judge(fixture, self._at(fixture), msgspec.convert(account, Account)), account

    def _judge_match(self, fixture: Fixture) -> None:
        for word, rule, text in self._faults(fixture):
            self._scene.witness.find(word, rule, f"{text} in {fixture.key}")

    def _faults(self, fixture: Fixture) -> Iterator[tuple[str, str, str]]:
        verdict, account = self._verdict(fixture)
        counts = verdict.counts
        lost, wrong = self._unexcused(fixture, account) if counts.lost or counts.wrong else (0, 0)
        if lost:
            yield LOST, "every ball that was shown is kept", f"{lost} balls"
        if counts.duplicated:
            yield DUPLICATED, "every ball is kept once", f"{counts.duplicated} balls"
        if counts.unexpected:
            yield UNEXPECTED, "nothing is kept that was never shown", f"{counts.unexpected} balls"
        if wrong:
            yield STALE, "every ball is kept as it was shown last", f"{wrong} balls"
        for fault in verdict.faults:
            yield STALE, "the board is the one that was shown last", fault

    def _unexcused(self, fixture: Fixture, account: dict[str, Any]) -> tuple[int, int]:
        """Balls that are missing and balls that are wrong, but for those in overs that the site has lost for good: of
        them a gap has to tell, unless all that is wrong is what no sum shows."""
        kept = {(ball["innings"], ball["over"], ball["position"]): ball for ball in account["balls"]}
        gaps = [gap for gap in inline(self._rows.gaps(f"{SOURCE}_{fixture.key}")) if gap.state is not GapState.REPAIRED]
        lost = wrong = 0
        for true in truth_of(fixture, self._at(fixture)).balls:
            ball = kept.get((true.key.innings, true.key.over, true.key.position))
            place = (true.key.innings, true.key.over)
            is_forgotten = self._scene.site.is_forgotten(fixture.key, *place)
            is_told = is_forgotten and _is_told(gaps, *place)
            if ball is None:
                lost += not is_told
            elif msgspec.convert(ball, CanonicalBall) != true:
                wrong += not (is_told or (is_forgotten and _adds_up_alike(ball, true)))
        return lost, wrong

    def _judge_promises(self) -> None:
        """What was acknowledged is durable, as it was acknowledged."""
        witness = self._scene.witness
        if witness.has_lost_records:
            return
        durable: dict[Any, Any] = {}
        for match_id in sorted({key[1] for key in witness.acknowledged}):
            durable.update(inline(critical_rows(self._rows, match_id)))
        gone = [key for key, row in witness.acknowledged.items() if durable.get(key) != row]
        for key in gone[:3]:
            witness.find(LOST, "what was acknowledged is durable", f"{key} ({len(gone)} in all)")


def _is_told(gaps: list[Gap], innings: int, over: int) -> bool:
    return any(gap.innings == innings and gap.first_over <= over <= gap.last_over for gap in gaps)


def _adds_up_alike(ball: dict[str, Any], true: CanonicalBall) -> bool:
    counted = ("runs_batter", "wides", "noballs", "byes", "legbyes", "penalty")
    is_same = all(ball[name] == getattr(true, name) for name in counted)
    return is_same and len(ball["wickets"]) == len(true.wickets)
