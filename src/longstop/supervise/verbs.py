"""What an operator may ask for by /admin, said in the engine's own words. Whoever cannot be served is told why."""

from collections.abc import Awaitable, Callable
from typing import Final

from longstop.domain.errors import IllegalTransitionError, UnknownMatchError
from longstop.domain.recovery import RecoveryAction
from longstop.sources import registry
from longstop.supervise.assignment import Assignment
from longstop.supervise.engine import Engine

# A person's pause lasts until a person ends it; a month is longer than any match.
PAUSE_SECONDS: Final = 30 * 86_400.0
# As for the rung: the ladder decides again.
AUTO: Final = "auto"
BY_OPERATOR: Final = "asked for by an operator"

AddSource = Callable[[str], Awaitable[None]]
Recycle = Callable[[RecoveryAction, str], Awaitable[str | None]]


class EngineVerbs:
    """The engine is asked for at each use: the API stands before there is one."""

    def __init__(self, engine: Callable[[], Engine], recycle: Recycle, add: AddSource) -> None:
        """`add` joins a source that was off from the start on."""
        self._engine = engine
        self._add = add
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
        engine = self._engine()
        department = engine.department(name)
        if department is None and name not in registry.names():
            raise UnknownMatchError(f"There is no source {name[:40]!r} to watch.")
        if department is None:
            if not is_on:
                raise IllegalTransitionError(f"{name} is off already.")
            await self._add(name)
        elif department.roster.is_open is is_on:
            raise IllegalTransitionError(f"{name} is {'on' if is_on else 'off'} already.")
        elif is_on:
            await engine.switch_on(department)
        else:
            await engine.switch_off(department, BY_OPERATOR)

    def sources(self) -> list[tuple[str, bool, int]]:
        """Those that can be watched: name, whether it is on, how many matches of it are watched."""
        found = []
        for name in registry.names():
            department = self._engine().department(name)
            is_on = department is not None and department.roster.is_open
            found.append((name, is_on, len(department.roster.assignments) if department is not None else 0))
        return found

    def _watched(self, match_id: str) -> Assignment:
        found = next((each for each in self._engine().assignments() if each.key == match_id), None)
        if found is None:
            raise UnknownMatchError(f"No match {match_id} is watched.")
        return found
