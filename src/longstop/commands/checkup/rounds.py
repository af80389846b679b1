"""Every check, in its order, the same names each time."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from longstop.clock import SystemClock
from longstop.commands.checkup import configuration, disk, installation, machine, ports, services
from longstop.commands.checkup.finding import Check, Finding, absent, examined, secrets_in, veiled, within
from longstop.settings import Loaded, Settings

# A check ends by itself sooner than this; this is for what cannot be given a deadline, as a name server.
PATIENCE_SECONDS = 8.0


def look_round(read: Callable[[], Loaded], *, is_deep: bool) -> Iterator[Finding]:
    """What depends on settings that cannot be used is told as not looked at."""
    loaded, verdict = configuration.settings(read)
    settings = loaded.settings if loaded else None
    yield from (examined(name, check) for name, check in _of_the_machine(settings, is_deep=is_deep))
    yield verdict
    secrets = secrets_in(settings) if settings else frozenset()
    for name, check in _of_the_settings(settings or Settings()):
        if settings is None:
            yield absent(name, "not looked at, since the settings cannot be used")
        else:
            yield veiled(within(PATIENCE_SECONDS, name, check), secrets)


def _of_the_machine(settings: Settings | None, *, is_deep: bool) -> Iterator[tuple[str, Check]]:
    needed = installation.needs(settings)
    scraper = (settings or Settings()).scraper
    yield "python", installation.python
    yield "longstop", installation.longstop
    yield "sqlite", installation.sqlite
    for part in installation.EXTRAS:
        yield f"extra {part.name}", partial(installation.optional_part, part, needed.get(part.name, ""))
    yield "chromium", partial(installation.chromium, scraper.browser.executable_path, is_tried=is_deep)
    yield "commands", installation.commands
    yield "memory", partial(machine.memory, scraper.resources.memory.min_available_mb)
    yield "cores", machine.cores
    yield "open files", machine.open_files
    yield "clock", partial(machine.clock, SystemClock().now(), _installed_at())
    yield "encoding", machine.encoding


def _of_the_settings(settings: Settings) -> Iterator[tuple[str, Check]]:
    api, metrics = settings.api, settings.scraper.monitoring.prometheus
    yield "sources", partial(configuration.sources, settings)
    yield "storage", partial(disk.storage, settings.storage.root)
    yield "disk", partial(disk.disk, settings.storage.root)
    yield "database", partial(services.database, settings.database.url.get_secret_value())
    yield "port api", partial(ports.port, "port api", api.host, api.port)
    if metrics.enabled:
        yield "port metrics", partial(ports.port, "port metrics", metrics.host, metrics.port)
    else:
        yield "port metrics", partial(absent, "port metrics", "metrics are switched off")
    yield "redis", partial(services.redis, settings.redis.url.get_secret_value())
    yield "broker", partial(services.broker, settings.jobs.broker_url.get_secret_value())


def _installed_at() -> datetime:
    """The clock was not before this when our files were written."""
    return datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
