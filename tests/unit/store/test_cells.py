"""Times as text that sorts as time does."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.errors import StoreError
from longstop.store.cells import KEY_LENGTH_MAX, key_text, moment_as_text, moment_as_utc, moment_from_text

zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=zones)  # noqa: DTZ001 - the zone is added


@given(moments, moments)
def test_text_sorts_as_time_does(first: datetime, second: datetime) -> None:
    one, other = moment_as_text(first), moment_as_text(second)
    assert one is not None
    assert other is not None
    assert (one < other, one == other) == (first < second, first == second)


@given(moments)
def test_a_moment_comes_back_to_the_microsecond_and_in_utc(moment: datetime) -> None:
    text = moment_as_text(moment)
    assert text is not None
    assert len(text) == 27
    back = moment_from_text(text)
    assert back is not None
    assert back == moment == moment_as_utc(moment)
    assert back.tzinfo is UTC


def test_no_moment_stays_none() -> None:
    assert [moment_as_text(None), moment_from_text(None), moment_as_utc(None)] == [None] * 3


def test_a_moment_without_a_zone_is_refused() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the very thing that is refused
    for write in (moment_as_text, moment_as_utc):
        with pytest.raises(StoreError, match="has no zone"):
            write(naive)


def test_a_key_has_a_bound() -> None:
    assert key_text("k" * KEY_LENGTH_MAX)
    with pytest.raises(StoreError, match="301 characters"):
        key_text("k" * (KEY_LENGTH_MAX + 1))
