"""Who is due when, and who goes first: S2's priority queue, with a heap of deadlines before it."""

import heapq
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.match import MatchPriority
from longstop.supervise.agenda import Agenda

LIVE, IMMINENT, COMPLETED = MatchPriority.LIVE, MatchPriority.IMMINENT, MatchPriority.COMPLETED


def always(_: str) -> bool:
    return True


def order(agenda: Agenda, now: float) -> list[str]:
    taken = []
    while (entry := agenda.take(now, always)) is not None:
        taken.append(entry.key)
    return taken


@pytest.mark.req("A6")
def test_of_those_who_are_due_the_live_go_first_then_the_imminent_then_the_completed() -> None:
    agenda = Agenda()
    for key, priority in (("over", COMPLETED), ("soon", IMMINENT), ("on", LIVE)):
        agenda.put(key, "crex", priority, 1.0)
    assert order(agenda, 2.0) == ["on", "soon", "over"]


def test_within_a_class_whoever_is_due_longest_goes_first() -> None:
    agenda = Agenda()
    for due in (3.0, 1.0, 2.0):
        agenda.put(f"at {due:g}", "crex", LIVE, due)
    assert order(agenda, 5.0) == ["at 1", "at 2", "at 3"]


def test_nobody_is_taken_before_he_is_due() -> None:
    agenda = Agenda()
    agenda.put("A", "crex", LIVE, 10.0)
    assert agenda.take(9.9, always) is None
    assert agenda.next_due() == 10.0
    assert order(agenda, 10.0) == ["A"]


def test_a_source_that_may_take_no_more_holds_up_nobody_else() -> None:
    agenda = Agenda()
    agenda.put("A", "full", LIVE, 1.0)
    agenda.put("B", "free", COMPLETED, 2.0)
    entry = agenda.take(5.0, lambda source: source == "free")
    assert entry is not None
    assert entry.key == "B"
    assert agenda.take(5.0, lambda source: source == "free") is None
    assert order(agenda, 5.0) == ["A"]


def test_whoever_is_put_again_is_moved_and_stands_there_once() -> None:
    agenda = Agenda()
    agenda.put("A", "crex", LIVE, 1.0)
    agenda.put("A", "crex", COMPLETED, 5.0)
    assert len(agenda) == 1
    assert order(agenda, 4.0) == []
    assert order(agenda, 5.0) == ["A"]


def test_whoever_was_dropped_is_never_taken_due_or_not() -> None:
    agenda = Agenda()
    agenda.put("A", "crex", LIVE, 1.0)
    agenda.put("B", "crex", LIVE, 1.0)
    first = agenda.take(1.0, always)  # both are ripe now
    assert first is not None
    agenda.drop("B")
    agenda.drop("never there")
    assert order(agenda, 9.0) == []
    assert agenda.next_due() is None


def test_those_who_wait_are_counted_by_class() -> None:
    agenda = Agenda()
    agenda.put("A", "crex", LIVE, 1.0)
    agenda.put("B", "crex", LIVE, 3.0)
    agenda.put("C", "crex", COMPLETED, 2.0)
    assert agenda.waiting(2.5) == {LIVE: 1, IMMINENT: 0, COMPLETED: 1}
    assert agenda.oldest_wait_seconds(2.5) == 1.5


def test_moving_a_match_ten_thousand_times_leaves_no_heap_of_void_places() -> None:
    agenda = Agenda()
    for number in range(10_000):
        agenda.put("A", "crex", LIVE, float(number))
    assert len(agenda._later) < 200


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_it_agrees_with_a_sorted_list(seed: int, steps: int) -> None:
    """Whatever is put, moved, dropped and taken, in whatever order."""
    chance, agenda = Random(seed), Agenda()
    model: dict[str, tuple[int, float, int]] = {}
    number, now = 0, 0.0
    for _ in range(steps):
        key = chance.choice("abcdef")
        if chance.random() < 0.6:
            priority, due = chance.choice(list(MatchPriority)), float(chance.randrange(10))
            agenda.put(key, chance.choice(["x", "y"]), priority, due)
            model[key] = (priority.value, due, number)
            number += 1
        elif chance.random() < 0.5:
            agenda.drop(key)
            model.pop(key, None)
        else:
            now += chance.choice([0.0, 1.0])
            ripe = [(*rank, key) for key, rank in model.items() if rank[1] <= now]
            heapq.heapify(ripe)
            entry = agenda.take(now, always)
            assert (entry.key if entry else None) == (ripe[0][3] if ripe else None)
            if ripe:
                del model[ripe[0][3]]
    assert len(agenda) == len(model)
