"""The settings as they run, and how others take their place: all of them or none.

    read ── faults? ──► refused, the old ones stay
      └─► check what would run ─► prepare every part, forth and back ─► commit ─► told
                 └─ faults? ──► refused      └─ raises? ──► refused

A part says which settings it takes while it runs. Whatever else has changed is named as needing a restart, and what
runs keeps its old value until then: the settings that run are checked as a whole with exactly those values.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol

from longstop.clock import Clock
from longstop.domain.errors import InputError, LongstopError
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.settings import Change, Fault, Loaded, Origin, Rank, ReloadResult, Settings, SettingsError
from longstop.settings.changes import REFUSED, RELOADED, UNCHANGED, changes_between, is_within, with_values_of
from longstop.settings.check import check_together

Commit = Callable[[], None]
Prepare = Callable[[Settings], Commit]
ReadSettings = Callable[[], Awaitable[Loaded]]
REFUSED_HINT: Final = "The old settings stay. Correct all of them and reload; docs/settings.md lists every setting."
INTERNAL_HINT: Final = "The old settings stay. This is a fault of ours: please report it with the log."


class Part(Protocol):
    """What takes settings while it runs: the keys or groups in `paths`, which may change with what runs."""

    @property
    def paths(self) -> tuple[str, ...]: ...

    @property
    def prepare(self) -> Prepare: ...


@dataclass(frozen=True, slots=True)
class Adjustable:
    """A part that takes settings while it runs: the keys or groups in `paths`.

    `prepare` may refuse by raising, and changes nothing yet; the commit it returns may not fail."""

    name: str
    paths: tuple[str, ...]
    prepare: Prepare


class _Asking(NamedTuple):
    reason: str
    is_asked_for: bool


class Reloader:
    """`settings` are those that run; `generation` counts from 1."""

    def __init__(
        self,
        loaded: Loaded,
        read: ReadSettings,
        clock: Clock,
        bus: Signals,
        on_read: Callable[[Settings], None] = lambda _: None,
    ) -> None:
        """`on_read` sees new settings before anything is said about them, so that their secrets can be hidden."""
        self.settings = loaded.settings
        self.generation = 1
        self._origins: Mapping[str, Origin] = loaded.origins
        self._wanted = loaded.settings
        self._read = read
        self._clock = clock
        self._bus = bus
        self._on_read = on_read
        self._parts: list[Part] = []
        self._last_refusal: tuple[str, tuple[Fault, ...]] = ("", ())
        self._asking: list[_Asking] = []
        self._one_at_a_time = asyncio.Lock()
        self._next: asyncio.Task[ReloadResult] | None = None
        self._turns: set[asyncio.Task[ReloadResult]] = set()

    def adjust(self, name: str, paths: tuple[str, ...], apply: Callable[[Settings], None]) -> None:
        """For a part that takes whatever passed the check, and cannot fail."""
        self.join(Adjustable(name, paths, lambda settings: lambda: apply(settings)))

    def join(self, part: Part) -> None:
        self._parts.append(part)

    def takes(self, path: str) -> bool:
        """Whether this setting is taken while running."""
        return any(is_within(path, part.paths) for part in self._parts)

    async def reload(self, reason: str, *, is_asked_for: bool = False) -> ReloadResult:
        """Never raises. One at a time: whoever asks while one is under way shares the next, which sees what was written
        before it was asked. With `is_asked_for` an answer without news is told too."""
        self._asking.append(_Asking(reason, is_asked_for))
        if self._next is None:
            self._next = asyncio.create_task(self._turn(), name="settings reload")
            self._turns.add(self._next)
            self._next.add_done_callback(self._turns.discard)
        return await asyncio.shield(self._next)

    async def close(self) -> None:
        """A reading that hangs does not hold up the end."""
        turns = list(self._turns)
        for turn in turns:
            turn.cancel()
        await asyncio.gather(*turns, return_exceptions=True)

    async def _turn(self) -> ReloadResult:
        async with self._one_at_a_time:
            self._next, asking, self._asking = None, self._asking, []
            result = await self._result_of_reading()
            self._tell(result, asking[0].reason, any(each.is_asked_for for each in asking))
            return result

    async def _result_of_reading(self) -> ReloadResult:
        try:
            return self._take(await self._read())
        except SettingsError as error:
            return self._refused(error.message.partition(":\n")[0] + ".", REFUSED_HINT, error.faults)
        except LongstopError as error:
            return self._refused(error.message, error.hint)
        except Exception as error:
            return self._refused(f"Taking the new settings failed: {type(error).__name__}: {error}", INTERNAL_HINT)

    def _take(self, loaded: Loaded) -> ReloadResult:
        self._on_read(loaded.settings)
        self._require_something(loaded)
        if loaded.settings == self._wanted:
            return self._result(UNCHANGED)
        running = with_values_of(self.settings, loaded.settings, self.takes)
        origins = {path: origin if self.takes(path) else self._origins[path] for path, origin in loaded.origins.items()}
        self._check(running, origins)
        applied = tuple(changes_between(self.settings, running))
        self._commit(applied, running)
        self.settings, self._origins, self._wanted = running, origins, loaded.settings
        self.generation += 1
        return replace(self._result(RELOADED), applied=applied)

    def _require_something(self, loaded: Loaded) -> None:
        """Where there were settings a moment ago and are none now, somebody is writing the file, or has lost it."""
        had, has = (_of_file(origins) for origins in (self._origins, loaded.origins))
        if had and not has:
            raise InputError(
                f"The settings file {had[0].name} holds no settings any more.",
                hint="The old settings stay. Reload when the file is written; to have the defaults again, restart.",
            )

    def _check(self, running: Settings, origins: Mapping[str, Origin]) -> None:
        """Each file was whole by itself. Half of the new one beside half of the old one need not be."""
        faults = list(check_together(running, origins, frozenset()))
        if faults:
            remedy = "restart to take all of it at once, or change it so that it fits what runs"
            raise SettingsError(
                replace(fault, problem=f"with what runs until a restart, {fault.problem}", remedy=remedy)
                for fault in faults
            )

    def _commit(self, changes: tuple[Change, ...], running: Settings) -> None:
        """Each part is prepared for both ways before the first one is touched."""
        touched = [part for part in self._parts if any(is_within(change.path, part.paths) for change in changes)]
        forth = [part.prepare(running) for part in touched]
        back = [part.prepare(self.settings) for part in touched]
        done = 0
        try:
            for commit in forth:
                done += 1
                commit()
        except Exception:
            for undo in reversed(back[:done]):
                undo()
            raise

    def _result(self, outcome: str) -> ReloadResult:
        waiting = tuple(changes_between(self.settings, self._wanted))
        return ReloadResult(outcome, self.generation, needs_restart=waiting)

    def _refused(self, message: str, hint: str, faults: tuple[Fault, ...] = ()) -> ReloadResult:
        return replace(self._result(REFUSED), faults=faults, message=message, hint=hint)

    def _tell(self, result: ReloadResult, reason: str, is_asked_for: bool) -> None:
        """A file that stays bad is told once; so is that it is good again."""
        refusal = (result.message, result.faults)
        is_news = is_asked_for or refusal != self._last_refusal
        self._last_refusal = refusal
        now = self._clock.now()
        if result.is_refused and is_news:
            self._bus.emit(
                signals.ConfigurationRefused(
                    at=now,
                    reason=reason,
                    generation=result.generation,
                    message=result.message,
                    hint=result.hint,
                    faults=tuple(map(str, result.faults)),
                )
            )
        elif not result.is_refused and (is_news or result.outcome == RELOADED):
            self._bus.emit(
                signals.ConfigurationReloaded(
                    at=now,
                    reason=reason,
                    generation=result.generation,
                    applied=tuple(map(str, result.applied)),
                    needs_restart=tuple(map(str, result.needs_restart)),
                )
            )


def _of_file(origins: Mapping[str, Origin]) -> tuple[Origin, ...]:
    return tuple(origin for origin in origins.values() if origin.rank is Rank.FILE)
