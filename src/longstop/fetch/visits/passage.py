"""A session's way out: the port of the filtering proxy that leads to its exit, and who is seen to come by it."""

from typing import Protocol

import msgspec

from longstop.domain.capture import ExitView, NetworkFigures
from longstop.domain.errors import ExitFailedError
from longstop.fetch.browser.needs import Profile
from longstop.fetch.egress.proxy import Lease
from longstop.fetch.egress.streams import Traffic


class Passage(msgspec.Struct, frozen=True, eq=False):
    """One sticky session. `lease` is its right to go out through the filtering proxy, by a port that leads to its exit
    and no other; `profile` is coherent with where the exit is."""

    session_id: str
    lease: Lease
    profile: Profile
    view: ExitView

    @property
    def server(self) -> str:
        """The filtering proxy's port of this session, never an outer proxy."""
        return self.lease.server

    @property
    def traffic(self) -> Traffic:
        """Its exact count, which goes on counting."""
        return self.lease.traffic

    def exit_failure(self) -> ExitFailedError | None:
        """What went wrong with the exit since it was asked last: a browser is only told that the way is closed."""
        failure, self.lease.exit_failed = self.lease.exit_failed, None
        return failure


class Passages(Protocol):
    """Who keeps the sessions and changes them. A passage that was taken is judged once."""

    async def take(self, key: str, /) -> Passage:
        """For one attempt at one match. The same as last time while that is good, and another when it is not."""
        ...

    def judged(self, passage: Passage, key: str, error: Exception | None, network: NetworkFigures, /) -> None:
        """What came of the attempt, and what it moved."""
        ...

    def alive(self) -> frozenset[str]:
        """The sessions that may be taken again; what is known of others may be thrown away."""
        ...

    async def close(self) -> None: ...
