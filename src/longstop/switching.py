"""Sources that are switched while we run: what one needs, how it joins those that are watched, and how the settings
have their way with them after a reload."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from longstop.approach import Approaches
from longstop.clock import Clock
from longstop.domain.errors import IllegalTransitionError, LongstopError, SettingsError, SourceNotReadyError
from longstop.fetch.identity import require_extra, require_stealth
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings, source_names
from longstop.sources import registry
from longstop.supervise.engine import Engine
from longstop.supervise.reload import Commit
from longstop.supervise.service import Stop

LOOK_SECONDS: Final = 0.5
RETRY_SECONDS: Final = 5.0
_SIMULATED: Final = "this run watches the simulated site alone; start without --origin"


class SourceJoiner:
    """`is_simulated`: no real site is called beside our own origin. `settings` are asked for at each use: of a source
    that is not watched yet all of them are taken while we run."""

    def __init__(
        self,
        engine: Callable[[], Engine],
        approaches: Approaches,
        settings: Callable[[], Settings],
        *,
        is_simulated: bool,
    ) -> None:
        self._engine = engine
        self._approaches = approaches
        self._settings = settings
        self._is_simulated = is_simulated

    async def join(self, name: str) -> None:
        wanted = self._wanted(name)
        self.require_ready(name, wanted)
        source = registry.create(name, wanted.base_url or None)
        await self._engine().add(source, await self._approaches.add(source, wanted))

    def needs(self, name: str) -> Sequence[tuple[str, str]]:
        return self._needs(name, self._wanted(name))

    def require_ready(self, name: str, wanted: SourceSettings) -> None:
        needs = self._needs(name, wanted)
        if needs:
            said = "; ".join(f"{setting}: {remedy}" for setting, remedy in needs)
            error = SourceNotReadyError(f"{name} cannot be switched on. {said}.")
            error.needs = tuple(needs)
            raise error

    def is_joined(self, name: str) -> bool:
        return self._engine().department(name) is not None

    def _needs(self, name: str, wanted: SourceSettings) -> Sequence[tuple[str, str]]:
        if name not in registry.names():
            said = f"this Longstop cannot watch {name} yet; it can watch {', '.join(registry.names())}"
            return [(f"sources.{name}.enabled", said)]
        if self._is_simulated:
            return [(f"sources.{name}.enabled", _SIMULATED)]
        return list(_missing(name, wanted))

    def _wanted(self, name: str) -> SourceSettings:
        return _settings_of(self._settings(), name)


class Switch(Protocol):
    async def switch_source(self, name: str, *, is_on: bool) -> None: ...


class SourceSwitching:
    """Takes `sources.*.enabled` from a reload, and is the service that does what they say. What a person has switched
    by hand stays so until the setting itself changes."""

    name = "source switching"

    def __init__(self, settings: Settings, joiner: SourceJoiner, switch: Switch, clock: Clock, bus: Signals) -> None:
        self._enabled = _enabled_of(settings)
        self._joiner = joiner
        self._switch = switch
        self._clock = clock
        self._bus = bus
        self._wishes: dict[str, bool] = {}
        self._not_before = 0.0

    @property
    def paths(self) -> tuple[str, ...]:
        """A source that nobody has joined yet takes all its settings; one that runs goes on with most of its own."""
        return tuple(
            f"sources.{name}.enabled" if self._joiner.is_joined(name) else f"sources.{name}" for name in source_names()
        )

    def prepare(self, settings: Settings) -> Commit:
        wanted = _enabled_of(settings)
        for name, is_on in wanted.items():
            if is_on and not self._enabled[name] and not self._joiner.is_joined(name):
                self._joiner.require_ready(name, _settings_of(settings, name))
        return lambda: self._take(wanted)

    def _take(self, wanted: dict[str, bool]) -> None:
        self._wishes |= {name: is_on for name, is_on in wanted.items() if is_on is not self._enabled[name]}
        self._enabled = wanted
        self._not_before = 0.0

    async def run(self, stop: Stop) -> None:
        while not await stop.pause(LOOK_SECONDS):
            if self._wishes and self._clock.monotonic() >= self._not_before:
                await self._fulfil()

    async def _fulfil(self) -> None:
        for name, is_on in tuple(self._wishes.items()):
            try:
                await self._switch.switch_source(name, is_on=is_on)
            except IllegalTransitionError:
                pass  # it is so already
            except LongstopError as error:
                self._tell(name, is_on, error)
                self._not_before = self._clock.monotonic() + RETRY_SECONDS
                continue
            if self._wishes.get(name) is is_on:
                del self._wishes[name]

    def _tell(self, name: str, is_on: bool, error: LongstopError) -> None:
        what = f"{name} could not be switched {'on' if is_on else 'off'}, and that is tried again"
        self._bus.emit(
            signals.ErrorRaised(
                at=self._clock.now(),
                severity="WARN",
                error_type=error.kind,
                error_message=f"{what}: {error.message}",
                hint=error.hint,
                operation=self.name,
            )
        )


def _settings_of(settings: Settings, name: str) -> SourceSettings:
    found: SourceSettings = getattr(settings.sources, name)
    return found


def _enabled_of(settings: Settings) -> dict[str, bool]:
    return {name: _settings_of(settings, name).enabled for name in source_names()}


def _missing(name: str, wanted: SourceSettings) -> Iterator[tuple[str, str]]:
    where = f"sources.{name}"
    if wanted.token_url and not wanted.api_key.get_secret_value():
        yield f"{where}.api_key", "token_url is set and there is no key; set the key"
    if wanted.stealth:
        yield from _refused(f"{where}.stealth", lambda: require_stealth(name))
    if wanted.coherent_tls:
        key = f"{where}.coherent_tls"
        yield from _refused(key, lambda: require_extra("curl_cffi", "coherent", key))


def _refused(key: str, require: Callable[[], object]) -> Iterator[tuple[str, str]]:
    try:
        require()
    except SettingsError as error:
        yield key, f"{error.message} {error.hint}"
