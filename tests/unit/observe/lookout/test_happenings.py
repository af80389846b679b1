"""What happened, told once, in order, and in bounded memory."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from longstop.observe import signals as facts
from longstop.observe.lookout.happenings import KEPT, TEXT_CHARS_MAX, Happenings
from longstop.observe.redact import HIDDEN
from longstop.observe.signals import Signals, troubles

pytestmark = pytest.mark.req("H5")

START = datetime(2025, 11, 12, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def bus() -> Signals:
    return Signals()


@pytest.fixture
def happenings(bus: Signals) -> Happenings:
    made = Happenings()
    made.subscribe(bus)
    return made


def alert(match_id: str, seconds: float = 0, **more: Any) -> facts.AlertRaised:
    fields: dict[str, Any] = {"alert": "stale match", "severity": "ERROR", "message": "It is late."} | more
    return facts.AlertRaised(at=START + timedelta(seconds=seconds), match_id=match_id, **fields)


def test_a_recovery_is_told_when_it_begins_and_when_it_is_judged(bus: Signals, happenings: Happenings) -> None:
    bus.emit(troubles.RecoveryBegun(at=START, entry_id="e", action="soft_restart", subject="crex_A", trigger="overdue"))
    bus.emit(
        troubles.RecoveryJudged(
            at=START, entry_id="e", action="soft_restart", subject="crex_A", outcome="success", duration_seconds=21
        )
    )
    begun, judged = happenings.after(0)
    assert (begun.level, begun.text, begun.match_id) == ("warning", "soft restart of crex_A: overdue", "crex_A")
    assert (judged.level, judged.what) == ("good", "recovery: success")
    assert happenings.of_match("crex_A") == [begun, judged]


def test_the_same_of_one_match_is_counted_in_its_line(bus: Signals, happenings: Happenings) -> None:
    bus.emit(alert("crex_A"))
    seen = happenings.seq
    bus.emit(alert("crex_A", 30))
    (again,) = happenings.after(seen)
    assert again.count == 2
    assert len(happenings.after(0)) == 1


def test_after_a_minute_the_same_is_news(bus: Signals, happenings: Happenings) -> None:
    bus.emit(alert("crex_A"))
    bus.emit(alert("crex_A", 61))
    assert [each.count for each in happenings.after(0)] == [1, 1]


def test_a_thousand_matches_in_one_trouble_are_a_few_lines(bus: Signals, happenings: Happenings) -> None:
    for number in range(1_000):
        bus.emit(alert(f"crex_{number}"))
    told = happenings.after(0)
    assert len(told) == 3
    assert sum(each.count for each in told) == 1_000


def test_only_the_newest_are_kept_and_what_is_long_is_cut(bus: Signals, happenings: Happenings) -> None:
    for number in range(KEPT + 50):
        bus.emit(alert(f"crex_{number}", seconds=number * 100, message="x" * 5_000))
    told = happenings.after(0)
    assert len(told) == KEPT
    assert told[-1].match_id == f"crex_{KEPT + 49}"
    assert len(told[-1].text) == TEXT_CHARS_MAX


def test_no_secret_is_told(bus: Signals, happenings: Happenings) -> None:
    bus.emit(alert("crex_A", message="no answer from https://user:hunter2@proxy.invalid/", hint="token=abcdefgh1234"))
    (told,) = happenings.after(0)
    assert "hunter2" not in told.text
    assert "abcdefgh1234" not in told.hint
    assert HIDDEN in told.text


def test_what_is_well_again_is_told(bus: Signals, happenings: Happenings) -> None:
    bus.emit(troubles.StalenessEnded(at=START, match_id="crex_A", kind="overdue", duration_seconds=130))
    bus.emit(facts.StoreRecovered(at=START, down_seconds=61, records=40))
    bus.emit(facts.GapClosed(at=START, match_id="crex_A", gap_id="g", innings=1, open_seconds=4, state="unrecoverable"))
    assert [(each.level, each.what) for each in happenings.after(0)] == [
        ("good", "fresh again"),
        ("good", "database back"),
        ("error", "gap unrecoverable"),
    ]
