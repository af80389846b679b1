"""Runs what is due, the most urgent first, as many at once as the whole house and each source allow.

Each turn is a task of its own with a deadline, held by a strong reference. However it fails (it raises, it hangs, it
is cancelled by nobody we know), only its own match hears of it. A turn that does not even end when it is cancelled is
let go of: it is counted, its place is given to the next, and its match goes on with a fresh scraper.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.match import MatchPriority
from longstop.supervise.agenda import Agenda
from longstop.supervise.service import Stop

# Turns that become due within so short a time are started together: waking up costs more than being early.
TICK_SECONDS = 0.005
# What was cancelled and still runs after this time hangs.
UNWIND_SECONDS = 5.0


class Turn(Protocol):
    """Whoever is on the agenda. Moments are of the monotonic clock; None means that nothing more is to be done."""

    key: str
    source: str

    @property
    def priority(self) -> MatchPriority: ...

    async def take(self) -> float | None:
        """One attempt; when the next one is due."""
        ...

    def fail(self, failure: BaseException) -> float | None:
        """The attempt ended in a way that is no outcome: a fault of ours, a lost task, a hang."""
        ...


class SchedulerLimits(msgspec.Struct, frozen=True):
    """`turn_seconds` bounds one attempt; S2's total for a scrape."""

    concurrency: int = 256
    turn_seconds: float = 45.0


class TurnOverdueError(Exception):
    """The deadline of a turn passed, and whatever it waited for did not see it."""


class Progress(msgspec.Struct, frozen=True):
    """What a watchdog needs to tell a busy scheduler from one that only lives."""

    begun: int
    finished: int
    running: int
    hanging: int
    waiting: dict[MatchPriority, int]
    oldest_wait_seconds: float


class Running:
    """A turn under way."""

    __slots__ = ("began_at", "is_over", "task", "turn")

    def __init__(self, turn: Turn, task: "asyncio.Task[float | None]", began_at: float) -> None:
        self.turn = turn
        self.task = task
        self.began_at = began_at
        self.is_over = False


class Unwinding:
    """Says when a turn that was cancelled at its deadline has still not ended. One time begins when the other is over:
    a process that stood still would find both of them over at once, and the turn would have had no time to end."""

    def __init__(self, turn_seconds: float, let_go: Callable[[], None]) -> None:
        self._let_go = let_go
        self._timer = asyncio.get_running_loop().call_later(turn_seconds, self._wait_on)

    def _wait_on(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(UNWIND_SECONDS, self._let_go)

    def cancel(self) -> None:
        self._timer.cancel()


class Scheduler:
    name = "scheduler"

    def __init__(self, clock: Clock, limits: SchedulerLimits = SchedulerLimits()) -> None:
        self.limits = limits
        self._clock = clock
        self._agenda = Agenda()
        self._turns: dict[str, Turn] = {}
        self._places: dict[str, int] = {}
        self._running: dict[str, Running] = {}
        self._hanging: set[asyncio.Task[float | None]] = set()
        self._busy: Counter[str] = Counter()
        self._news = clock.bell()
        self.late: tuple[str, ...] = ()
        self._begun = 0
        self._finished = 0

    def set_places(self, source: str, places: int) -> None:
        """How many turns of this source may be under way at once."""
        self._places[source] = places

    def add(self, turn: Turn, due: float) -> None:
        self._turns[turn.key] = turn
        self._schedule(turn, due)

    def hasten(self, key: str, due: float) -> None:
        """Comes sooner than it would have; a turn under way is left to end."""
        turn = self._turns.get(key)
        if turn is not None and key not in self._running:
            self._schedule(turn, due)

    def has(self, key: str) -> bool:
        """Whether it will be heard of again: its turn is under way, or to come."""
        return key in self._running or key in self._agenda

    def remove(self, key: str) -> None:
        """A turn under way may end; nothing follows it."""
        self._turns.pop(key, None)
        self._agenda.drop(key)

    def cancel(self, key: str) -> bool:
        """Ends the turn under way at once; whoever asks says what follows. False when there is none."""
        running = self._running.get(key)
        if running is None:
            return False
        running.task.cancel()
        self._clock_out(running)
        return True

    async def finish(self, keys: Collection[str], seconds: float) -> None:
        """Nothing follows for these. Turns under way come to their end; what is not over in time is cancelled."""
        for key in keys:
            self.remove(key)
        tasks = [self._running[key].task for key in keys if key in self._running]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        for key in keys:
            self.cancel(key)

    def progress(self) -> Progress:
        now = self._clock.monotonic()
        return Progress(
            begun=self._begun,
            finished=self._finished,
            running=len(self._running),
            hanging=len(self._hanging),
            waiting=self._agenda.waiting(now),
            oldest_wait_seconds=self._agenda.oldest_wait_seconds(now),
        )

    async def run(self, stop: Stop) -> None:
        stop.on_asked(self._news.ring)
        try:
            while not stop.is_wanted:
                self._news.mute()
                now = self._clock.monotonic()
                self._start_due(now)
                # Until somebody is due, or there is news: a turn ended, one was added, we are to stop.
                await self._news.wait(self._seconds_to_next(now))
            await self._finish()
        finally:
            await self._cancel_all()

    def _seconds_to_next(self, now: float) -> float | None:
        due = self._agenda.next_due()
        return None if due is None else max(TICK_SECONDS, due - now)

    def _start_due(self, now: float) -> None:
        while len(self._running) < self.limits.concurrency:
            entry = self._agenda.take(now + TICK_SECONDS, self._has_place)
            if entry is None:
                return
            self._begin(self._turns[entry.key])

    def _has_place(self, source: str) -> bool:
        return self._busy[source] < self._places.get(source, self.limits.concurrency)

    def _schedule(self, turn: Turn, due: float) -> None:
        self._agenda.put(turn.key, turn.source, turn.priority, due)
        self._news.ring()

    def _begin(self, turn: Turn) -> None:
        self._begun += 1
        self._busy[turn.source] += 1
        task = asyncio.create_task(self._carry_through(turn), name=f"scraper {turn.key}")
        running = self._running[turn.key] = Running(turn, task, self._clock.monotonic())
        task.add_done_callback(lambda _: self._ended(running))

    async def _carry_through(self, turn: Turn) -> float | None:
        watch = Unwinding(self.limits.turn_seconds, partial(self._let_go, turn.key, asyncio.current_task()))
        try:
            async with self._clock.timeout(self.limits.turn_seconds):
                return await turn.take()
        except TimeoutError as error:
            raise TurnOverdueError(f"no end after {self.limits.turn_seconds:g} s") from error
        finally:
            watch.cancel()

    def _ended(self, running: Running) -> None:
        self._finished += 1
        self._hanging.discard(running.task)
        self._news.ring()
        failure = _failure_of(running.task)
        if running.is_over:
            return  # somebody else has said already how its match goes on
        self._clock_out(running)
        if failure is None:
            self._go_on(running.turn, running.task.result())
        else:
            self._fail(running.turn, failure)

    def _let_go(self, key: str, task: "asyncio.Task[float | None] | None") -> None:
        """It was cancelled and does not end. Its place and its match go on without it."""
        running = self._running.get(key)
        if running is not None and running.task is task:
            self._hanging.add(running.task)
            self._clock_out(running)
            self._fail(running.turn, TurnOverdueError("does not end even when it is cancelled"))

    def _fail(self, turn: Turn, failure: BaseException) -> None:
        if self._turns.get(turn.key) is turn:
            self._go_on(turn, turn.fail(failure))

    def _go_on(self, turn: Turn, due: float | None) -> None:
        if self._turns.get(turn.key) is not turn:
            return
        if due is None:
            self.remove(turn.key)
        else:
            self._schedule(turn, due)

    def _clock_out(self, running: Running) -> None:
        running.is_over = True
        self._busy[running.turn.source] -= 1
        if self._running.get(running.turn.key) is running:
            del self._running[running.turn.key]

    async def _finish(self) -> None:
        """Turns under way come to their end; whoever stops us cancels what takes too long."""
        tasks = [running.task for running in self._running.values()]
        if tasks:
            await asyncio.wait(tasks)

    async def _cancel_all(self) -> None:
        # Who has ended may still be on the list: that he has is told to him who waited for it and to us in any order.
        running = tuple(each for each in self._running.values() if not each.task.done())
        self.late = tuple(each.task.get_name() for each in running)
        for each in running:
            each.task.cancel()
        if running:
            await asyncio.wait([each.task for each in running], timeout=UNWIND_SECONDS)


def _failure_of(task: "asyncio.Task[float | None]") -> BaseException | None:
    """Cancelled by nobody we know is a failure like another: the task was lost."""
    return asyncio.CancelledError("the task was lost") if task.cancelled() else task.exception()
