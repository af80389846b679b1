"""The story of one seed: lives of the process, one after the other, until the storm is over and all is well again."""

import asyncio
import gc
from collections.abc import Sequence
from random import Random

from longstop.domain.errors import LongstopError, StoreError
from longstop_origin.storm.fate import STEPS_MAX, Fate
from longstop_origin.storm.findings import BROKEN, Report
from longstop_origin.storm.judge import Judge
from longstop_origin.storm.leaks import leaks_of, stray_probes
from longstop_origin.storm.life import Life
from longstop_origin.storm.loop import KilledError, StormLoop
from longstop_origin.storm.plan import plan_of
from longstop_origin.storm.recovery import Recovery
from longstop_origin.storm.scene import Scene

LOOK_SECONDS = 0.5
# The machine's own supervisor starts the process again, at once and then less eagerly.
RESTART_SECONDS = (0.5, 1.0, 2.0, 4.0, 5.0)
STABLE_SECONDS = 30.0
# Thirty for what is under way, as long for what does not end by itself, and what the store takes.
STOP_SECONDS = 75.0
LIVES_MAX = 400


def run_seed(seed: int, only: Sequence[str] = ()) -> Report:
    story = _Story(seed, only)
    # Nothing depends on when garbage is collected; it is only cheaper later.
    gc.disable()
    try:
        return story.tell()
    finally:
        gc.enable()
        story.close()


class _Story:
    def __init__(self, seed: int, only: Sequence[str]) -> None:
        self.plan = plan_of(seed, only)
        self.scene = Scene(self.plan)
        self.fate = Fate(self.scene)
        self.judge = Judge(self.scene)
        self._chance = Random(f"{seed}:order")
        self._failures = 0
        self.recovery = Recovery(self.scene, self.judge)

    def tell(self) -> Report:
        while not self.recovery.is_over and self.scene.lives < LIVES_MAX and self.fate.steps <= STEPS_MAX:
            self._live()
        if not self.recovery.is_over:
            lived = f"{self.scene.lives} lives, {self.fate.steps} steps"
            self.scene.witness.find(BROKEN, "the process comes up and time goes on", lived)
        self.judge.pronounce()
        return self._report()

    def close(self) -> None:
        self.scene.server.close()

    # One life.

    def _live(self) -> None:
        scene = self.scene
        scene.begin_life()
        self.fate.begin_life()
        loop = StormLoop(scene.timeline, self._chance, self.fate.step)
        self.fate.freeze, self.fate.cancel = loop.skip, loop.cancel_one
        has_power_failed = False
        try:
            loop.run_until_complete(self._life(loop))
            loop.note_unseen()
        except asyncio.CancelledError:
            scene.witness.find(BROKEN, "nobody ends because another was cancelled", "the process")
        except KilledError:
            has_power_failed = self.fate.has_power_failed
            scene.timeline.seconds += self.fate.down_seconds
        finally:
            scene.disk.is_dead = scene.witness.is_deaf = True
            loop.bury()
        for trouble in loop.troubles:
            scene.witness.find(BROKEN, "nothing fails unseen", trouble)
        scene.end_life(has_power_failed=has_power_failed)

    async def _life(self, loop: StormLoop) -> None:
        life = Life(self.scene)
        began = self.scene.timeline.seconds
        try:
            await life.start()
        except LongstopError:
            await self._wait_for_restart(life)
            return
        failure = loop.create_task(life.failure(), name="storm failure")
        try:
            await self._watch(life, failure)
        finally:
            failure.cancel()
            await asyncio.wait([failure])
        await self._end(life)
        if self.recovery.is_over:
            return
        if self.scene.timeline.seconds - began > STABLE_SECONDS:
            self._failures = 0
        await self._wait_for_restart(life)

    async def _wait_for_restart(self, life: Life) -> None:
        await life.clock.sleep(RESTART_SECONDS[min(self._failures, len(RESTART_SECONDS) - 1)])
        self._failures += 1

    async def _watch(self, life: Life, failure: "asyncio.Task[LongstopError]") -> None:
        """Until the process is asked to stop, fails, or the storm is over and all that can be well is well."""
        while not failure.done() and not self.fate.is_stop_wanted:
            await life.clock.sleep(LOOK_SECONDS)
            self.scene.strike()
            for what in stray_probes(life):
                self.scene.witness.find(BROKEN, "what was taken is given back", what)
            if self.recovery.look(life):
                return

    async def _end(self, life: Life) -> None:
        """In order. What it has taken it must have given back."""
        began = self.scene.timeline.seconds
        try:
            late = await life.stop("the storm has asked for it")
        except StoreError:
            return  # a store that cannot be closed well has told so; the next life finds what it left
        if late and self.recovery.is_over:
            self.scene.witness.find(BROKEN, "everything ends when it is asked to", ", ".join(late))
        took = self.scene.timeline.seconds - began
        if took > STOP_SECONDS and self.scene.witness.thawed_at < began:
            self.scene.witness.find(BROKEN, "it ends in time when it is asked to", f"{took:.0f} s")
        # Who has ended is taken off the lists in the steps that follow.
        await life.clock.sleep(0.001)
        for what in leaks_of(life):
            self.scene.witness.find(BROKEN, "what was taken is given back", what)

    def _report(self) -> Report:
        witness, scene = self.scene.witness, self.scene
        return Report(
            seed=self.plan.seed,
            families=self.plan.families,
            seconds=round(scene.timeline.seconds, 3),
            matches=len(self.judge.fixtures()),
            events=witness.events,
            lives=scene.lives,
            faults=sum(map(len, self.plan.spells.values())) + len(self.plan.blows) + len(self.plan.jumps),
            polls=witness.seen["PollFinished"],
            steps=self.fate.steps,
            recovered_seconds=tuple(round(each, 2) for each in self.recovery.seconds),
            findings=tuple(witness.findings),
            digest=witness.digest,
        )
