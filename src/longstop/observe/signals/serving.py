"""What happens to those who read."""

from longstop.observe.signals.bus import Signal


class StreamEnded(Signal, frozen=True, kw_only=True):
    """`subject` is a match id, or all matches; `reason` is too slow, stopping, or that the reader left."""

    subject: str
    reason: str
    duration_seconds: float
