"""The tester is tested: a bug is planted at run time, and the storm must find it.

Nothing of this is known to the house itself. Each bug is one small patch, taken back when its storms are over.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest

from longstop.virtual_time import DeadlockError
from longstop_origin.storm import run_seed

Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Bug:
    name: str
    plant: Plant


@dataclass(frozen=True)
class Found:
    """`finding` says what gave the bug away."""

    seed: int
    finding: str


class Bed:
    """Where bugs are planted, in the order in which they are written down."""

    def __init__(self) -> None:
        self.bugs: list[Bug] = []

    def __call__(self, name: str) -> Callable[[Plant], Plant]:
        def planted(plant: Plant) -> Plant:
            self.bugs.append(Bug(name, plant))
            return plant

        return planted


def first_found(bug: Bug, seeds: Iterable[int]) -> Found | None:
    with pytest.MonkeyPatch.context() as patch:
        bug.plant(patch)
        for seed in seeds:
            try:
                findings = run_seed(seed).findings
            except DeadlockError as error:
                return Found(seed, str(error))
            if findings:
                return Found(seed, str(findings[0]))
    return None
