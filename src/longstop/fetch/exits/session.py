"""One sticky session: a visitor who comes by one exit for a batch of matches, and is then never seen again."""

import random
from typing import Final

import msgspec

from longstop.domain.capture import ExitView
from longstop.fetch.browser.needs import Profile
from longstop.fetch.exits.exit import Exit
from longstop.fetch.exits.outcome import Outcome


class SessionUse(msgspec.Struct, frozen=True):
    """What one visit moved. Zero requests is not known."""

    requests: int = 0
    bytes_in: int = 0


NOTHING_MOVED: Final = SessionUse()
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


def session_name(rng: random.Random) -> str:
    """As gateways take it: eight small letters and digits."""
    return "".join(rng.choices(_LETTERS, k=8))


class ExitSession(msgspec.Struct, eq=False):
    """Cookies belong to a session and end with it: `is_over` tells its holder to close the context. `profile` fits to
    where the exit is. Times are the monotonic clock's."""

    session_id: str
    exit: Exit
    profile: Profile
    created_at: float
    last_used_at: float
    matches: int = 0
    successes: int = 0
    failures: int = 0
    requests: int = 0
    bytes_in: int = 0
    silences: int = 0
    is_in_use: bool = False
    ended: str = ""

    @property
    def is_over(self) -> bool:
        return bool(self.ended)

    @property
    def proxy_id(self) -> str:
        return self.exit.proxy_id

    @property
    def view(self) -> ExitView:
        return ExitView(self.exit.pool, self.exit.country, self.session_id, self.exit.proxy_id)

    def count(self, outcome: Outcome, use: SessionUse) -> None:
        self.requests += use.requests
        self.bytes_in += use.bytes_in
        self.successes += outcome is Outcome.GOOD
        self.failures += outcome is not Outcome.GOOD
        if outcome is Outcome.GOOD:
            self.silences = 0
        self.silences += outcome is Outcome.SILENT
