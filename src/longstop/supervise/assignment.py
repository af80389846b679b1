"""One match, whoever scrapes it: its scraper, the successor that is tried out, its rests, its restarts.

A planned replacement is make before break: the successor polls in its predecessor's place, and only when it has
delivered something as new does the predecessor leave. After a rest, or a failure of ours, everything begins afresh.
"""

from datetime import timedelta
from typing import Protocol

import msgspec

from longstop.domain.errors import LongstopError
from longstop.domain.match import MatchPriority
from longstop.domain.scraper_state import ScraperState
from longstop.observe import signals
from longstop.resilience.failures import Fault
from longstop.supervise.budget import Restarts
from longstop.supervise.failing import tell_failure
from longstop.supervise.scheduler import TurnOverdueError
from longstop.supervise.scraper import Decision, Move, Scraper, ScraperParts
from longstop.watch import Watch

# Tries of a successor before the predecessor is left in its place.
SUCCESSOR_ATTEMPTS = 3
# A match that restarts cannot help rests as long as a paused one.
REST_AFTER_FAILURE = "restarts did not help"


class Household(Protocol):
    """Where assignments belong: makes their scrapers, and hears of their end."""

    def scraper(self, watch: Watch, prior: ScraperState | None) -> Scraper:
        """A new life for the same match."""
        ...

    def ended(self, match_id: str) -> None: ...

    async def reload(self) -> None:
        """The configuration is read again before a match that rested begins afresh."""
        ...


class Candidate(msgspec.Struct):
    """A successor that has not delivered yet."""

    scraper: Scraper
    reason: str
    attempts: int = 0


class Assignment:
    def __init__(self, scraper: Scraper, parts: ScraperParts, household: Household) -> None:
        self.scraper = scraper
        self.key = scraper.watch.ref.match_id
        self.source = scraper.watch.ref.source
        self._parts = parts
        self._household = household
        self._candidate: Candidate | None = None
        self._restarts = Restarts()
        self._rests_until: float | None = None
        self._unfit: str | None = None

    @property
    def watch(self) -> Watch:
        return self.scraper.watch

    @property
    def priority(self) -> MatchPriority:
        return self.scraper.priority

    @property
    def rests_until(self) -> float | None:
        """None while the match is polled."""
        return self._rests_until

    @property
    def is_replacing(self) -> bool:
        return self._candidate is not None

    def snapshot(self, reason: str) -> ScraperState:
        until = self._rests_until
        left = None if until is None else timedelta(seconds=max(0.0, until - self._now()))
        return self.scraper.snapshot(reason, None if left is None else self._parts.clock.now() + left)

    # Turns.

    async def take(self) -> float | None:
        async with self._parts.turns.of(self.key):
            return await self._take()

    async def _take(self) -> float | None:
        if self._unfit is not None:
            return await self._rest_unfit(self._unfit)
        if self._rests_until is not None:
            await self._begin_afresh()
        if self._candidate is not None:
            return await self._try_out(self._candidate)
        return await self._follow(await self.scraper.attempt())

    def fail(self, failure: BaseException) -> float | None:
        """A fault of ours, a lost task, a hang: the same match with a new scraper, as long as that helps. It does not
        when the budget is spent, nor when as many failed in a row as pause a match."""
        tell_failure(self._parts, f"scraper {self.key}", failure, self.watch)
        budget = self._parts.options().scraper_budget
        rest = self.scraper.fail(failure, is_hang=isinstance(failure, TurnOverdueError))
        self._candidate = None
        if self._restarts.spend(budget, self._now()) and rest is None:
            self._tell_restart(failure)
            before = self.scraper
            self._replace_now("restarted after a failure")
            self.scraper.take_up(before)
        else:
            self._unfit = f"{REST_AFTER_FAILURE}: {failure}"
        return self._now() + budget.delay_seconds * self._restarts.count

    # What others ask for.

    def replace(self, reason: str) -> bool:
        """A successor is tried out at the next turn. False while one is, or while the match rests."""
        if self._candidate is not None or self._rests_until is not None:
            return False
        successor = self._household.scraper(self.watch, self.snapshot(reason))
        successor.take_over(self.scraper)
        self._candidate = Candidate(successor, reason)
        return True

    def kill(self, reason: str) -> None:
        """No time for manners: what is there is dropped, and the match begins afresh."""
        self._candidate = None
        self._replace_now(reason)

    async def pause(self, seconds: float, reason: str) -> float:
        """The match rests. When it is to come again."""
        self._candidate = None
        due = self._rest(seconds, reason)
        # At once, not with the next interval: who is killed now goes on resting when he comes back.
        await self._parts.pipeline.step(self.watch, "failed_too_often", "paused", (self.snapshot(reason),))
        return due

    def go_on_resting(self, seconds: float) -> None:
        """The process was started anew in the middle of a rest."""
        if seconds > 0:
            self._rests_until = self._now() + seconds

    def wake(self) -> None:
        """The rest is over before its time."""
        if self._rests_until is not None:
            self._rests_until = self._now()

    # What follows an attempt.

    async def _follow(self, decision: Decision) -> float | None:
        if decision.move is Move.END:
            self._end(decision.reason)
            return None
        if decision.rest is not None:
            return await self._rest_for(decision)
        return decision.due

    async def _rest_for(self, decision: Decision) -> float:
        rest = decision.rest
        if rest is not None and rest.fault is Fault.UNREADABLE:
            self._parts.pipeline.shut(self.watch, decision.reason)
            self._tell_unreadable(decision)
        return await self.pause(decision.due - self._now(), decision.reason)

    async def _rest_unfit(self, reason: str) -> float:
        due = await self.pause(self._parts.options().pause.pause_seconds, reason)
        self._unfit = None
        self._tell_given_up(reason)
        return due

    def _rest(self, seconds: float, reason: str) -> float:
        self._rests_until = self._now() + seconds
        self._parts.bus.emit(
            signals.MatchPaused(
                at=self._parts.clock.now(),
                match_id=self.key,
                scraper_id=self.watch.scraper_id,
                seconds=seconds,
                reason=reason,
            )
        )
        return self._rests_until

    async def _begin_afresh(self) -> None:
        """Fresh initialisation with the configuration read again, as the documents have it after a pause."""
        await self._household.reload()
        await self._parts.pipeline.afresh(self.watch)
        self._rests_until = None
        self._restarts = Restarts()
        self._replace_now("begins afresh after a rest")

    async def _try_out(self, candidate: Candidate) -> float | None:
        candidate.attempts += 1
        decision = await candidate.scraper.attempt()
        if self._candidate is not candidate:
            return decision.due  # somebody has decided otherwise meanwhile
        if decision.is_success and _is_as_new(candidate.scraper.watch, self.watch):
            self._swap(candidate)
            return await self._follow(decision)
        # Whatever the candidate wrote, the predecessor has not seen it.
        self.watch.forget_ledger()
        if decision.move is Move.GO_ON and candidate.attempts < SUCCESSOR_ATTEMPTS:
            return self._now()
        self._candidate = None
        self._tell_not_replaced(candidate)
        return self._now()

    def _swap(self, candidate: Candidate) -> None:
        before, self.scraper, self._candidate = self.scraper, candidate.scraper, None
        seen, now = before.watch.captured_at, self._parts.clock.now()
        before.stop(candidate.reason)
        self._parts.bus.emit(
            signals.ScraperReplaced(
                at=now,
                match_id=self.key,
                before=before.watch.scraper_id,
                after=self.watch.scraper_id,
                reason=candidate.reason,
                gap_seconds=0.0 if seen is None else max(0.0, (now - seen).total_seconds()),
            )
        )

    def _replace_now(self, reason: str) -> None:
        before = self.scraper
        self.scraper = self._household.scraper(before.watch, before.snapshot(reason))
        self.scraper.inherit(before)
        before.stop(reason)

    def _end(self, reason: str) -> None:
        self.scraper.stop(reason)
        self._household.ended(self.key)

    def _now(self) -> float:
        return self._parts.clock.monotonic()

    # What is told.

    def _tell_restart(self, failure: BaseException) -> None:
        self._parts.bus.emit(
            signals.ServiceRestarted(
                at=self._parts.clock.now(),
                service=f"scraper {self.key}",
                reason=type(failure).__name__,
                restarts=self._restarts.count,
            )
        )

    def _tell_not_replaced(self, candidate: Candidate) -> None:
        self._parts.bus.emit(
            signals.ReplacementFailed(
                at=self._parts.clock.now(),
                match_id=self.key,
                scraper_id=candidate.scraper.watch.scraper_id,
                reason=candidate.reason,
                attempts=candidate.attempts,
            )
        )

    def _tell_given_up(self, reason: str) -> None:
        self._parts.bus.emit(
            signals.ErrorRaised(
                at=self._parts.clock.now(),
                severity="CRITICAL",
                error_type="internal",
                error_message=f"{self.key}: {reason}",
                hint="The log has each failure with its stack. The match rests, then begins afresh; the others go on.",
                match_id=self.key,
                scraper_id=self.watch.scraper_id,
                operation="supervision",
                url=self.watch.ref.url,
            )
        )

    def _tell_unreadable(self, decision: Decision) -> None:
        """The site has changed: somebody must look (S0, first edge case)."""
        error = self.scraper.last_error
        self._parts.bus.emit(
            signals.ErrorRaised(
                at=self._parts.clock.now(),
                severity="CRITICAL",
                error_type="parsing",
                error_message=f"{decision.reason}; the last one: {error.message if error else 'unknown'}",
                hint="The source has changed: read the kept page with `longstop read`; it is tried every five minutes.",
                match_id=self.key,
                scraper_id=self.watch.scraper_id,
                operation="parse failures",
                url=self.watch.ref.url,
                context=_details(error, self.watch),
            )
        )


def _details(error: LongstopError | None, watch: Watch) -> dict[str, object]:
    return {
        "rung": watch.rung,
        "evidence": list(getattr(error, "evidence", ())),
        "selectors": dict(watch.accepted.matched) if watch.accepted else {},
    }


def _is_as_new(candidate: Watch, predecessor: Watch) -> bool:
    """An older payload than the one we have is no proof that the successor is well."""
    found, known = candidate.accepted, predecessor.accepted
    if found is None or known is None:
        return found is not None or candidate.captured_at is not None
    if found.sequence is not None and known.sequence is not None:
        return found.sequence >= known.sequence
    return found.provenance.captured_at >= known.provenance.captured_at
