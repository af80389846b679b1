"""The date of the last change: it spares a body, and never hides a change."""

from email.utils import parsedate_to_datetime

import pytest

from tests.unit.origin.callers import EPOCH, Caller, a_site, first


def test_a_date_spares_the_body() -> None:
    caller = Caller(a_site())
    caller.now = next(now for now in _moments() if "Last-Modified" in caller_at(caller, now).headers)
    seen = caller.state()
    assert parsedate_to_datetime(seen.headers["Last-Modified"]).timestamp() < caller.now
    caller.headers["If-Modified-Since"] = seen.headers["Last-Modified"]
    assert (caller.state().status, caller.state().body) == (304, b"")
    caller.now += 120
    assert caller.state().status == 200


def _moments() -> list[float]:
    return [EPOCH + step / 4 for step in range(200)]


def caller_at(caller: Caller, now: float):
    caller.now = now
    return caller.state()


def test_who_asks_by_date_misses_no_change() -> None:
    """Many changes fall into one second here: asked four times a second, the body kept is always the newest."""
    caller, watcher = Caller(a_site()), Caller(a_site())
    body, spared = b"", 0
    for now in _moments():
        caller.now = watcher.now = now
        reply = caller.state()
        spared += reply.status == 304
        body = body if reply.status == 304 else reply.body
        caller.headers = {"If-Modified-Since": date} if (date := reply.headers.get("Last-Modified")) else {}
        assert body == watcher.state().body
    assert spared > 5


@pytest.mark.parametrize(
    "date", ["", "yesterday", "Mon, 99 Foo 2023 00:00:00 GMT", "\udcff", "Thu, 01 Jan 1970 00:00:00 GMT"]
)
def test_a_date_that_says_nothing_brings_the_body(date: str) -> None:
    caller = Caller(a_site(), If_Modified_Since=date)
    assert {caller_at(caller, now).status for now in _moments()[:40]} == {200}


def test_the_tag_counts_for_more_than_the_date() -> None:
    caller = Caller(a_site(), If_Modified_Since="Fri, 01 Jan 2100 00:00:00 GMT", If_None_Match='"another"')
    assert {caller_at(caller, now).status for now in _moments()[:40]} == {200}


def test_feeds_and_cards_are_dated_too() -> None:
    caller = Caller(a_site())
    caller.now = next(now for now in _moments() if "Last-Modified" in caller_at(caller, now).headers)
    *dated, names = caller.match_calls(first(caller.site).key)
    assert len({reply.headers["Last-Modified"] for reply in dated}) == 1
    assert "Last-Modified" not in names.headers
