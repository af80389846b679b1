"""Four ways to the same payload, the cheapest first. A rung that fails is left at once; a probe climbs back.

Each match stands on its own rung, with a breaker for each. A higher rung takes over only when what it brings agrees
with what the lower one brings.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import (
    EgressRefusedError,
    FetchError,
    InputError,
    MatchGoneError,
    PayloadError,
    RobotsRefusedError,
    SentAwayError,
    SourceCrowdedError,
    SourceThrottledError,
    SourceTimeoutError,
)
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.resilience.breaker import Breaker, BreakerPolicy, BreakerState, BreakerView, ConsecutiveRule, Permit

GONE_BEFORE_DOUBT = 3
BY_CHOICE = "an operator chose it"
NEVER = sys.maxsize


# What the site or our own rules say of the source as a whole: no other way to it would hear another word.
OF_THE_SOURCE = (SourceThrottledError, SourceCrowdedError, RobotsRefusedError, EgressRefusedError)


class RungName(Enum):
    REPLAY = "replay"
    IN_PAGE = "in_page"
    INTERCEPT = "intercept"
    DOM = "dom"


class Rung(Protocol):
    """One way to fetch. Whatever it is given to do, it does or it raises a FetchError."""

    name: RungName

    async def fetch(self, request: FetchRequest) -> Snapshot: ...

    async def let_go(self, key: str) -> None:
        """This match needs nothing held open for it any more."""
        ...

    async def close(self) -> None: ...


class LadderOptions(msgspec.Struct, frozen=True):
    """A rung is left at its first failure when another serves; its breaker opens after `threshold` in a row."""

    threshold: int = 5
    open_seconds: float = 60.0
    successes_to_close: int = 5
    probe_seconds: float = 20.0
    descent_seconds: float = 20.0


class Standing:
    """Where one match stands on the ladder, and why."""

    def __init__(self, key: str, rungs: Sequence[Rung], options: LadderOptions) -> None:
        self.key = key
        self.place = 0
        self.reason = "the cheapest way comes first"
        self.probe_due = 0.0
        self.probing: asyncio.Task[None] | None = None
        self.newest: Snapshot | None = None
        self.gone = 0
        # The rung that an operator chose; asked before all others.
        self.chosen: int | None = None
        policy = BreakerPolicy(options.open_seconds, probes=1, successes_to_close=options.successes_to_close)
        # The lowest rung is never shut: below it there is none that would serve meanwhile.
        self.breakers = [
            Breaker(
                f"{key} {rung.name.value}",
                ConsecutiveRule(NEVER if rung is rungs[-1] else options.threshold),
                policy,
            )
            for rung in rungs
        ]


class Ladder:
    """A fetcher for the live states of one source's matches; calls of other kinds go to `side`."""

    def __init__(
        self,
        source: str,
        rungs: Sequence[Rung],
        agree: Callable[[FetchRequest, Snapshot, Snapshot], bool],
        clock: Clock,
        bus: Signals,
        options: LadderOptions = LadderOptions(),
    ) -> None:
        self._source = source
        self._rungs = list(rungs)
        self._agree = agree
        self._clock = clock
        self._bus = bus
        self._options = options
        self._standings: dict[str, Standing] = {}

    async def fetch(self, request: FetchRequest) -> Snapshot:
        """Within one deadline for the whole way: a match must not wait for every rung in turn."""
        try:
            async with self._clock.timeout(self._options.descent_seconds):
                return await self._descend(self._standing(request.key), request)
        except TimeoutError as error:
            raise SourceTimeoutError(f"No rung answered within {self._options.descent_seconds:g} s.") from error

    async def _descend(self, standing: Standing, request: FetchRequest) -> Snapshot:
        """Down from where the match stands, then the rungs above it; the last failure when none answers."""
        failure: FetchError | None = None
        for place in self._order(standing):
            permit = standing.breakers[place].admit(self._clock.monotonic())
            if permit is None:
                continue
            try:
                snapshot: Snapshot = await self._rungs[place].fetch(request)
            except FetchError as error:
                failure = self._failed(standing, place, permit, error, failure)
            else:
                permit.succeed(self._clock.monotonic())
                self._served(standing, place, snapshot, failure)
                self._probe_when_due(standing, request)
                return snapshot
            finally:
                # After a verdict this does nothing; without one the permit must not be lost.
                permit.give_back()
        raise failure or self._all_open(standing)

    def _failed(
        self, standing: Standing, place: int, permit: Permit, error: FetchError, before: FetchError | None
    ) -> FetchError:
        """What the poll fails with when no rung below does better. Raises when none of them needs to be asked."""
        if isinstance(error, OF_THE_SOURCE) and not isinstance(error, SentAwayError):
            raise error
        if isinstance(error, MatchGoneError):
            self._doubt(standing, place, permit, error)
            return error
        self._count_failure(standing, place, permit, error.message)
        return before if isinstance(before, MatchGoneError) else error

    def _order(self, standing: Standing) -> list[int]:
        usual = [*range(standing.place, len(self._rungs)), *range(standing.place)]
        return sorted(usual, key=lambda place: place != standing.chosen)

    def choose(self, key: str, rung: str) -> None:
        """This rung comes first until the match is let go; the others serve while it fails. Empty: no rung does."""
        names = [each.name.value for each in self._rungs]
        if rung and rung not in names:
            raise InputError(f"{rung} is no way here; there are {', '.join(names)}.", hint="See scraper.fetch.rungs.")
        standing = self._standing(key)
        standing.chosen = names.index(rung) if rung else None
        standing.probe_due = self._clock.monotonic()
        if standing.place == standing.chosen:
            standing.reason = BY_CHOICE

    def where(self, key: str) -> tuple[str, str]:
        """The rung a match stands on, and why."""
        standing = self._standings.get(key)
        if standing is None or not self._rungs:
            return ("", "")
        return (self._rungs[standing.place].name.value, standing.reason)

    def not_closed(self, key: str) -> tuple[str, ...]:
        """The rungs of a match that are shut, or only tried, each with the state of its breaker."""
        standing = self._standings.get(key)
        return tuple(
            f"{rung.name.value} {breaker.state.value.lower().replace('_', '-')}"
            for rung, breaker in zip(self._rungs, standing.breakers if standing else (), strict=False)
            if breaker.state is not BreakerState.CLOSED
        )

    def all_breakers(self) -> Iterator[BreakerView]:
        return (breaker.view() for standing in tuple(self._standings.values()) for breaker in standing.breakers)

    def distrust(self, key: str, error: PayloadError) -> None:
        """What the rung brought could not be read: that counts as its failure, and nothing is held against it."""
        standing = self._standings.get(key)
        if standing is None:
            return
        standing.newest = None
        if standing.place == standing.chosen:
            standing.chosen = None  # nobody can have meant that a match is not read at all
        if standing.place + 1 < len(self._rungs):
            self._move(standing, standing.place + 1, error.message)

    def shut(self, key: str, reason: str) -> None:
        """Every rung of this match, at once: what they bring cannot be used. It is let go before it is asked again."""
        standing = self._standings.get(key)
        for place, breaker in enumerate(standing.breakers if standing else ()):
            if breaker.state is not BreakerState.OPEN:
                breaker.open_now(self._clock.monotonic())
                self._tell_opened(key, place, reason)

    async def let_go(self, key: str) -> None:
        standing = self._standings.pop(key, None)
        if standing is not None and standing.probing is not None:
            standing.probing.cancel()
            await asyncio.gather(standing.probing, return_exceptions=True)
        for rung in self._rungs:
            await rung.let_go(key)

    async def close(self) -> None:
        for key in tuple(self._standings):
            await self.let_go(key)
        for rung in self._rungs:
            await rung.close()

    def _doubt(self, standing: Standing, place: int, permit: Permit, error: MatchGoneError) -> None:
        """That a match is gone is believed at first; said again and again, it may be the call that is gone, and the
        page may still show the match. Raises as long as the site is believed."""
        standing.gone += 1
        if standing.gone < GONE_BEFORE_DOUBT or place == len(self._rungs) - 1:
            raise error
        self._count_failure(standing, place, permit, error.message)

    def _count_failure(self, standing: Standing, place: int, permit: Permit, reason: str) -> None:
        breaker = standing.breakers[place]
        was_open = breaker.state is BreakerState.OPEN
        permit.fail(self._clock.monotonic())
        if breaker.state is BreakerState.OPEN and not was_open:
            self._tell_opened(standing.key, place, reason)

    def _tell_opened(self, key: str, place: int, reason: str) -> None:
        self._bus.emit(
            signals.BreakerOpened(
                at=self._clock.now(),
                match_id=f"{self._source}_{key}",
                rung=self._rungs[place].name.value,
                open_seconds=self._options.open_seconds,
                reason=reason,
            )
        )

    def _standing(self, key: str) -> Standing:
        standing = self._standings.get(key)
        if standing is None:
            standing = self._standings[key] = Standing(key, self._rungs, self._options)
        return standing

    def _served(self, standing: Standing, place: int, snapshot: Snapshot, failure: FetchError | None) -> None:
        standing.gone = 0
        standing.newest = snapshot
        self._stand(standing, place, failure)

    def _stand(self, standing: Standing, place: int, failure: FetchError | None) -> None:
        if place != standing.place:
            usual = BY_CHOICE if place == standing.chosen else "the rungs above are shut"
            self._move(standing, place, failure.message if failure else usual)

    def _move(self, standing: Standing, place: int, reason: str) -> None:
        before, standing.place, standing.reason = standing.place, place, reason
        standing.probe_due = self._clock.monotonic() + self._options.probe_seconds
        self._bus.emit(
            signals.RungChanged(
                at=self._clock.now(),
                match_id=f"{self._source}_{standing.key}",
                before=self._rungs[before].name.value,
                after=self._rungs[place].name.value,
                reason=reason,
            )
        )

    def _all_open(self, standing: Standing) -> FetchError:
        now = self._clock.monotonic()
        wait = min((breaker.retry_in_seconds(now) for breaker in standing.breakers), default=0.0)
        return FetchError(f"Every way to the source is shut; the next try is in {wait:.0f} s.")

    # Climbing back.

    def _probe_when_due(self, standing: Standing, request: FetchRequest) -> None:
        """At most one probe a match at a time, beside the polls, never in their way."""
        now = self._clock.monotonic()
        is_busy = standing.probing is not None and not standing.probing.done()
        if standing.place == 0 or standing.chosen is not None or now < standing.probe_due or is_busy:
            return
        standing.probe_due = now + self._options.probe_seconds
        standing.probing = asyncio.create_task(self._probe(standing, request), name=f"probe {standing.key}")

    async def _probe(self, standing: Standing, request: FetchRequest) -> None:
        """The cheapest rung that its breaker lets through, held against what the current one brought last."""
        for place in range(standing.place):
            breaker = standing.breakers[place]
            permit = breaker.admit(self._clock.monotonic())
            if permit is None:
                continue
            try:
                found = await self._rungs[place].fetch(request)
                self._judge_probe(standing, place, request, found, permit)
            except FetchError as error:
                self._count_failure(standing, place, permit, error.message)
                continue
            finally:
                permit.give_back()
            return

    def _judge_probe(
        self, standing: Standing, place: int, request: FetchRequest, found: Snapshot, permit: Permit
    ) -> None:
        """Where nothing that serves can be read, what can be read is better: it agrees with itself."""
        now = self._clock.monotonic()
        if not self._agree(request, found, standing.newest or found):
            self._count_failure(standing, place, permit, "a probe does not agree with the rung that serves")
            return
        permit.succeed(now)
        if place < standing.place:
            self._move(standing, place, "a probe succeeded and agrees")
