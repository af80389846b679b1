"""Who leaves by which exit: sticky sessions that are used again while they are good, and exits that must rest.

One manager for each source, since a site that sends an exit away says nothing of another site. All decisions are pure:
the time is handed in, and nothing is called. What happened is told as values, to whoever listens.
"""

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

from longstop.domain.errors import SettingsError
from longstop.fetch.browser.needs import Profile
from longstop.fetch.exits.exit import Exit
from longstop.fetch.exits.line import Line
from longstop.fetch.exits.outcome import Outcome
from longstop.fetch.exits.places import profile_at
from longstop.fetch.exits.quarantine import Rest
from longstop.fetch.exits.session import NOTHING_MOVED, ExitSession, SessionUse, session_name
from longstop.fetch.exits.weight import Weights

NO_EXIT_HINT: Final = "Set scraper.proxy.urls or IPROYAL_HOST, or switch sources.<source>.use_proxy off."
KEYS_REMEMBERED: Final = 1000
TRIES_MORE: Final = 1
_ENDS_AT_ONCE: Final = (Outcome.REFUSED, Outcome.CHALLENGED, Outcome.EXIT_FAILED)
_OF_THE_ADDRESS: Final = frozenset({"refused", "challenged"})
_HELD_AGAINST_THE_EXIT: Final = _OF_THE_ADDRESS | {"exit_failed", "timeouts"}
_LEFT: Final = _HELD_AGAINST_THE_EXIT | {"heavy"}


class SessionLimits(msgspec.Struct, frozen=True):
    """`timeouts_max` is how many in a row a session may have; one match leaves its exit at its second already."""

    mode: Literal["sticky", "rotating"] = "sticky"
    ttl_seconds: float = 600.0
    matches_max: int = 20
    timeouts_max: int = 2
    rest: Rest = Rest()


class ExitEvent(msgspec.Struct, frozen=True):
    """`name` is session_started, session_ended, exit_ejected, or exits_short: half of them rest already, so one that
    was sent away goes on being used. Fit to be told: no address, no password."""

    name: str
    source: str
    session_id: str
    proxy_id: str
    reason: str = ""
    rests_seconds: float = 0.0
    resting: int = 0
    exits: int = 0


class _Memory(msgspec.Struct):
    """What one match met lately: where it was, how often nobody answered there, and whether it must leave."""

    session_id: str
    proxy_id: str
    silences: int = 0
    leaves: bool = False


class ProxySessionManager:
    """`take` before each attempt, `judge` after it, exactly once; then close what `drain_ended` gives."""

    def __init__(
        self,
        source: str,
        exits: Sequence[Exit],
        rng: random.Random,
        limits: SessionLimits | None = None,
        profile: Profile | None = None,
        tell: Callable[[ExitEvent], None] | None = None,
    ) -> None:
        if not exits:
            raise SettingsError(f"There is no exit for source {source}.", hint=NO_EXIT_HINT)
        self.source = source
        self._limits = limits = limits or SessionLimits()
        self._rng = rng
        self._profile = profile or Profile()
        self._tell = tell
        self._pool = tuple(Line(each, limits.rest) for each in exits)
        self._lines: dict[str, Line] = {}
        self._sessions: dict[str, ExitSession] = {}
        self._ended: list[ExitSession] = []
        self._memories: OrderedDict[str, _Memory] = OrderedDict()
        self._weights = Weights()

    def take(self, key: str, now: float) -> ExitSession:
        """A session for one attempt at one match: the one it had before when it may be tried again, else a good one
        that has rested longest, else a new one by the best exit."""
        self._end_the_old(now)
        memory = self._memories.get(key)
        session = self._same_again(memory) or self._good_one(memory) or self._start(memory, now)
        session.is_in_use = True
        session.matches += memory is None or memory.session_id != session.session_id
        session.last_used_at = self._lines[session.session_id].used_at = now
        self._remember(key, session)
        return session

    def judge(
        self, session: ExitSession, key: str, outcome: Outcome, now: float, use: SessionUse = NOTHING_MOVED
    ) -> None:
        """What became of the attempt, and what it moved."""
        session.is_in_use = False
        session.count(outcome, use)
        is_heavy = self._weights.is_abnormal(use.requests, use.bytes_in)
        reason = self._reason_to_end(session, outcome, is_heavy=is_heavy)
        self._note(key, outcome, leaves=reason in _LEFT)
        if reason in _HELD_AGAINST_THE_EXIT:
            self._hold_against(session, reason, now)
        if reason:
            self._end(session, reason, now)

    def drain_ended(self) -> tuple[ExitSession, ...]:
        """Sessions that are over since the last call: their contexts and cookies end with them."""
        ended, self._ended = tuple(self._ended), []
        return ended

    def end_all(self, now: float) -> tuple[ExitSession, ...]:
        for session in tuple(self._sessions.values()):
            self._end(session, "closed", now)
        return self.drain_ended()

    def sessions(self) -> tuple[ExitSession, ...]:
        return tuple(self._sessions.values())

    def resting(self, now: float) -> tuple[str, ...]:
        """The exits in quarantine."""
        return tuple(line.exit.proxy_id for line in self._pool if line.is_resting(now))

    # Choosing.

    def _same_again(self, memory: _Memory | None) -> ExitSession | None:
        if memory is None or memory.leaves:
            return None
        session = self._sessions.get(memory.session_id)
        return session if session is not None and not session.is_in_use else None

    def _good_one(self, memory: _Memory | None) -> ExitSession | None:
        if self._limits.mode == "rotating":
            return None
        avoided = _avoided(memory)
        idle = (each for each in self._sessions.values() if not each.is_in_use and each.proxy_id != avoided)
        return min(idle, key=lambda session: session.last_used_at, default=None)

    def _start(self, memory: _Memory | None, now: float) -> ExitSession:
        line = self._best_line(_avoided(memory), now)
        name = session_name(self._rng)
        exit_ = line.exit if line.exit.renew is None else line.exit.renew(name)
        session = ExitSession(name, exit_, profile_at(exit_.country, self._profile), now, now)
        self._sessions[name] = session
        self._lines[name] = line
        line.sessions += 1
        self._say("session_started", session, now)
        return session

    def _best_line(self, avoided: str, now: float) -> Line:
        """Never one that rests: at least half of them do not. The one that a match leaves only if it is the last."""
        awake = (line for line in self._pool if not line.is_resting(now))
        return min(awake, key=lambda line: (line.exit.proxy_id == avoided, *line.rank(now)))

    # Judging.

    def _note(self, key: str, outcome: Outcome, *, leaves: bool) -> None:
        """A match whose exit was silent tries it once more; then it goes elsewhere, while others may stay."""
        memory = self._memories.get(key)
        if outcome is Outcome.GOOD:
            self._memories.pop(key, None)
        elif memory is not None:
            memory.silences = memory.silences + 1 if outcome is Outcome.SILENT else 0
            memory.leaves = leaves or memory.silences > TRIES_MORE

    def _reason_to_end(self, session: ExitSession, outcome: Outcome, *, is_heavy: bool) -> str:
        if outcome in _ENDS_AT_ONCE:
            return str(outcome.value)
        if session.silences > self._limits.timeouts_max:
            return "timeouts"
        if is_heavy:
            return "heavy"
        is_spent = self._limits.mode == "rotating" or session.matches >= self._limits.matches_max
        return "spent" if is_spent and outcome is not Outcome.SILENT else ""

    def _hold_against(self, session: ExitSession, reason: str, now: float) -> None:
        """The address of a gateway's session is never used again, so nothing need rest for that; any other exit rests,
        unless half of them do already."""
        line = self._lines[session.session_id]
        line.record.strike(now)
        if line.exit.renew is not None and reason in _OF_THE_ADDRESS:
            return
        if line.is_resting(now) or (len(self.resting(now)) + 1) * 2 <= len(self._pool):
            until = line.record.eject(now)
            self._say("exit_ejected", session, now, reason, until - now)
        else:
            self._say("exits_short", session, now, reason)

    def _end_the_old(self, now: float) -> None:
        for session in tuple(self._sessions.values()):
            if session.is_in_use:
                continue
            if now - session.created_at >= self._limits.ttl_seconds:
                self._end(session, "old", now)
            elif session.matches >= self._limits.matches_max:
                self._end(session, "spent", now)
            elif self._lines[session.session_id].is_resting(now):
                self._end(session, "exit_rests", now)

    def _end(self, session: ExitSession, reason: str, now: float) -> None:
        if self._sessions.pop(session.session_id, None) is None:
            return
        session.ended = reason
        self._ended.append(session)
        self._say("session_ended", session, now, reason)
        self._lines.pop(session.session_id).sessions -= 1

    def _remember(self, key: str, session: ExitSession) -> None:
        old = self._memories.pop(key, None)
        silences = old.silences if old is not None and old.proxy_id == session.proxy_id else 0
        self._memories[key] = _Memory(session.session_id, session.proxy_id, silences)
        if len(self._memories) > KEYS_REMEMBERED:
            self._memories.popitem(last=False)

    def _say(self, name: str, session: ExitSession, now: float, reason: str = "", rests: float = 0.0) -> None:
        if self._tell is None:
            return
        resting, exits = len(self.resting(now)), len(self._pool)
        self._tell(ExitEvent(name, self.source, session.session_id, session.proxy_id, reason, rests, resting, exits))


def _avoided(memory: _Memory | None) -> str:
    return memory.proxy_id if memory is not None and memory.leaves else ""
