"""Which calls the site takes. The address of the site is handed in, so that the origin can stand in for it."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from longstop.domain.match import MatchRef
from longstop.fetch.snapshot import FetchRequest
from longstop.sources.contract import Missing

SOURCE = "crex"
_JSON = (("Accept", "application/json"),)


def match_list(base_url: str) -> FetchRequest:
    return _get(f"{base_url}/fixture/getFixture", "list")


def live_state(base_url: str, ref: MatchRef) -> FetchRequest:
    return _get(f"{base_url}/api/v3/getSV3?key={quote(ref.key, safe='')}", "state", ref)


def ball_feed(base_url: str, ref: MatchRef, missing: Missing) -> FetchRequest:
    query = urlencode({"key": ref.key, "inning": missing.innings, "from": missing.first_over, "to": missing.last_over})
    return _get(f"{base_url}/commentary/getBallFeeds?{query}", "feed", ref)


def names(base_url: str, players: Sequence[str], teams: Sequence[str], series: Sequence[str]) -> FetchRequest:
    query = urlencode({"p": ",".join(players), "t": ",".join(teams), "s": ",".join(series)}, safe=",")
    return _get(f"{base_url}/mapping/getHomeMapData?{query}", "names")


def match_page(base_url: str, key: str, slug: str) -> str:
    """The slug is the site's own text; it may decorate the address but not lead elsewhere."""
    return f"{base_url}/cricket-live-score/{quote(slug, safe='')}-match-updates-{quote(key, safe='')}"


def _get(url: str, purpose: str, ref: MatchRef | None = None) -> FetchRequest:
    key, page = (ref.key, ref.url) if ref else ("", "")
    return FetchRequest(source=SOURCE, url=url, purpose=purpose, headers=_JSON, key=key, page=page)
