"""The faults have stopped: from here on it is measured how long each match takes until all is well with it.

A match may take 30 s. Where the documents themselves make it wait (five minutes of rest after five failures, a pause
that the source asked for), the 30 s begin when that time is over; docs/storm.md says so.
"""

from longstop_origin.fixture import Fixture
from longstop_origin.storm.findings import STALE
from longstop_origin.storm.judge import Judge
from longstop_origin.storm.life import Life
from longstop_origin.storm.scene import Scene

RECOVERY_SECONDS = 30.0
# No longer than the documents let a match rest, once.
EXCUSED_SECONDS_MAX = 300.0


class Recovery:
    def __init__(self, scene: Scene, judge: Judge) -> None:
        self._scene = scene
        self._judge = judge
        self._excused: dict[str, float] = {}
        self._well: dict[str, float] = {}
        self._found_wanting: dict[str, tuple[int, float]] = {}
        self.is_over = False

    @property
    def seconds(self) -> list[float]:
        return list(self._well.values())

    def look(self, life: Life) -> bool:
        """True when there is nothing left to wait for."""
        scene = self._scene
        if scene.timeline.seconds < scene.plan.seconds:
            return False
        scene.world.freeze(scene.timeline.moment)
        for fixture in self._judge.fixtures():
            if fixture.key not in self._well:
                self._look_at(fixture, life)
        self.is_over = len(self._well) == len(self._judge.fixtures())
        return self.is_over

    def _look_at(self, fixture: Fixture, life: Life) -> None:
        now = self._scene.timeline.seconds
        since = self._since(fixture, life)
        if self._is_well(fixture, life):
            self._well[fixture.key] = max(0.0, now - since)
        elif now > since + RECOVERY_SECONDS:
            self._scene.witness.find(STALE, "all is well within 30 s", self._judge.describe(fixture))
            self._well[fixture.key] = now - since

    def _since(self, fixture: Fixture, life: Life) -> float:
        """From when on the time counts for this match."""
        known = self._excused.get(fixture.key, self._scene.plan.seconds)
        for assignment in life.engine.assignments():
            if assignment.watch.ref.key == fixture.key:
                known = max(known, assignment.rests_until or 0.0, assignment.scraper.throttled_until)
        known = min(known, self._scene.plan.seconds + EXCUSED_SECONDS_MAX)
        self._excused[fixture.key] = known
        return known

    def _is_well(self, fixture: Fixture, life: Life) -> bool:
        """What costs less than the truth is asked first: what the store says of itself, and whether anything is new."""
        if not life.store.is_caught_up:
            return False
        evidence = self._judge.evidence(fixture)
        if self._found_wanting.get(fixture.key) == evidence:
            return False
        self._found_wanting[fixture.key] = evidence
        return not self._judge.describe(fixture)
