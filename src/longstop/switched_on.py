"""Which sources somebody has switched on, and what each of them is for."""

from collections.abc import Sequence

from longstop.domain.errors import InputError, SettingsError
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings
from longstop.sources import registry
from longstop.sources.contract import RoundSource, Source


def enabled_sources(settings: Settings) -> tuple[Source, ...]:
    """Only what somebody has switched on is asked. Who switches on what cannot be used waits for it in vain."""
    usable = {*registry.names(), *registry.BY_ROUNDS, *registry.CAPTURED}
    for name, wanted in settings.sources:
        if isinstance(wanted, SourceSettings) and wanted.enabled and name not in usable:
            raise SettingsError(
                f"sources.{name}.enabled is set, but this Longstop cannot watch {name} yet.",
                hint=f"Set it to false; it can watch {', '.join(registry.names())}, bring rounds of "
                f"{', '.join(sorted(registry.BY_ROUNDS))}, and capture {', '.join(sorted(registry.CAPTURED))}.",
            )
    return tuple(registry.create(name, url or None) for name, url in _enabled(settings, registry.names()))


def enabled_rounds(settings: Settings) -> RoundSource | None:
    """The source whose rounds may be asked for."""
    found = [registry.by_rounds(name, url or None) for name, url in _enabled(settings, sorted(registry.BY_ROUNDS))]
    return found[0] if found else None


def enabled_captures(settings: Settings) -> tuple[str, ...]:
    """The sources whose matches are captured before their kickoff."""
    return tuple(name for name, _ in _enabled(settings, sorted(registry.CAPTURED)))


def require_sources(sources: Sequence[Source], rounds: RoundSource | None, captures: Sequence[str] = ()) -> None:
    if not sources and rounds is None and not captures:
        raise InputError(
            "No source is switched on, so there is nothing to watch.",
            hint="Start with `longstop up --origin` for a simulated site, or set sources.crex.enabled=true.",
        )


def _enabled(settings: Settings, names: Sequence[str]) -> list[tuple[str, str]]:
    wanted = [(name, getattr(settings.sources, name)) for name in names]
    return [(name, each.base_url) for name, each in wanted if each.enabled]
