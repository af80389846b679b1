"""Sources that were off at the start: what one needs, and how it joins those that are watched."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from longstop.approach import Approaches
from longstop.domain.errors import SettingsError, SourceNotReadyError
from longstop.fetch.identity import require_extra, require_stealth
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings
from longstop.sources import registry
from longstop.supervise.engine import Engine

_SIMULATED: Final = "this run watches the simulated site alone; start without --origin"


class SourceJoiner:
    """`is_simulated`: no real site is called beside our own origin."""

    def __init__(
        self, engine: Callable[[], Engine], approaches: Approaches, settings: Settings, *, is_simulated: bool
    ) -> None:
        self._engine = engine
        self._approaches = approaches
        self._settings = settings
        self._is_simulated = is_simulated

    async def join(self, name: str) -> None:
        needs = self.needs(name)
        if needs:
            said = "; ".join(f"{setting}: {remedy}" for setting, remedy in needs)
            error = SourceNotReadyError(f"{name} cannot be switched on. {said}.")
            error.needs = tuple(needs)
            raise error
        source = registry.create(name, self._wanted(name).base_url or None)
        await self._engine().add(source, await self._approaches.add(source))

    def needs(self, name: str) -> Sequence[tuple[str, str]]:
        if name not in registry.names():
            said = f"this Longstop cannot watch {name} yet; it can watch {', '.join(registry.names())}"
            return [(f"sources.{name}.enabled", said)]
        if self._is_simulated:
            return [(f"sources.{name}.enabled", _SIMULATED)]
        return list(_missing(name, self._wanted(name)))

    def _wanted(self, name: str) -> SourceSettings:
        wanted: SourceSettings = getattr(self._settings.sources, name)
        return wanted


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
