"""Watches one match through one life: an attempt, what it was worth, when to come again.

It decides and remembers; when its time has come is the scheduler's business, and what becomes of the match when this
life ends is the assignment's.
"""

import random
import zlib
from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from longstop.clock import Clock
from longstop.domain.cricket import PlayState
from longstop.domain.errors import LongstopError, PayloadError
from longstop.domain.lifecycle import TaskState
from longstop.domain.match import MatchPriority, MatchRef
from longstop.domain.observation import Observation
from longstop.domain.scraper_state import ScraperState, Tally
from longstop.domain.task import ScrapeTask
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.pipeline import Outcome, OutcomeKind, Pipeline
from longstop.resilience.failures import Failures, Fault, Rest
from longstop.resilience.pace import Pace, Standing, choose, first_delay, latest_beat
from longstop.resilience.rhythm import Rhythm, after_failure, after_success
from longstop.supervise.options import EngineOptions, Options
from longstop.supervise.turns import Turns
from longstop.watch import Watch

# A page that is away for a moment is no end of a match: it must stay away this long, and much longer when the source's
# own list goes on to say that they play.
GONE_SECONDS = 600.0
GONE_THOUGH_LISTED_SECONDS = 3 * GONE_SECONDS
# Until then the beat is kept for a while, and slowed after that.
MISSED_SECONDS = 30.0
# A poll that takes so many beats was held up by more than a slow source.
HELD_UP_BEATS = 3

_IN_PLAY = {PlayState.PLAY: True, PlayState.UNKNOWN: None}


class Absence(msgspec.Struct, frozen=True):
    """The source denies the match, since this moment; whether its list goes on to show it, None where that is not
    known."""

    since: float
    is_listed: bool | None = None


class Move(Enum):
    """What becomes of the match after an attempt."""

    GO_ON = "go_on"
    REST = "rest"
    END = "end"


class Decision(msgspec.Struct, frozen=True):
    move: Move
    due: float
    is_success: bool = False
    reason: str = ""
    rest: Rest | None = None


async def lists_nobody(_: MatchRef) -> bool | None:
    """Where there is no list to ask, a page that is gone is believed."""
    return False


class ScraperParts(msgspec.Struct, frozen=True):
    """What the scrapers of one source share. `is_source_answering` tells a fault of a match from one of its source;
    `lists_as_live` is what the source's list says of a match that its page denies, None when it says nothing."""

    pipeline: Pipeline
    options: Options
    clock: Clock
    bus: Signals
    chance: random.Random
    is_source_answering: Callable[[], Awaitable[bool]]
    lists_as_live: Callable[[MatchRef], Awaitable[bool | None]] = lists_nobody
    turns: Turns = msgspec.field(default_factory=Turns)


class Scraper:
    def __init__(self, watch: Watch, parts: ScraperParts) -> None:
        self.watch = watch
        self.pace = Pace(parts.options().pace.baseline_seconds, "play")
        self.rhythm = Rhythm()
        self.failures = Failures()
        self.started_at = parts.clock.monotonic()
        self.throttled_until = 0.0
        self.due = self.started_at
        self._parts = parts
        self._began = self.started_at
        self._task = self._new_task()
        self.last_error: LongstopError | None = None
        self.absence: Absence | None = None
        self._is_told = False

    @property
    def options(self) -> EngineOptions:
        return self._parts.options()

    @property
    def priority(self) -> MatchPriority:
        return self.watch.priority

    def first_due(self) -> float:
        """Spread over one beat, so that many matches do not poll in step."""
        spread = first_delay(zlib.crc32(self.watch.ref.match_id.encode()), self.options.pace.baseline_seconds)
        self.due = self._now() + spread
        return self.due

    async def attempt(self) -> Decision:
        self._tell_started()
        self._began = self._now()
        self.due = latest_beat(self.due, self.pace.seconds, self._began)
        self._task = self._task.after("taken")
        return await self._judge(await self._parts.pipeline.poll(self.watch))

    def fail(self, failure: BaseException, *, is_hang: bool) -> Rest | None:
        """The attempt had no outcome: it hung, was lost, or stumbled over a fault of ours. That is a failure like any
        other, whoever goes on from here; for a fault of ours there is one restart more."""
        limits = self.options.pause
        self.failures = self.failures.plus(Fault.UNREACHED, self._now(), limits)
        rest = self.failures.rest(limits, spare=0 if is_hang else 1)
        if self._task.state is TaskState.EXECUTING:
            self._task = self._task.after("failed")
            if rest is None and self.options.retry.may_retry(self._task.attempt):
                self._task = self._task.after("retried")
            else:
                self._abandon(getattr(failure, "kind", "internal"), f"{type(failure).__name__}: {failure}")
        if self._task.state is not TaskState.PENDING:
            self._task = self._new_task()
        return rest

    def stop(self, reason: str) -> None:
        """This life is over."""
        self._emit(signals.ScraperStopped, scraper_id=self.watch.scraper_id, reason=reason)

    # What an attempt was worth.

    async def _judge(self, outcome: Outcome) -> Decision:
        now = self._now()
        self.last_error = outcome.error
        await self._note_gone(outcome, now)
        if self._has_gone_for_good():
            await self._parts.pipeline.conclude(self.watch)
            return Decision(Move.END, now, reason="gone")
        if outcome.is_success:
            return self._after_success(outcome, now)
        rest = await self._count(outcome, now)
        return self._after_failure(outcome, now, rest)

    def _after_success(self, outcome: Outcome, now: float) -> Decision:
        calm = self.options.pace.calm_seconds
        self.rhythm = after_success(self.rhythm, is_changed=outcome.is_changed, now=now, calm_seconds=calm)
        self.failures = Failures()
        self.throttled_until = 0.0
        self._task = self._task.after("succeeded")
        return self._come_again(outcome, now, is_success=True)

    async def _count(self, outcome: Outcome, now: float) -> Rest | None:
        """Only what failed by itself speaks against the match: a pause that the source asked for does not, nor does
        a payload that was not believed, nor a database that is away."""
        if outcome.kind is not OutcomeKind.FAILED:
            return None
        limits = self.options.pause
        fault = Fault.UNREADABLE if isinstance(outcome.error, PayloadError) else Fault.UNREACHED
        self.rhythm = after_failure(self.rhythm, now)
        self.failures = self.failures.plus(fault, now, limits)
        rest = self.failures.rest(limits)
        if rest is not None and rest.fault is Fault.UNREACHED and self.watch.is_finished:
            return None  # it is asked rarely enough, and what is completed is not paused
        if rest is None or rest.fault is Fault.UNREADABLE or await self._parts.is_source_answering():
            return rest
        self.failures = self.failures.without(Fault.UNREACHED)
        return None

    def _after_failure(self, outcome: Outcome, now: float, rest: Rest | None) -> Decision:
        self.throttled_until = now + outcome.retry_after_seconds if outcome.retry_after_seconds else 0.0
        self._task = self._task.after("failed")
        if rest is not None:
            self._abandon_after(outcome.error)
            return Decision(Move.REST, now + rest.seconds, reason=rest.reason, rest=rest)
        if self.options.retry.may_retry(self._task.attempt):
            self._task = self._task.after("retried")
            return self._come_again(outcome, now, is_success=False)
        self._abandon_after(outcome.error)
        return self._come_again(outcome, now, is_success=False)

    def _abandon_after(self, error: LongstopError | None) -> None:
        self._abandon(error.kind if error else "", error.message if error else "")

    def _abandon(self, error_type: str, error_message: str) -> None:
        self._task = self._task.after("exhausted")
        self._emit(
            signals.TaskAbandoned,
            scraper_id=self.watch.scraper_id,
            attempts=self._task.attempt,
            error_type=error_type,
            error_message=error_message,
        )

    # When to come again.

    def _come_again(self, outcome: Outcome, now: float, *, is_success: bool) -> Decision:
        pace = self._pace_after(outcome)
        self._tell_pace(pace)
        self.due = self._next_due(pace, now, is_success=is_success)
        if self._task.is_done:
            self._task = self._new_task()
        return Decision(Move.GO_ON, self.due, is_success=is_success, reason=pace.reason)

    def _pace_after(self, outcome: Outcome) -> Pace:
        watch = self.watch
        observation = watch.accepted
        return choose(
            Standing(
                is_finished=watch.is_finished,
                is_upcoming=watch.is_upcoming,
                is_gone=self._gone_seconds() > (0.0 if watch.is_over else MISSED_SECONDS),
                throttled_seconds=outcome.retry_after_seconds,
                is_in_play=_IN_PLAY.get(observation.play, False) if observation else None,
                is_important=watch.is_important(self.options.important),
                rhythm=self.rhythm,
                unchanged_seconds=watch.unchanged_seconds(self._parts.clock.now()),
                starts_in_seconds=watch.starts_in_seconds(self._parts.clock.now()),
            ),
            self.options.pace,
        )

    def _next_due(self, pace: Pace, now: float, *, is_success: bool) -> float:
        """Keeps the beat; a poll that took longer than its interval is followed at once, not by a burst. One that was
        held up for many beats, as all others may have been, goes back to its own place in the beat.

        A pause that is longer than the beat counts from now: the source meant it from its answer on. What failed is
        tried again when the retry policy says so, also in a break, and no sooner than many errors allow.
        """
        if not is_success and self._task.attempt > 1 and not self._is_waiting_for_the_source():
            delay = self.options.retry.delay_seconds(self._task.attempt, self._parts.chance)
            return now + max(delay, pace.seconds if self.rhythm.errors else 0.0)
        if pace.seconds > self.options.pace.baseline_seconds:
            return now + pace.seconds
        due = self.due + pace.seconds
        if now - self._began >= HELD_UP_BEATS * pace.seconds:
            return latest_beat(due, pace.seconds, now) + (pace.seconds if due < now else 0.0)
        return max(due, now)

    def _is_waiting_for_the_source(self) -> bool:
        return self.absence is not None or self.throttled_until > 0

    async def _note_gone(self, outcome: Outcome, now: float) -> None:
        if outcome.kind is not OutcomeKind.GONE:
            self.absence = None
            return
        self.absence = self.absence or Absence(now)
        if self._gone_seconds() > MISSED_SECONDS:
            self.absence = Absence(self.absence.since, await self._parts.lists_as_live(self.watch.ref))

    @property
    def is_denied(self) -> bool:
        """The source shows it no more, neither on its page nor in its list: nobody is late with it."""
        return self.absence is not None and self.absence.is_listed is False

    def _has_gone_for_good(self) -> bool:
        """A source that has gone as a whole says nothing about a match that is not over."""
        if self.absence is None:
            return False
        if self.watch.is_over or self.absence.is_listed is False:
            return self._gone_seconds() >= GONE_SECONDS
        return self.absence.is_listed is True and self._gone_seconds() >= GONE_THOUGH_LISTED_SECONDS

    def _gone_seconds(self) -> float:
        return 0.0 if self.absence is None else self._now() - self.absence.since

    # What is handed on and told.

    def snapshot(self, reason: str, paused_until: datetime | None = None) -> ScraperState:
        """What a successor should know (B8)."""
        watch = self.watch
        observation = watch.last_word
        return ScraperState(
            match_id=watch.ref.match_id,
            scraper_id=watch.scraper_id,
            saved_at=self._parts.clock.now(),
            reason=reason,
            sequence=watch.sequence,
            last_place=watch.last_place,
            score=tuple(
                Tally(score.number, score.runs, score.wickets, score.overs)
                for score in (observation.innings if observation else ())
            ),
            players=_active_in(observation) if observation else (),
            rung=watch.rung,
            pace_seconds=self.pace.seconds,
            pace_reason=self.pace.reason,
            errors=self.rhythm.errors,
            unchanged=self.rhythm.unchanged,
            changed_at=watch.changed_at,
            paused_until=paused_until,
        )

    def take_over(self, predecessor: "Scraper") -> None:
        """A planned replacement goes on at the pace that was found."""
        self.rhythm = predecessor.rhythm
        self.pace = predecessor.pace
        self.due = predecessor.due
        self.inherit(predecessor)

    def inherit(self, predecessor: "Scraper") -> None:
        """What is the match's own trouble and not its scraper's: a new life does not begin it anew."""
        self.absence = predecessor.absence

    def take_up(self, predecessor: "Scraper") -> None:
        """After a failure of ours: what failed in a row goes on to count, and the task is the same."""
        self.failures = predecessor.failures
        self._task = predecessor._task  # noqa: SLF001 - one life hands over to the next

    def _new_task(self) -> ScrapeTask:
        return ScrapeTask(
            task_id=_unique(self._parts.chance),
            match_id=self.watch.ref.match_id,
            source=self.watch.ref.source,
            priority=self.watch.priority,
            scheduled_at=self._parts.clock.now(),
        )

    def _now(self) -> float:
        return self._parts.clock.monotonic()

    def _tell_pace(self, pace: Pace) -> None:
        """Each change with its reason; that the beat goes on is no news."""
        if pace != self.pace:
            self._emit(
                signals.PaceChanged,
                before_seconds=self.pace.seconds,
                seconds=pace.seconds,
                reason=pace.reason,
                is_break=pace.is_break,
            )
            self.pace = pace

    def _tell_started(self) -> None:
        if not self._is_told:
            self._is_told = True
            self._emit(
                signals.ScraperStarted,
                scraper_id=self.watch.scraper_id,
                source=self.watch.ref.source,
                url=self.watch.ref.url,
                interval_seconds=self.pace.seconds,
            )

    def _emit(self, kind: Callable[..., signals.Signal], **fields: Any) -> None:
        self._parts.bus.emit(kind(at=self._parts.clock.now(), match_id=self.watch.ref.match_id, **fields))


def _active_in(observation: Observation) -> tuple[str, ...]:
    """Who bats and who bowls."""
    bowling = {observation.bowling.player} if observation.bowling else set()
    return tuple(sorted({figures.player for figures in observation.batting} | bowling))


def _unique(chance: random.Random) -> str:
    """A UUID of version 4, written at once: each poll has one, and nobody takes it apart."""
    bits = chance.getrandbits(128) & ~(0xF000 << 64) & ~(0xC000 << 48) | 4 << 76 | 0x8000 << 48
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
