"""Where the operations page looks out from. It listens to signals; reading it asks nobody and waits for nothing."""

from collections.abc import Callable, Sequence

from longstop.observe.lookout.ages import Ages
from longstop.observe.lookout.happenings import Happenings
from longstop.observe.lookout.holdings import Holdings
from longstop.observe.signals import Signals


class Lookout:
    """`lines` is handed in by whoever keeps the logs of matches."""

    def __init__(self, lines: Callable[[str], Sequence[bytes]] = lambda _: ()) -> None:
        self.ages = Ages()
        self.happenings = Happenings()
        self.holdings = Holdings()
        self.lines = lines

    def subscribe(self, bus: Signals) -> None:
        self.ages.subscribe(bus)
        self.happenings.subscribe(bus)
        self.holdings.subscribe(bus)
