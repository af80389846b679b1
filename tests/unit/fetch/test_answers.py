from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.clock import LoopClock
from longstop.domain.errors import (
    ChallengeError,
    FetchError,
    MatchGoneError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    UnexpectedStatusError,
)
from longstop.fetch.answers import RETRY_AFTER_SECONDS_MAX, error_for, read_retry_after, require_usable

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)

BY_STATUS: dict[int, type[FetchError]] = {
    201: UnexpectedStatusError,
    204: UnexpectedStatusError,
    206: UnexpectedStatusError,
    301: UnexpectedStatusError,
    302: UnexpectedStatusError,
    307: UnexpectedStatusError,
    400: UnexpectedStatusError,
    401: SourceRefusedError,
    403: SourceRefusedError,
    404: MatchGoneError,
    410: MatchGoneError,
    418: UnexpectedStatusError,
    429: SourceThrottledError,
    451: UnexpectedStatusError,
    500: SourceFailingError,
    502: SourceFailingError,
    503: SourceFailingError,
    504: SourceFailingError,
    521: SourceFailingError,
    599: SourceFailingError,
}


@pytest.mark.req("B1")
@pytest.mark.parametrize("status", BY_STATUS)
def test_each_status_is_one_error_of_the_house(status: int) -> None:
    error = error_for(status, {}, "state", NOW)
    assert type(error) is BY_STATUS[status]
    assert error.message == f"The source answered {status} to the state call."
    assert error.hint


@pytest.mark.parametrize("status", [200, 304])
def test_a_usable_answer_is_no_error(status: int) -> None:
    require_usable(status, {}, "state", LoopClock(NOW))


def test_a_source_that_is_down_and_says_for_how_long_is_throttling() -> None:
    error = error_for(503, {"Retry-After": "30"}, "state", NOW)
    assert isinstance(error, SourceThrottledError)
    assert error.retry_after_seconds == 30


RETRY_AFTER = {
    "0": 0.0,
    "7": 7.0,
    " 7 ": 7.0,
    "007": 7.0,
    "3600": 3600.0,
    "3601": 3600.0,
    "999999999": 3600.0,
    "9999999999": 3600.0,
    "9" * 6000: 3600.0,
    "-5": 5.0,
    "1.5": 1.5,
    "7, 20": 20.0,
    "7, soon": 5.0,
    "Mon Jun  1 12:02:00 2026": 120.0,
    "": 5.0,
    "soon": 5.0,
    "7 seconds": 5.0,
    "NaN": 5.0,
    "inf": 5.0,
    "1e3": 5.0,
    "²": 5.0,
    "\x00": 5.0,
    "Mon, 01 Jun 2026 12:00:30 GMT": 30.0,
    "Mon, 01 Jun 2026 14:00:30 +0200": 30.0,
    "Monday, 01-Jun-26 12:00:30 GMT": 30.0,
    "Mon, 01 Jun 2026 11:00:00 GMT": 0.0,
    "Mon, 01 Jun 2027 12:00:00 GMT": 3600.0,
    "Mon, 01 Jun 2026 12:00:30": 30.0,
    "Mon, 01 Jun 2026 12:00:30 -0000": 30.0,
    "Fri, 31 Dec 99999999999 23:59:59 GMT": 5.0,
    "Fri, 31 Dec 9999999999999999999999999 1:1:1": 5.0,
    "Fri, 31 Dec 9999 23:59:59 GMT": 3600.0,
    "Fri, 99 Foo 2026 99:99:99 GMT": 5.0,
    "(" * 3000: 5.0,
}


@pytest.mark.req("B1")
@pytest.mark.parametrize("value", RETRY_AFTER, ids=lambda value: ascii(value)[:40])
def test_the_wish_of_a_source_is_read_and_kept_within_an_hour(value: str) -> None:
    assert read_retry_after(value, NOW) == RETRY_AFTER[value]


def test_a_source_that_says_no_time_gets_five_seconds() -> None:
    error = error_for(429, {}, "state", NOW)
    assert isinstance(error, SourceThrottledError)
    assert error.retry_after_seconds == 5.0


@given(st.one_of(st.text(), st.text("0123456789+-:., GMTJanFri")))
def test_no_wish_breaks_the_reader_or_its_bounds(value: str) -> None:
    assert 0.0 <= read_retry_after(value, NOW) <= RETRY_AFTER_SECONDS_MAX


@pytest.mark.req("B1")
def test_a_date_counts_by_the_clock_of_the_site_that_set_it() -> None:
    """Ours may be an hour off, and so may the site's."""
    headers = {"Date": "Mon, 01 Jun 2026 13:00:00 GMT", "Retry-After": "Mon, 01 Jun 2026 13:00:30 GMT"}
    error = error_for(429, headers, "state", NOW)
    assert isinstance(error, SourceThrottledError)
    assert error.retry_after_seconds == 30


@pytest.mark.req("D7", "B12")
@pytest.mark.parametrize("status", [200, 403, 429, 503])
def test_a_challenge_that_its_header_tells_is_one_whatever_the_status(status: int) -> None:
    error = error_for(status, {"cf-mitigated": "challenge", "retry-after": "5"}, "state", NOW)
    assert isinstance(error, ChallengeError)
    assert error.challenge == "cloudflare"
