"""Which calls the site takes. The address of the site is handed in, so that the origin can stand in for it."""

from datetime import date
from urllib.parse import quote

from longstop.domain.football import FootballEvent
from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import FetchRequest

SOURCE = "sofascore"
_JSON = (("Accept", "application/json"),)


def scheduled(base_url: str, day: date) -> FetchRequest:
    return _get(f"{base_url}/api/v1/sport/football/scheduled-events/{day:%Y-%m-%d}", "event_list")


def live(base_url: str) -> FetchRequest:
    return _get(f"{base_url}/api/v1/sport/football/events/live", "event_list")


def event(base_url: str, ref: MatchRef) -> FetchRequest:
    return _get(_address(base_url, ref), "event", ref)


def incidents(base_url: str, ref: MatchRef) -> FetchRequest:
    return _get(f"{_address(base_url, ref)}/incidents", "incidents", ref)


def lineups(base_url: str, ref: MatchRef) -> FetchRequest:
    return _get(f"{_address(base_url, ref)}/lineups", "lineups", ref)


def statistics(base_url: str, ref: MatchRef) -> FetchRequest:
    return _get(f"{_address(base_url, ref)}/statistics", "statistics", ref)


def page(base_url: str, told: FootballEvent) -> str:
    """Where a person sees the match."""
    path = told.page or f"/event/{quote(told.key, safe='')}"
    return base_url + path


def _address(base_url: str, ref: MatchRef) -> str:
    return f"{base_url}/api/v1/event/{quote(ref.key, safe='')}"


def _get(url: str, purpose: str, ref: MatchRef | None = None) -> FetchRequest:
    key, page = (ref.key, ref.url) if ref else ("", "")
    return FetchRequest(source=SOURCE, url=url, purpose=purpose, headers=_JSON, key=key, page=page)
