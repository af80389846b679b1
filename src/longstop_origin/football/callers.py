"""Who called, how often, and who may not any more. Addresses are those of the TCP connections, whatever they claim."""

from collections import Counter, deque
from collections.abc import Iterable
from hashlib import blake2b

from msgspec import Struct

WINDOW_SECONDS = 60.0
JOURNAL_MAX = 200_000


class Entry(Struct, frozen=True):
    """One request that was answered, or refused. `session` is the cookie that it brought, shortened."""

    number: int
    at: float
    address: str
    session: str
    kind: str
    key: str
    status: int
    why: str = ""
    body_bytes: int = 0


class Caller(Struct):
    """One address. `while_banned` are the requests that came inside a ban."""

    requests: int = 0
    calls: int = 0
    throttled: int = 0
    challenged: int = 0
    while_banned: int = 0
    banned_until: float = 0.0
    first_at: float = 0.0
    last_at: float = 0.0
    throttled_in_a_row: int = 0


class Callers:
    def __init__(self) -> None:
        self.known: dict[str, Caller] = {}
        self.sessions: Counter[str] = Counter()
        self.journal: deque[Entry] = deque(maxlen=JOURNAL_MAX)
        self._recent: dict[str, deque[float]] = {}
        self._bans: dict[str, float] = {}
        self._numbered = 0

    def met(self, address: str, now: float) -> Caller:
        caller = self.known.get(address)
        if caller is None:
            caller = self.known[address] = Caller(first_at=now, banned_until=self._bans.get(address, 0.0))
        caller.requests += 1
        caller.last_at = now
        return caller

    def calls_lately(self, address: str, now: float) -> int:
        """In the last minute, this one among them."""
        recent = self._recent.setdefault(address, deque())
        recent.append(now)
        while recent[0] <= now - WINDOW_SECONDS:
            recent.popleft()
        return len(recent)

    def ban(self, addresses: Iterable[str], until: float) -> None:
        """Also of those who have not come yet."""
        for address in addresses:
            self._bans[address] = until
            if address in self.known:
                self.known[address].banned_until = until

    def share_of(self, addresses: Iterable[str], percent: float, salt: str) -> list[str]:
        """The same of them for the same salt, whatever their order."""
        ranked = sorted(set(addresses), key=lambda each: blake2b(f"{salt}:{each}".encode(), digest_size=8).digest())
        return ranked[: round(len(ranked) * percent / 100)]

    def note(self, entry: Entry) -> None:
        """Numbers it, and counts the session."""
        self._numbered += 1
        self.journal.append(Entry(self._numbered, *(getattr(entry, name) for name in Entry.__struct_fields__[1:])))
        if entry.session:
            self.sessions[entry.session] += 1

    @property
    def numbered(self) -> int:
        return self._numbered
