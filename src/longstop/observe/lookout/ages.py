"""How old each match was, over the last ten minutes: the peak of each quarter of a minute.

Between two captures an age rises with time alone, so nobody need be asked: it is enough to note the captures.
"""

from bisect import bisect_left
from collections import deque
from datetime import datetime
from typing import Final

from longstop.observe import signals as facts
from longstop.observe.signals import Signals

SLOT_SECONDS: Final = 15.0
SLOTS: Final = 40
MATCHES_MAX: Final = 5_000
# A slot is one letter: ages up to ten minutes in 63 steps, the last one for all beyond. A dot: nobody watched.
LETTERS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
UNWATCHED: Final = "."
AGE_MAX_SECONDS: Final = 600.0
_STEPS: Final = tuple((1.0 + AGE_MAX_SECONDS) ** ((step + 1) / 62) - 1.0 for step in range(62))
_UNSEEN: Final = -1.0


def letter_of(seconds: float) -> str:
    """The step whose upper edge is not below: no age is made to look younger."""
    return UNWATCHED if seconds < 0 else LETTERS[bisect_left(_STEPS, seconds - 1e-6)]


class AgeHistory:
    """Of one match. `_since` is its last capture, or the beginning of its watch; None while nobody watches."""

    __slots__ = ("_letters", "_peak", "_since", "_slot", "_text", "scraper_id")

    def __init__(self, at: datetime) -> None:
        self.scraper_id = ""
        self._since: float | None = at.timestamp()
        self._slot = _slot(at)
        self._peak = _UNSEEN
        self._letters: deque[str] = deque(maxlen=SLOTS)
        self._text = ""

    def begin(self, at: datetime) -> None:
        self._rise(at)
        if self._since is None:
            self._since = at.timestamp()

    def capture(self, at: datetime, captured_at: datetime) -> None:
        """The age has risen until now, and falls to that of the new capture."""
        self._rise(at)
        self._since = max(self._since or 0.0, captured_at.timestamp())

    def rest(self, at: datetime) -> None:
        self._rise(at)
        self._since = None

    def text(self, now: datetime) -> str:
        """The oldest first. The slot that is still filling is left out, so the text changes once in its length."""
        self._rise(now)
        return self._text

    def _rise(self, at: datetime) -> None:
        """A clock that was set back changes nothing."""
        last, now = _slot(at), at.timestamp()
        if last > self._slot:
            self._fill(last)
        if self._since is not None:
            self._peak = max(self._peak, now - self._since)

    def _fill(self, last: int) -> None:
        for slot in range(max(self._slot, last - SLOTS), last):
            at_its_end = _UNSEEN if self._since is None else (slot + 1) * SLOT_SECONDS - self._since
            self._letters.append(letter_of(max(self._peak, at_its_end)))
            self._peak = _UNSEEN
        self._slot = last
        self._text = "".join(self._letters)


def _slot(at: datetime) -> int:
    return int(at.timestamp() // SLOT_SECONDS)


class Ages:
    """Of every match that is watched, or was a while ago."""

    def __init__(self) -> None:
        self._histories: dict[str, AgeHistory] = {}

    def subscribe(self, bus: Signals) -> None:
        bus.subscribe(facts.ScraperStarted, self._on_started)
        bus.subscribe(facts.ScraperStopped, self._on_stopped)
        bus.subscribe(facts.PollFinished, self._on_polled)
        bus.subscribe(facts.MatchStateChanged, self._on_state_changed)

    def text(self, match_id: str, now: datetime) -> str:
        """Empty for a match that nobody has watched yet."""
        history = self._histories.get(match_id)
        return history.text(now) if history is not None else ""

    def _on_started(self, signal: facts.ScraperStarted) -> None:
        history = self._histories.get(signal.match_id)
        if history is None:
            while len(self._histories) >= MATCHES_MAX:
                self._histories.pop(next(iter(self._histories)))
            history = self._histories[signal.match_id] = AgeHistory(signal.at)
        history.scraper_id = signal.scraper_id
        history.begin(signal.at)

    def _on_stopped(self, signal: facts.ScraperStopped) -> None:
        """Make before break: the stop of a predecessor is no news about its successor."""
        history = self._histories.get(signal.match_id)
        if history is not None and history.scraper_id == signal.scraper_id:
            history.rest(signal.at)

    def _on_polled(self, signal: facts.PollFinished) -> None:
        history = self._histories.get(signal.match_id)
        if history is not None and signal.fresh_at is not None:
            history.capture(signal.at, signal.fresh_at)

    def _on_state_changed(self, signal: facts.MatchStateChanged) -> None:
        if signal.after == "archived":
            self._histories.pop(signal.match_id, None)
