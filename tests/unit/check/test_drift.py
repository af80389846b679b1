"""A page that is rebuilt is noticed while the selectors behind the first still find what they look for."""

import pytest

from longstop.check.drift import SelectorDrift

USUAL = {"team": 0, "runs": 0}
SHIFTED = {"team": 0, "runs": 1}


def drift_after(*pages: dict[str, int], window: int = 3) -> SelectorDrift:
    drift = SelectorDrift(window)
    for matched in pages:
        drift.note("crex", matched)
    return drift


@pytest.mark.req("B10")
def test_a_field_drifts_when_only_later_selectors_find_it() -> None:
    drift = drift_after(USUAL, SHIFTED, SHIFTED, SHIFTED)
    assert drift.is_drifting("crex", "runs")
    assert not drift.is_drifting("crex", "team")
    assert drift.drifting("crex") == ("runs",)


def test_too_few_pages_tell_nothing() -> None:
    assert drift_after(SHIFTED, SHIFTED).drifting("crex") == ()


def test_one_page_of_the_usual_kind_among_the_last_is_no_drift() -> None:
    assert drift_after(SHIFTED, USUAL, SHIFTED).drifting("crex") == ()


def test_a_drift_ends_with_the_first_page_of_the_usual_kind() -> None:
    drift = drift_after(SHIFTED, SHIFTED, SHIFTED)
    drift.note("crex", USUAL)
    assert drift.drifting("crex") == ()


def test_a_field_that_nothing_finds_is_missing_and_does_not_drift() -> None:
    drift = drift_after(USUAL, {"team": 0}, {"team": 0}, {"team": 0})
    assert not drift.is_drifting("crex", "runs")


def test_pages_on_which_the_field_is_missing_do_not_hide_a_drift() -> None:
    assert drift_after({"team": 0}, SHIFTED, {"team": 0}).is_drifting("crex", "runs")


def test_sources_are_counted_apart() -> None:
    drift = drift_after(SHIFTED, SHIFTED, SHIFTED)
    drift.note("espn", USUAL)
    assert drift.drifting("espn") == ()
    assert drift.counts("espn") == {"runs": {0: 1}, "team": {0: 1}}
    assert drift.drifting("nobody") == ()


def test_every_page_is_counted_by_the_selector_that_helped() -> None:
    drift = drift_after(USUAL, USUAL, SHIFTED, {"team": 2, "runs": 1}, window=2)
    assert drift.counts("crex") == {"team": {0: 3, 2: 1}, "runs": {0: 2, 1: 2}}


def test_a_caller_may_use_its_mapping_again() -> None:
    matched = dict(SHIFTED)
    drift = drift_after(matched, matched, matched)
    matched["runs"] = 0
    assert drift.is_drifting("crex", "runs")


def test_memory_does_not_grow_with_the_pages() -> None:
    drift = drift_after(*[SHIFTED] * 10_000)
    assert len(drift._recent["crex"]) == 3
    assert len(drift._counts) == 2
