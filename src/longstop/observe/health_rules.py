"""Health by the documents' rules. Pure.

S1's words leave one case open, that nothing is live at all. It is settled like this: with no active scraper the
instance is

- **healthy** when no source is switched on: it lives on what is pushed, or rests, and either was chosen,
- **down** when a match that should be watched is not,
- **healthy** when a source's list was read lately and shows nothing live: there is nothing to do, and it is being done,
- **degraded** for the first minute, while it is not yet known what is live, and **down** after that.
"""

from typing import Final

import msgspec

_STARTING_SECONDS: Final = 60.0
_LIST_SECONDS_MAX: Final = 300.0
_DOCUMENTED_SCRAPERS: Final = 10


def scraper_health(error_count: int, staleness_seconds: float) -> str:
    """S1, ScraperContext.get_health_status."""
    if error_count > 5 or staleness_seconds > 300:
        return "failing"
    if error_count > 2 or staleness_seconds > 120:
        return "degraded"
    return "healthy"


class Vitals(msgspec.Struct, frozen=True):
    """All that the overall status depends on."""

    active: int
    unwell: int
    unwatched: int
    errors_last_minute: int
    uptime_seconds: float
    list_age_seconds: float | None
    is_idle_by_choice: bool = False


def overall_health(vitals: Vitals) -> str:
    """S1: healthy with all scrapers well and under 5 errors a minute, degraded with some stale or 5 to 10 errors, down
    with no active scraper or more than 10."""
    errors = _errors_at_the_documents_scale(vitals)
    if errors > 10:
        return "down"
    if vitals.active == 0:
        return _health_of_nothing(vitals)
    if vitals.unwell or errors >= 5:
        return "degraded"
    return "healthy"


def _errors_at_the_documents_scale(vitals: Vitals) -> float:
    """S1's figures are for an instance of ten scrapers, which S0 asks for. With two hundred, ten errors a minute are
    two polls in a thousand: then the same figures are taken per ten scrapers."""
    return vitals.errors_last_minute / max(1.0, vitals.active / _DOCUMENTED_SCRAPERS)


def _health_of_nothing(vitals: Vitals) -> str:
    if vitals.unwatched and not vitals.is_idle_by_choice:
        return "down"
    was_listed = vitals.list_age_seconds is not None and vitals.list_age_seconds <= _LIST_SECONDS_MAX
    if vitals.is_idle_by_choice or was_listed:
        return "degraded" if vitals.errors_last_minute >= 5 else "healthy"
    return "degraded" if vitals.uptime_seconds <= _STARTING_SECONDS else "down"
