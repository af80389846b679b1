"""The book of what was done to get well again: written when it is done, judged by the state that is seen after it."""

import random
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.recovery import RecoveryAction, RecoveryAuditEntry, RecoveryOutcome
from longstop.observe import signals
from longstop.observe.signals import Signals, troubles
from longstop.resilience.recovering import Condition, judge
from longstop.supervise.service import Stop
from longstop.supervise.watchdogs.beats import Beats
from longstop.supervise.watchdogs.limits import Limits
from longstop.supervise.watchdogs.patient import Figures

KEPT_AT_HAND = 100
WAITING_MAX = 500
TURN_SECONDS = 5.0
KEEP_DEADLINE_SECONDS = 5.0
INSTANCE = "instance"


class Look(msgspec.Struct, frozen=True):
    """How the subject is now, and the figures that say so."""

    condition: Condition
    figures: Figures = {}


class AuditKeeper(Protocol):
    """A lasting place for entries. One is kept twice: when it begins, and again with its outcome."""

    name: str

    async def keep(self, entries: Sequence[RecoveryAuditEntry]) -> None: ...


@dataclass(frozen=True)
class AuditKeeping:
    """Where entries last, how many are at hand, and where their numbers come from."""

    keepers: Sequence[AuditKeeper] = ()
    at_hand: int = KEPT_AT_HAND
    chance: random.Random = field(default_factory=random.Random)


class _Open:
    """A recovery that is not judged yet."""

    __slots__ = ("began", "entry", "look", "well_since")

    def __init__(self, entry: RecoveryAuditEntry, began: float, look: Callable[[datetime], Look]) -> None:
        self.entry = entry
        self.began = began
        self.look = look
        self.well_since: float | None = None


class Recoveries:
    """Writing is another service's turn: no recovery waits for a disk or a database."""

    name = "recovery audit"

    def __init__(
        self,
        clock: Clock,
        bus: Signals,
        limits: Limits,
        beats: Beats,
        keeping: AuditKeeping | None = None,
    ) -> None:
        keeping = keeping or AuditKeeping()
        self._clock = clock
        self._bus = bus
        self._limits = limits
        self._beats = beats
        self._chance = keeping.chance
        self._open: dict[str, _Open] = {}
        self._recent: dict[str, RecoveryAuditEntry] = {}
        self._kept_at_hand = keeping.at_hand
        self._waiting = [(keeper, deque[RecoveryAuditEntry](maxlen=WAITING_MAX)) for keeper in keeping.keepers]

    @property
    def entries(self) -> tuple[RecoveryAuditEntry, ...]:
        """The last hundred, the newest first."""
        return tuple(reversed(self._recent.values()))

    def begin(
        self, action: RecoveryAction, trigger: str, subject: str, before: Figures, look: Callable[[datetime], Look]
    ) -> str:
        """`look` tells how the subject is, and is told when the recovery began."""
        entry = RecoveryAuditEntry(
            entry_id=str(uuid.UUID(int=self._chance.getrandbits(128), version=4)),
            at=self._clock.now(),
            action=action,
            trigger=trigger,
            subject=subject,
            metadata={f"{name}_before": value for name, value in before.items()},
        )
        self._open[entry.entry_id] = _Open(entry, self._clock.monotonic(), look)
        self._write(entry)
        self._bus.emit(
            troubles.RecoveryBegun(
                at=entry.at, entry_id=entry.entry_id, action=action.value, subject=subject, trigger=trigger
            )
        )
        return entry.entry_id

    def acted(self, entry_id: str, duration_seconds: float, figures: Figures) -> None:
        """The action itself is over; what came of it is not known yet."""
        case = self._open.get(entry_id)
        if case is not None:
            metadata = case.entry.metadata | figures
            case.entry = msgspec.structs.replace(case.entry, duration_seconds=duration_seconds, metadata=metadata)
            self._write(case.entry)

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(TURN_SECONDS):
            self._beats.promise(self.name, TURN_SECONDS + KEEP_DEADLINE_SECONDS * (1 + len(self._waiting)))
            self.judge_all()
            await self.keep_all()
        self._beats.leave(self.name)
        await self.keep_all()

    def judge_all(self) -> None:
        for case in list(self._open.values()):
            self._judge(case)

    def _judge(self, case: _Open) -> None:
        now = self._clock.monotonic()
        look = case.look(case.entry.at)
        if look.condition is not Condition.WELL:
            case.well_since = None
        elif case.well_since is None:
            case.well_since = now
        well_seconds = 0.0 if case.well_since is None else now - case.well_since
        outcome = judge(now - case.began, look.condition, well_seconds, self._limits().judging)
        if outcome is not None:
            self._close(case, outcome, look.figures, now - case.began)

    def _close(self, case: _Open, outcome: RecoveryOutcome, after: Figures, seconds: float) -> None:
        del self._open[case.entry.entry_id]
        entry = msgspec.structs.replace(
            case.entry,
            outcome=outcome,
            judged_at=self._clock.now(),
            metadata=case.entry.metadata | {f"{name}_after": value for name, value in after.items()},
        )
        self._write(entry)
        self._bus.emit(
            troubles.RecoveryJudged(
                at=self._clock.now(),
                entry_id=entry.entry_id,
                action=entry.action.value,
                subject=entry.subject,
                outcome=outcome.value,
                duration_seconds=seconds,
            )
        )

    def _write(self, entry: RecoveryAuditEntry) -> None:
        self._recent[entry.entry_id] = entry
        while len(self._recent) > self._kept_at_hand:
            self._recent.pop(next(iter(self._recent)))
        for _, waiting in self._waiting:
            waiting.append(entry)

    async def keep_all(self) -> None:
        for keeper, waiting in self._waiting:
            if waiting:
                await self._keep(keeper, waiting)

    async def _keep(self, keeper: AuditKeeper, waiting: deque[RecoveryAuditEntry]) -> None:
        """What could not be kept waits for the next turn; the oldest go when too many wait."""
        taken = tuple(waiting)
        try:
            async with self._clock.timeout(KEEP_DEADLINE_SECONDS):
                await keeper.keep(taken)
        except Exception as error:
            self._tell(keeper, error)
            return
        kept = {id(entry) for entry in taken}
        left = [entry for entry in waiting if id(entry) not in kept]
        waiting.clear()
        waiting.extend(left)

    def _tell(self, keeper: AuditKeeper, error: Exception) -> None:
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=getattr(error, "kind", "internal"),
                error_message=f"{type(error).__name__}: {error}",
                hint="Recoveries go on; their entries wait in memory until they can be kept.",
                operation=f"{self.name}: {keeper.name}",
            )
        )
