"""State machines as tables: the code, the tests and the diagrams all read the same rows."""

from enum import Enum
from typing import Generic, TypeVar

import msgspec

from longstop.domain.errors import IllegalTransitionError

StateT = TypeVar("StateT", bound=Enum)


class Transition(msgspec.Struct, Generic[StateT], frozen=True):
    """One row: in `source`, when `event` happens, go to `target`; `action` says what is done on the way."""

    source: StateT
    event: str
    target: StateT
    action: str = ""


class Machine(msgspec.Struct, Generic[StateT], frozen=True):
    """A named table of transitions. It holds no state of its own."""

    name: str
    title: str
    initial: StateT
    transitions: tuple[Transition[StateT], ...]

    def step(self, state: StateT, event: str) -> Transition[StateT]:
        """The row for this state and event; an unknown pair is an error and changes nothing."""
        for row in self.transitions:
            if row.source is state and row.event == event:
                return row
        raise IllegalTransitionError(f"{self.title}: there is no step '{event}' from {state.name}.")

    def advance(self, state: StateT, event: str) -> StateT:
        return self.step(state, event).target

    def can(self, state: StateT, event: str) -> bool:
        return any(row.source is state and row.event == event for row in self.transitions)

    def events(self) -> frozenset[str]:
        return frozenset(row.event for row in self.transitions)
