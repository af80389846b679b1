"""Whether the settings can be used, and what they switch on."""

from collections.abc import Callable

from longstop.commands.checkup.finding import Finding, absent, ok, problem, warning
from longstop.settings import Loaded, Settings, SettingsError
from longstop.sources import registry


def settings(read: Callable[[], Loaded]) -> tuple[Loaded | None, Finding]:
    """All faults at once; without settings, what depends on them is not looked at."""
    try:
        loaded = read()
    except SettingsError as error:
        return None, problem("settings", error.message.rstrip(), error.hint)
    return loaded, ok("settings", str(loaded.file or "no file; defaults, environment and command line"))


def sources(wanted: Settings) -> Finding:
    """Nothing is asked of them here: only what is configured for us alone is reached."""
    names = [name for name in type(wanted.sources).model_fields if _is_enabled(wanted, name)]
    unknown = [name for name in names if name not in registry.names()]
    if unknown:
        said = f"{', '.join(unknown)} switched on, but not known to this version"
        return warning("sources", said, f"Switch it off; the sources are: {', '.join(registry.names())}.")
    if not names:
        hint = "Start with `longstop up --origin` for a simulated site, or set sources.crex.enabled=true."
        return absent("sources", "none is switched on", hint)
    return ok("sources", ", ".join(names))


def _is_enabled(wanted: Settings, name: str) -> bool:
    return bool(getattr(getattr(wanted.sources, name), "enabled", False))
