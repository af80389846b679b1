"""The life of a browser in the pool."""

from enum import Enum

from longstop.domain.machine import Machine, Transition


class UnitState(Enum):
    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"
    LOST = "lost"
    CLOSED = "closed"


UNIT_LIFECYCLE = Machine(
    name="browser-unit",
    title="Browser unit",
    initial=UnitState.STARTING,
    transitions=(
        Transition(UnitState.STARTING, "started", UnitState.READY, "give places to those who wait"),
        Transition(UnitState.STARTING, "failed", UnitState.LOST, "try again after a pause"),
        Transition(
            UnitState.READY, "superseded", UnitState.DRAINING, "the successor is ready: ask every lease to move"
        ),
        Transition(UnitState.READY, "died", UnitState.LOST, "end every lease, start another"),
        Transition(UnitState.DRAINING, "died", UnitState.LOST, "end every lease"),
        Transition(UnitState.DRAINING, "drained", UnitState.CLOSED, "no lease is left, or the drain deadline passed"),
        Transition(UnitState.LOST, "killed", UnitState.CLOSED, "the process group is gone, its folder is removed"),
        Transition(UnitState.STARTING, "closed", UnitState.CLOSED, "the pool stops"),
        Transition(UnitState.READY, "closed", UnitState.CLOSED, "the pool stops, or nobody needs it any more"),
        Transition(UnitState.DRAINING, "closed", UnitState.CLOSED, "the pool stops"),
        Transition(UnitState.LOST, "closed", UnitState.CLOSED, "the pool stops"),
    ),
)
