"""The age of a match, quarter of a minute by quarter of a minute."""

from datetime import UTC, datetime, timedelta

import pytest

from longstop.observe import signals as facts
from longstop.observe.lookout.ages import LETTERS, MATCHES_MAX, SLOTS, AgeHistory, Ages, letter_of
from longstop.observe.signals import Signals

pytestmark = pytest.mark.req("H5")

START = datetime(2025, 11, 12, 12, 0, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def edge_of(letter: str) -> float:
    """The upper edge of its step, as the page reads it."""
    return float(601.0 ** ((LETTERS.index(letter) + 1) / 62) - 1)


@pytest.mark.parametrize("age", [0.0, 0.4, 2.5, 9.99, 10.0, 60.0, 599.0])
def test_a_letter_makes_no_age_look_younger_nor_much_older(age: float) -> None:
    assert age - 1e-6 <= edge_of(letter_of(age)) <= age * 1.11 + 0.11


def test_what_is_older_than_ten_minutes_is_the_last_letter() -> None:
    assert letter_of(601) == letter_of(1e9) == LETTERS[62]


def test_each_slot_tells_the_peak_within_it() -> None:
    history = AgeHistory(START)
    for second in (2, 5, 9, 14, 20, 29.5, 44):
        history.capture(at(second), at(second))
    told = history.text(at(46))
    assert [round(edge_of(letter)) for letter in told] == [5, 10, 15]


def test_an_outage_rises_through_all_its_slots() -> None:
    history = AgeHistory(START)
    ages = [edge_of(letter) for letter in history.text(at(75))]
    assert ages == sorted(ages)
    assert ages[-1] == pytest.approx(75, rel=0.11)


def test_only_ten_minutes_are_kept_however_long_nobody_looked() -> None:
    history = AgeHistory(START)
    assert history.text(at(3 * 86_400)) == LETTERS[62] * SLOTS


def test_a_clock_that_was_set_back_changes_nothing() -> None:
    history = AgeHistory(START)
    history.capture(at(40), at(40))
    before = history.text(at(46))
    history.capture(at(3), at(3))
    assert history.text(at(3)) == before


def test_the_time_in_which_nobody_watches_has_no_age() -> None:
    bus, ages = Signals(), Ages()
    ages.subscribe(bus)
    bus.emit(facts.ScraperStarted(at=at(0), match_id="m", scraper_id="a", source="s"))
    bus.emit(facts.ScraperStopped(at=at(14), match_id="m", scraper_id="a", reason="paused"))
    bus.emit(facts.ScraperStarted(at=at(46), match_id="m", scraper_id="b", source="s"))
    assert ages.text("m", at(61))[1:3] == ".."
    assert ages.text("m", at(61))[3] != "."


def test_the_stop_of_a_predecessor_is_no_end() -> None:
    bus, ages = Signals(), Ages()
    ages.subscribe(bus)
    bus.emit(facts.ScraperStarted(at=at(0), match_id="m", scraper_id="a", source="s"))
    bus.emit(facts.ScraperStarted(at=at(5), match_id="m", scraper_id="b", source="s"))
    bus.emit(facts.ScraperStopped(at=at(6), match_id="m", scraper_id="a", reason="replaced"))
    assert "." not in ages.text("m", at(46))


def test_no_number_of_matches_fills_the_memory() -> None:
    bus, ages = Signals(), Ages()
    ages.subscribe(bus)
    for number in range(MATCHES_MAX + 10):
        bus.emit(facts.ScraperStarted(at=START, match_id=f"m{number}", scraper_id="a", source="s"))
    assert len(ages._histories) == MATCHES_MAX
    bus.emit(facts.MatchStateChanged(at=START, match_id="m20", before="completed", after="archived", reason="aged"))
    assert ages.text("m20", at(20)) == ""
