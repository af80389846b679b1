"""The list, the ball feed, the names, the scorecard, and the requests for them."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from longstop.clock import from_millis
from longstop.domain.cricket import Extras, OverReport
from longstop.domain.errors import MalformedPayloadError
from longstop.domain.match import MatchRef, MatchStatus
from longstop.sources.contract import Missing
from longstop.sources.crex import CrexSource
from tests.crex import CARD, FEED, LISTED, MILLIS, NAMES, OVER, REF, changed, snapshot

BASE = "http://127.0.0.1:8080"
SOURCE = CrexSource(BASE)


def test_a_listed_match_has_all_that_the_list_says() -> None:
    (listing,) = SOURCE.parse_list(snapshot([LISTED]))
    assert listing.ref.match_id == "crex_QUY"
    assert listing.ref.url == f"{BASE}/cricket-live-score/usa-vs-uae-32nd-match-cwc-league-2-match-updates-QUY"
    assert listing.title == "CD v 11, 32nd Match"
    assert listing.teams == ("CD", "11")
    assert (listing.format, listing.series) == ("ODI", "1JK")
    assert listing.venue == "Central Broward Park, Lauderhill"
    assert listing.starts_at == from_millis(MILLIS)


@pytest.mark.parametrize(
    ("number", "status"),
    [(0, MatchStatus.UPCOMING), (1, MatchStatus.LIVE), (2, MatchStatus.COMPLETED), (7, MatchStatus.LIVE)],
)
def test_the_number_of_the_list_is_a_status(number: int, status: MatchStatus) -> None:
    (listing,) = SOURCE.parse_list(snapshot([changed(LISTED, st=number)]))
    assert listing.status is status


def test_a_listed_match_needs_only_its_key_and_its_teams() -> None:
    (listing,) = SOURCE.parse_list(snapshot([{"key": "QUY", "t1": "CD", "t2": "11"}]))
    assert (listing.title, listing.starts_at) == ("CD v 11", None)


BROKEN_ROWS: tuple[Any, ...] = (
    {},
    5,
    None,
    "QUY",
    [],
    changed(LISTED, key="../../etc"),
    changed(LISTED, key=""),
    changed(LISTED, key=5),
    changed(LISTED, t1=None),
    changed(LISTED, t1=["CD"]),
    changed(LISTED, ti=10**18),
    changed(LISTED, ti=-5),
    changed(LISTED, ti="soon"),
    changed(LISTED, ti=10**30),
    changed(LISTED, st="live"),
    changed(LISTED, t2="x" * 1000),
)


@pytest.mark.parametrize("row", BROKEN_ROWS, ids=lambda row: str(row)[:40])
def test_a_broken_row_costs_that_row_only(row: Any) -> None:
    whole = changed(LISTED, key="AB1")
    assert [listing.ref.key for listing in SOURCE.parse_list(snapshot([row, whole]))] == ["AB1"]


@pytest.mark.parametrize(
    "slug", ["../../evil", "a/b?c=d#e", "x\r\nSet-Cookie: y", "javascript:alert(1)", "//evil.example", "ü"]
)
def test_the_slug_of_a_site_cannot_lead_elsewhere(slug: str) -> None:
    (listing,) = SOURCE.parse_list(snapshot([changed(LISTED, slug=slug)]))
    parts = urlsplit(listing.ref.url)
    assert f"{parts.scheme}://{parts.netloc}" == BASE
    assert parts.path.count("/") == 2
    assert not parts.query
    assert not parts.fragment
    assert listing.ref.url.isascii()
    assert listing.ref.url.isprintable()


@pytest.mark.parametrize("body", [b"{}", b"null", b'"x"', b"5", b"<html>", b"", b"[", b'{"error":"match not found"}'])
def test_a_list_that_is_none_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedPayloadError):
        SOURCE.parse_list(snapshot(body))


def test_an_empty_list_is_a_list_without_matches() -> None:
    assert SOURCE.parse_list(snapshot([])) == ()


def test_a_feed_gives_every_over_that_was_asked_for_and_is_begun() -> None:
    feed = SOURCE.parse_feed(REF, Missing(1, 29, 33), snapshot(FEED))
    assert [report.over for report in feed.overs] == [29, 30, 31]
    assert feed.overs[0] == OverReport(1, 29, ())
    assert [len(report.deliveries) for report in feed.overs] == [0, 6, 2]
    assert (feed.last_over, feed.sequence) == (31, 312)


def test_a_feed_of_an_innings_without_a_ball_is_empty() -> None:
    feed = SOURCE.parse_feed(REF, Missing(1, 0, 9), snapshot(changed(FEED, rb=[], last=-1)))
    assert (feed.overs, feed.last_over) == ((), -1)


def test_overs_that_were_not_asked_for_are_left_out() -> None:
    feed = SOURCE.parse_feed(REF, Missing(1, 31, 31), snapshot(FEED))
    assert [report.over for report in feed.overs] == [31]


def test_a_feed_may_lack_its_clock_and_its_number() -> None:
    assert SOURCE.parse_feed(REF, Missing(1, 30, 31), snapshot(changed(FEED, sq=None, ts=None))).sequence is None


@pytest.mark.parametrize(
    "content",
    [
        changed(FEED, key="OTHER"),
        changed(FEED, inning=2),
        changed(FEED, key=None),
        changed(FEED, inning=None),
        changed(FEED, rb=None),
        changed(FEED, rb={}),
        changed(FEED, last=10**9),
        changed(FEED, last="31"),
        changed(FEED, rb=[changed(OVER, o=10**9)]),
        changed(FEED, rb=[changed(OVER, o=-1)]),
        changed(FEED, sq=10**30),
        changed(FEED, ts=10**18),
        [],
        b"",
    ],
    ids=lambda content: str(content)[:60],
)
def test_a_feed_of_something_else_or_of_a_wrong_shape_is_malformed(content: Any) -> None:
    with pytest.raises(MalformedPayloadError):
        SOURCE.parse_feed(REF, Missing(1, 30, 31), snapshot(content))


def test_names_are_read_and_empty_ones_left_out() -> None:
    content = changed(NAMES, p=[*NAMES["p"], {"f_key": "ZZ", "n": ""}], t=[*NAMES["t"], {"f_key": "11", "n": "UAE"}])
    names = SOURCE.parse_names(snapshot(content))
    assert names.players == {"XX": "Lorcan Tucker", "6A5": "Stephen Doheny"}
    assert names.teams == {"CD": "United States", "11": "UAE"}
    assert names.teams_short == {"CD": "USA"}
    assert names.series == {"1JK": "Men's CWC League-II 2023-27"}


def test_an_answer_without_a_name_names_nobody() -> None:
    names = SOURCE.parse_names(snapshot({}))
    assert [names.players, names.teams, names.teams_short, names.series] == [{}, {}, {}, {}]


@pytest.mark.parametrize("content", [[], {"p": 5}, {"p": [{"n": "x"}]}, {"p": [{"f_key": "x" * 999, "n": "x"}]}, b"x"])
def test_names_of_a_wrong_shape_are_malformed(content: Any) -> None:
    with pytest.raises(MalformedPayloadError):
        SOURCE.parse_names(snapshot(content))


@pytest.mark.parametrize(
    ("content", "kind"),
    [([LISTED], "match_list"), (FEED, "ball_feed"), (NAMES, "names"), ([CARD, CARD], "scorecard")],
)
def test_a_saved_payload_is_known_by_its_shape(content: Any, kind: str) -> None:
    assert SOURCE.read(snapshot(content)).kind == kind


def test_a_scorecard_gives_one_score_an_innings() -> None:
    told = SOURCE.read(snapshot([CARD, changed(CARD, c="11", z="closed")])).innings
    assert [(score.number, score.team, score.runs, score.overs) for score in told] == [
        (1, "CD", 106, "31.1"),
        (2, "11", 106, "31.1"),
    ]
    assert told[0].extras == Extras(wides=5, noballs=1, byes=2, legbyes=4)


def test_a_scorecard_of_a_real_site_needs_no_key_of_ours() -> None:
    (score,) = SOURCE.read(snapshot([{"c": "CD", "d": "106/10(187", "b": [], "a": []}])).innings
    assert (score.runs, score.wickets, score.legal_balls, score.overs) == (106, 10, 187, "31.1")


@pytest.mark.parametrize(
    ("request_", "path", "query"),
    [
        (SOURCE.list_matches(), "/fixture/getFixture", {}),
        (SOURCE.live_state(REF), "/api/v3/getSV3", {"key": ["QUY"]}),
        (
            SOURCE.ball_feed(REF, Missing(2, 10, 19)),
            "/commentary/getBallFeeds",
            {"key": ["QUY"], "inning": ["2"], "from": ["10"], "to": ["19"]},
        ),
        (SOURCE.names_for(["XX", "6A5"], ["CD"]), "/mapping/getHomeMapData", {"p": ["XX,6A5"], "t": ["CD"]}),
    ],
    ids=["list", "state", "feed", "names"],
)
def test_each_call_goes_where_the_document_says(request_: Any, path: str, query: dict[str, list[str]]) -> None:
    parts = urlsplit(request_.url)
    assert f"{parts.scheme}://{parts.netloc}" == BASE
    assert (parts.path, parse_qs(parts.query)) == (path, query)
    assert (request_.method, request_.source) == ("GET", "crex")


def test_a_hostile_code_stays_inside_its_parameter() -> None:
    ref = MatchRef("crex", "a/../b?x=1&key=c#d\r\n")
    for request in (SOURCE.live_state(ref), SOURCE.ball_feed(ref, Missing(1, 0, 9)), SOURCE.names_for(["a&t=b\n"], [])):
        parts = urlsplit(request.url)
        assert f"{parts.scheme}://{parts.netloc}" == BASE
        assert not parts.fragment
        assert set(parse_qs(parts.query)) <= {"key", "inning", "from", "to", "p", "t"}
        assert all(len(values) == 1 for values in parse_qs(parts.query).values())
        assert request.url.isprintable()


def test_a_request_is_a_value_that_nobody_changes() -> None:
    with pytest.raises(AttributeError):
        SOURCE.list_matches().url = "http://elsewhere"  # type: ignore[misc]  # that is what is tried
    assert msgspec.structs.asdict(SOURCE.list_matches())["purpose"] == "list"
