"""The process stood still as a whole: it was stopped by a signal, its machine slept, or the loop did not turn.

What nobody did meanwhile says nothing of those who should have done it. So whoever judges by ages gives everybody one
interval to catch up before anything is restarted. Ages are told as they are all the time.
"""


class Standstill:
    """Several look in turn, at least one of them every second: a long pause between two looks was everybody's."""

    def __init__(self, still_seconds: float = 10.0, forgive_seconds: float = 30.0) -> None:
        self._still_seconds = still_seconds
        self._forgive_seconds = forgive_seconds
        self._looked_at: float | None = None
        self._forgiven_until = float("-inf")

    def is_forgiving(self, elapsed: float) -> bool:
        """Each time before anybody is judged; this is a look too."""
        before, self._looked_at = self._looked_at, elapsed
        if before is not None and elapsed - before >= self._still_seconds:
            self._forgiven_until = elapsed + self._forgive_seconds
        return elapsed < self._forgiven_until
