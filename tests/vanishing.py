"""A match that its site shows no more."""

from benchmarks.simulated import Simulation
from longstop_origin.fixture import Fixture


class Vanishing:
    """A site that answers 404 to every call for one match from a moment on, and lists it no longer, unless it is
    `still_listed`."""

    def __init__(self, simulation: Simulation, key: str, *, still_listed: bool = False) -> None:
        self._known = simulation.site.known
        self._listed = simulation.site._listed
        self._key = key
        self._still_listed = still_listed
        self.is_gone = False
        simulation.site.known = self.known  # type: ignore[method-assign]  # the site of this test
        simulation.site._listed = self.listed  # type: ignore[method-assign]  # the same

    def known(self, key: str, now: float) -> Fixture | None:
        return None if self.is_gone and key == self._key else self._known(key, now)

    def listed(self, now: float) -> list[Fixture]:
        is_hidden = self.is_gone and not self._still_listed
        return [each for each in self._listed(now) if not (is_hidden and each.key == self._key)]
