"""Who we say we are.

By default the truth: our name, our version, and whom to ask. Where a source's own configuration says so, a browser's
manner is taken on, as a whole: user agent, languages, time zone and viewport that belong together (a `Profile`), its
TLS (`coherent_tls`, extra `coherent`) and a driver that does not give itself away (`stealth`, extra `stealth`).

For stealth the choice is patchright: the driver itself is patched, it has Playwright's own interface, its licence is
Apache-2.0, and it runs Debian's Chromium. playwright-stealth only writes over properties inside the page, which a
page can see. Patchright brings its own driver, so it lies beside Playwright without touching it; more than once a
release of it was shipped unpatched, so each browser is asked before it is believed.
"""

import importlib
import importlib.util
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from longstop import __version__
from longstop.domain.errors import ExtraMissingError, SettingsError
from longstop.domain.extras import installing
from longstop.fetch.browser.drivers import PATCHRIGHT
from longstop.fetch.browser.needs import Profile

NAME: Final = "Longstop"
USER_AGENT_LENGTH_MAX: Final = 300
_PRODUCT: Final = re.compile(r"(?P<name>[A-Za-z0-9!#$%&'*+.^_`|~-]+)/")
_LOCALE: Final = re.compile(r"(?P<language>[a-z]{2,3})(-[A-Z][a-z]{3})?(-(?P<region>[A-Z]{2}|[0-9]{3}))?")
_MOBILE: Final = re.compile(r"\b(Mobile|Android|iPhone)\b")
_MOBILE_WIDTH_MAX: Final = 1000


def user_agent(configured: str = "") -> str:
    """Our name and version, with the contact that was configured, or the whole header when one was configured."""
    given = configured.strip()
    if len(given) > USER_AGENT_LENGTH_MAX or not (given.isascii() and (given.isprintable() or not given)):
        raise SettingsError(
            "The user agent holds characters that no header takes, or is too long.",
            hint=f"Set scraper.fetch.user_agent to at most {USER_AGENT_LENGTH_MAX} plain letters, or to a contact.",
        )
    if _PRODUCT.match(given) and "://" not in given.partition(" ")[0]:
        return given
    return f"{NAME}/{__version__} (+{given or 'resilient score watcher'})"


def product_token(agent: str) -> str:
    """The name that a robots.txt calls us by."""
    found = _PRODUCT.match(agent)
    return found["name"] if found else agent.partition(" ")[0] or NAME


def accept_language(locale: str) -> str:
    """As a browser with this locale sends it: `pt-BR,pt;q=0.9`."""
    language = locale.partition("-")[0]
    return locale if language == locale else f"{locale},{language};q=0.9"


def require_coherent(profile: Profile) -> Profile:
    """A profile that contradicts itself is worse than none."""
    faults = tuple(_faults_of(profile))
    if faults:
        raise SettingsError(
            f"The browser profile does not fit together: {'; '.join(faults)}.", hint="Correct the profile."
        )
    return profile


def require_extra(module: str, extra: str, wanted_by: str) -> ModuleType:
    """An optional part, imported when somebody asks for it and not before."""
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        raise ExtraMissingError(
            f"{wanted_by} is on, and its part is not installed.",
            hint=f"Run {installing(extra)}, or switch {wanted_by} off.",
        )
    return importlib.import_module(module)


def require_stealth(source: str) -> None:
    """Asked at the start: a source that must not be met by a browser that gives itself away is not met at all."""
    require_extra(PATCHRIGHT, "stealth", f"sources.{source}.stealth")


def _faults_of(profile: Profile) -> Iterator[str]:
    found = _LOCALE.fullmatch(profile.locale)
    if found is None:
        yield f"{profile.locale[:40]!r} is no locale such as en-GB"
    if not _is_time_zone(profile.timezone_id):
        yield f"{profile.timezone_id[:60]!r} is no time zone such as Europe/London"
    if profile.user_agent and not profile.user_agent.isprintable():
        yield "the user agent holds characters that no header takes"
    width, height = profile.viewport
    if not (200 <= width <= 8000 and 200 <= height <= 8000):
        yield f"no screen is {width} by {height}"
    if _MOBILE.search(profile.user_agent) and width > _MOBILE_WIDTH_MAX:
        yield f"the user agent is a telephone's and the viewport is {width} wide"
    for name, value in profile.extra_headers:
        if name.lower() == "accept-language" and found and not value.startswith(found["language"]):
            yield f"Accept-Language does not begin with the language of {profile.locale}"
        if name.lower() == "user-agent":
            yield "the user agent is set twice"


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return "/" in name or name == "UTC"
