"""What an operator may ask for by /admin, said in the engine's own words. Whoever cannot be served is told why."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

from longstop.domain.errors import IllegalTransitionError, UnknownMatchError, UnknownSourceError
from longstop.domain.recovery import RecoveryAction
from longstop.settings.feeds import source_names
from longstop.supervise.assignment import Assignment
from longstop.supervise.engine import Engine

# A person's pause lasts until a person ends it; a month is longer than any match.
PAUSE_SECONDS: Final = 30 * 86_400.0
# As for the rung: the ladder decides again.
AUTO: Final = "auto"
BY_OPERATOR: Final = "asked for by an operator"

# Name, whether it is on, how many matches of it are watched, what must be set before it can be.
SourceFacts = tuple[str, bool, int, list[str]]
Recycle = Callable[[RecoveryAction, str], Awaitable[str | None]]


class Joiner(Protocol):
    """Joins sources that were off at the start."""

    async def join(self, name: str) -> None:
        """Watched from now on. Raises a SourceNotReadyError."""
        ...

    def needs(self, name: str) -> Sequence[tuple[str, str]]:
        """Settings that stand in the way, each with what to do about it."""
        ...


class EngineVerbs:
    """The engine is asked for at each use: the API stands before there is one."""

    def __init__(self, engine: Callable[[], Engine], recycle: Recycle, joiner: Joiner) -> None:
        self._engine = engine
        self._joiner = joiner
        self._switching = asyncio.Lock()
        self._recycle = recycle

    async def restart(self, match_id: str, reason: str) -> None:
        assignment = self._watched(match_id)
        if assignment.rests_until is not None:
            raise IllegalTransitionError(f"{match_id} rests; resume it, and it begins afresh.")
        if not self._engine().restart(match_id, reason):
            raise IllegalTransitionError(f"{match_id} is being replaced already.")

    async def recycle(self, reason: str) -> None:
        if await self._recycle(RecoveryAction.MANUAL_TRIGGER, reason) is None:
            raise IllegalTransitionError("A recycle is under way already.")

    async def pause(self, match_id: str) -> None:
        self._watched(match_id)
        await self._engine().pause(match_id, PAUSE_SECONDS, BY_OPERATOR)

    async def resume(self, match_id: str) -> None:
        self._watched(match_id)
        if not self._engine().wake(match_id):
            raise IllegalTransitionError(f"{match_id} does not rest.")

    async def stop(self, match_id: str) -> None:
        """It is watched again when it is listed after the time of a pause, or asked for."""
        self._watched(match_id)
        await self._engine().drop(match_id, BY_OPERATOR)

    async def choose_rung(self, match_id: str, rung: str) -> None:
        self._watched(match_id)
        if not self._engine().choose_rung(match_id, "" if rung == AUTO else rung):
            raise IllegalTransitionError(f"There is only one way to {match_id}.")

    async def start(self, url: str) -> str:
        """Done means watched: what was stopped or has gone is kept away for a while, and that is said."""
        match_id = await self._engine().begin(url)
        if all(each.key != match_id for each in self._engine().assignments()):
            raise IllegalTransitionError(f"{match_id} was stopped or gone a moment ago; ask again in some minutes.")
        return match_id

    async def switch_source(self, name: str, *, is_on: bool) -> None:
        """Until the next start: then the settings decide again."""
        if name not in source_names():
            known = ", ".join(source_names())
            raise UnknownSourceError(f"There is no source {name[:40]!r}.", hint=f"The sources are: {known}.")
        async with self._switching:
            await self._switch(name, is_on=is_on)

    async def _switch(self, name: str, *, is_on: bool) -> None:
        engine = self._engine()
        department = engine.department(name)
        if department is None:
            if not is_on:
                raise IllegalTransitionError(f"{name} is off already.")
            await self._joiner.join(name)
        elif department.roster.is_open is is_on:
            raise IllegalTransitionError(f"{name} is {'on' if is_on else 'off'} already.")
        elif is_on:
            await engine.switch_on(department)
        else:
            await engine.switch_off(department, BY_OPERATOR)

    def sources(self) -> list[SourceFacts]:
        return [self._facts(name) for name in source_names()]

    def _facts(self, name: str) -> SourceFacts:
        department = self._engine().department(name)
        if department is None:
            return name, False, 0, [f"{setting}: {remedy}" for setting, remedy in self._joiner.needs(name)]
        return name, department.roster.is_open, len(department.roster.assignments), []

    def _watched(self, match_id: str) -> Assignment:
        found = next((each for each in self._engine().assignments() if each.key == match_id), None)
        if found is None:
            raise UnknownMatchError(f"No match {match_id} is watched.")
        return found
