"""What outlives the process: the site, the database, the disk, the time, and who watches all of it."""

import errno
from pathlib import Path
from random import Random

from longstop_origin.invented import League
from longstop_origin.model import invent_match
from longstop_origin.script import MatchScript
from longstop_origin.storm.database import Server
from longstop_origin.storm.disk import SYNC, Faults, SimulatedDisk
from longstop_origin.storm.plan import DISK, Plan
from longstop_origin.storm.site import StormSite
from longstop_origin.storm.timeline import EPOCH, Timeline
from longstop_origin.storm.witness import Witness
from longstop_origin.timing import with_times
from longstop_origin.world import World, WorldOptions

SPOOL = Path("spool")
# What is full still has this much room, which the spool leaves to others.
FULL_BYTES = 0


class Scene:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.timeline = Timeline(plan.jumps)
        self.world = World(_world_options(plan))
        self.site = StormSite(self.world, plan)
        self.witness = Witness(self.timeline, self.site.truths, plan.families)
        self.server = Server(self.timeline, plan, self.witness)
        self.disk = SimulatedDisk(Random(f"{plan.seed}:{DISK}:sectors"))
        self.lives = 0
        self._chance = Random(f"{plan.seed}:{DISK}:troubles")
        self._begun: set[int] = set()

    def begin_life(self) -> None:
        self.lives += 1
        self.witness.is_deaf = False
        self.witness.life_began = self.timeline.seconds
        self.disk.faults.trouble = self._trouble

    def end_life(self, *, has_power_failed: bool) -> None:
        self.server.hang_up()
        self.disk.restart(has_power_failed=has_power_failed, faults=Faults(trouble=self._trouble))

    def strike(self) -> None:
        """What befalls the disk by itself, once for each spell."""
        for number, spell in enumerate(self.plan.spells.get(DISK, ())):
            if spell.kind == "flip" and spell.covers(self.timeline.seconds) and number not in self._begun:
                self._begun.add(number)
                self._flip()
        full = self.plan.spell(DISK, self.timeline.seconds, ("full",))
        self.disk.faults.capacity = None if full is None else FULL_BYTES

    def _trouble(self, kind: str) -> int | None:
        """The error with which the next operation of the disk fails. One that fails once is a sync most of the time."""
        for number, spell in enumerate(self.plan.spells.get(DISK, ())):
            if not spell.covers(self.timeline.seconds):
                continue
            if spell.kind == "fails":
                return errno.EIO
            is_meant = kind == SYNC or number % 3 == 0
            if spell.kind == "fails once" and is_meant and number not in self._begun:
                self._begun.add(number)
                return errno.EIO
        return None

    def _flip(self) -> None:
        files = [path for path in self.disk.files() if path.suffix == ".segment"] or self.disk.files()
        if files:
            path = self._chance.choice(files)
            self.disk.flip_bit(path, self._chance.randrange(self.disk.size(path)), self._chance.randrange(8))
            self.witness.has_lost_records = True


def _world_options(plan: Plan) -> WorldOptions:
    setting = plan.setting
    return WorldOptions(
        epoch=EPOCH.timestamp(),
        seed=plan.seed,
        speed=setting.speed,
        matches=setting.matches,
        scripts=[_script(plan.seed, number, name) for number, name in enumerate(setting.formats)],
        stagger_seconds=30.0,
        corrections=setting.corrections,
    )


def _script(seed: int, number: int, format_name: str) -> MatchScript:
    """A match of a kind that the slots of the world would not have had."""
    league = League(8, seed + 1000)
    pairing = league.pairing(number)
    script = invent_match(pairing, format_name, Random(f"{seed}:{number}:storm"))
    script = MatchScript(**{name: getattr(script, name) for name in script.__struct_fields__} | {"key": f"ST{number}"})
    return with_times(script, seed)
