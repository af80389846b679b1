"""What may be captured: the very paths that are wanted, at the source's own hosts, as JSON."""

import pytest

from longstop.domain.match import MatchRef
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.visits.allow_list import AllowList
from longstop.sources.sofascore import requests

SITE = "https://www.sofascore.com"
REF = MatchRef("sofascore", "77", f"{SITE}/match/77")
LIST = AllowList(
    rules_for("sofascore", SITE, ("api.sofascore.com",)),
    {"event": requests.event(SITE, REF), "lineups": requests.lineups(SITE, REF)},
    ("application/json",),
)
pytestmark = pytest.mark.req("D3")


@pytest.mark.parametrize(
    ("url", "family"),
    [
        (f"{SITE}/api/v1/event/77", "event"),
        ("https://api.sofascore.com/api/v1/event/77/lineups?_=12", "lineups"),
        (f"{SITE}/api/v1/event/78", None),
        (f"{SITE}/api/v1/event/77/", None),
        (f"{SITE}/api/v1/event/77/votes", None),
        (f"{SITE}/x/api/v1/event/77", None),
        ("https://www.sofascore.com.evil.example/api/v1/event/77", None),
        ("https://www.sofascore.com:8443/api/v1/event/77", None),
        ("https://user@www.sofascore.com/api/v1/event/77", None),
        ("https://evil.example/api/v1/event/77", None),
        ("data:application/json,{}", None),
    ],
)
def test_a_family_is_told_by_host_and_whole_path(url: str, family: str | None) -> None:
    assert LIST.family("GET", url) == family


def test_another_method_is_another_call() -> None:
    assert LIST.family("POST", f"{SITE}/api/v1/event/77") is None


@pytest.mark.parametrize(
    ("kind", "is_wanted"),
    [("application/json", True), ("Application/JSON; charset=utf-8", True), ("text/html", False), ("", False)],
)
def test_only_the_kind_of_content_that_is_wanted_counts(kind: str, is_wanted: bool) -> None:
    assert LIST.is_content(kind) is is_wanted
