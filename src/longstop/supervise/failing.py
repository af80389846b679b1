"""How a failure of ours is told: with its stack, for whoever mends it."""

import traceback
from typing import Protocol

from longstop.clock import Clock
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.watch import Watch


class Voice(Protocol):
    @property
    def clock(self) -> Clock: ...

    @property
    def bus(self) -> Signals: ...


def tell_failure(voice: Voice, operation: str, failure: BaseException, watch: Watch | None = None) -> None:
    voice.bus.emit(
        signals.ErrorRaised(
            at=voice.clock.now(),
            severity="ERROR",
            error_type=getattr(failure, "kind", "internal"),
            error_message=f"{type(failure).__name__}: {failure}",
            hint="This is a fault of ours, not of the source: please report it with this stack.",
            operation=operation,
            match_id=watch.ref.match_id if watch else None,
            scraper_id=watch.scraper_id if watch else None,
            url=watch.ref.url if watch else "",
            stack_trace="".join(traceback.format_exception(failure)),
        )
    )
