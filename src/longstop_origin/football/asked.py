"""What a request asks for: told by its path alone."""

import re
from datetime import date

from msgspec import Struct

EVENT, LINEUPS, INCIDENTS, STATISTICS = "event", "lineups", "incidents", "statistics"
LIST, LIVE, PAGE, HOME_PAGE, ASSET, UNKNOWN = "list", "live", "page", "home page", "asset", "unknown"
OF_A_MATCH = frozenset({EVENT, LINEUPS, INCIDENTS, STATISTICS})
CALLS = OF_A_MATCH | {LIST, LIVE}
DOCUMENTS = frozenset({PAGE, HOME_PAGE})

_PATHS = (
    (re.compile(r"/api/v1/event/(\d{1,15})"), EVENT),
    (re.compile(r"/api/v1/event/(\d{1,15})/lineups"), LINEUPS),
    (re.compile(r"/api/v1/event/(\d{1,15})/incidents"), INCIDENTS),
    (re.compile(r"/api/v1/event/(\d{1,15})/statistics"), STATISTICS),
    (re.compile(r"/api/v1/sport/football/scheduled-events/(\d{4}-\d\d-\d\d)"), LIST),
    (re.compile(r"/api/v1/sport/football/events/(live)"), LIVE),
    (re.compile(r"/football/match/[^/]{1,200}/([A-Za-z]{1,20})"), PAGE),
    (re.compile(r"/(?:football)?()"), HOME_PAGE),
    (re.compile(r"/(?:_next|static|img|gtm|ads|pixel)/(.{1,200})"), ASSET),
)


class Asked(Struct, frozen=True):
    """`key` is the match, the day or the name of the asset."""

    kind: str
    key: str = ""


def asked_for(path: str) -> Asked:
    for pattern, kind in _PATHS:
        found = pattern.fullmatch(path)
        if found is not None:
            return Asked(kind, found[1])
    return Asked(UNKNOWN)


def read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
