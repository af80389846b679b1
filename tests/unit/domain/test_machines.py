"""The tables against the data model of the documents, row by row."""

from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.errors import IllegalTransitionError
from longstop.domain.lifecycle import HEALTH_GRADE, MACHINES, MATCH_LIFECYCLE, TASK_RETRY
from longstop.domain.machine import Machine

DOCUMENTED = {
    "match-lifecycle": """
        DISCOVERED --> ACTIVE
        ACTIVE --> PAUSED
        PAUSED --> ACTIVE
        ACTIVE --> COMPLETED
        COMPLETED --> ARCHIVED
        PAUSED --> COMPLETED
    """,
    "task-retry": """
        PENDING --> EXECUTING
        EXECUTING --> SUCCESS
        EXECUTING --> FAILED
        FAILED --> PENDING
        FAILED --> ABANDONED
    """,
    "health-grade": """
        HEALTHY --> DEGRADED
        DEGRADED --> FAILING
        FAILING --> RECOVERING
        RECOVERING --> HEALTHY
        DEGRADED --> HEALTHY
        FAILING --> DEGRADED
    """,
}
INITIAL = {"match-lifecycle": "DISCOVERED", "task-retry": "PENDING", "health-grade": "HEALTHY"}
FINAL = {"match-lifecycle": {"ARCHIVED"}, "task-retry": {"SUCCESS", "ABANDONED"}, "health-grade": set()}

AnyMachine = Machine[Any]
each_machine = pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)


def states(machine: AnyMachine) -> list[Enum]:
    kind: type[Enum] = type(machine.initial)
    return list(kind)


@each_machine
@pytest.mark.req("A5")
def test_the_table_has_the_documented_steps_and_no_other(machine: AnyMachine) -> None:
    documented = {tuple(line.split(" --> ")) for line in DOCUMENTED[machine.name].split("\n") if "-->" in line}
    documented = {(source.strip(), target.strip()) for source, target in documented}
    found = [(row.source.name, row.target.name) for row in machine.transitions]
    assert set(found) == documented
    assert len(found) == len(documented)


@each_machine
def test_each_machine_starts_where_the_documents_start_it(machine: AnyMachine) -> None:
    assert machine.initial.name == INITIAL[machine.name]


@each_machine
def test_no_state_has_the_same_event_twice(machine: AnyMachine) -> None:
    pairs = [(row.source, row.event) for row in machine.transitions]
    assert len(pairs) == len(set(pairs))


@each_machine
def test_every_state_can_be_reached_and_only_the_end_states_have_no_way_out(machine: AnyMachine) -> None:
    reached: set[Enum] = {machine.initial}
    last: set[Enum] = set()
    while reached != last:
        last = set(reached)
        reached |= {row.target for row in machine.transitions if row.source in reached}
    assert reached == set(states(machine))
    leaving = {row.source for row in machine.transitions}
    assert {state.name for state in states(machine) if state not in leaving} == FINAL[machine.name]


@each_machine
def test_an_unknown_step_is_refused_and_names_the_machine_the_event_and_the_state(machine: AnyMachine) -> None:
    before = machine.transitions
    for state in states(machine):
        for event in {*machine.events(), "explode", ""}:
            if machine.can(state, event):
                continue
            with pytest.raises(IllegalTransitionError) as refused:
                machine.advance(state, event)
            assert machine.title in refused.value.message
            assert f"'{event}'" in refused.value.message
            assert state.name in refused.value.message
            assert refused.value.hint
    assert machine.transitions is before


@given(machine=st.sampled_from(MACHINES), data=st.data())
def test_any_walk_follows_the_table_and_a_refused_event_leaves_the_state(
    machine: AnyMachine, data: st.DataObject
) -> None:
    state = machine.initial
    allowed = {(row.source, row.event): row.target for row in machine.transitions}
    events = st.sampled_from(sorted({*machine.events(), "explode"}))
    for event in data.draw(st.lists(events, max_size=30)):
        expected = allowed.get((state, event))
        assert machine.can(state, event) is (expected is not None)
        if expected is None:
            with pytest.raises(IllegalTransitionError):
                machine.step(state, event)
        else:
            state = machine.advance(state, event)
            assert state is expected


def test_the_step_of_one_machine_is_no_step_of_another() -> None:
    assert MATCH_LIFECYCLE.can(MATCH_LIFECYCLE.initial, "scraped")
    with pytest.raises(IllegalTransitionError):
        TASK_RETRY.advance(TASK_RETRY.initial, "scraped")
    with pytest.raises(IllegalTransitionError):
        HEALTH_GRADE.advance(HEALTH_GRADE.initial, "scraped")


def test_a_table_cannot_be_changed_at_run_time() -> None:
    with pytest.raises(AttributeError):
        MATCH_LIFECYCLE.initial = MATCH_LIFECYCLE.transitions[0].target  # type: ignore[misc]  # that is what is tried
    assert isinstance(MATCH_LIFECYCLE.transitions, tuple)
    assert msgspec.structs.replace(MATCH_LIFECYCLE, name="other") is not MATCH_LIFECYCLE


@pytest.mark.parametrize(
    "action", ["freshness index", "paused matches", "reset the failure count", "every 5 min", "24 h"]
)
def test_the_actions_of_the_documents_stand_beside_their_steps(action: str) -> None:
    assert any(action in row.action for row in MATCH_LIFECYCLE.transitions)
