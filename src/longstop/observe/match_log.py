"""What happened to each match, in memory: its notable signals as JSON lines, not each poll.

Everything is bounded: lines and bytes of a match, bytes of all, matches. The same error again is counted in its line.
Lines pass the redactor when they are made, so what is kept here may be written anywhere.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Final

import msgspec
import orjson

from longstop.observe import signals as facts
from longstop.observe.lines import as_json
from longstop.observe.redact import REDACTOR
from longstop.observe.signals import Signals

LINES_MAX: Final = 500
MATCH_BYTES_MAX: Final = 64 * 1024
ALL_BYTES_MAX: Final = 64 * 1024 * 1024
MATCHES_MAX: Final = 5_000
LINE_BYTES_MAX: Final = 4 * 1024
# What Python needs for a line beside its bytes.
LINE_OVERHEAD_BYTES: Final = 400
KINDS_MAX: Final = 50
_LOOKED_BACK: Final = 4
_TITLE_CHARS_MAX: Final = 300
_STACK_CHARS: Final = 2_000
# Each poll, and what every poll brings, is no news; neither is a state that stands in the record anyway.
_NOT_NOTABLE: Final = (
    facts.PollFinished,
    facts.ScoreStored,
    facts.EventsStored,
    facts.FactsStored,
    facts.AlertDelivered,
)
# A run that brings nothing but these has nothing to tell of a match.
_DULL: Final = frozenset({"match discovered", "scraper started", "scraper stopped", "scraper resumed", "pace changed"})
_ENDS: Final = frozenset({"completed", "archived"})
_GONE: Final = frozenset({"gone", "archived"})
_BULKY: Final = ("at", "match_id", "observation", "listing")
# Figures differ from one time to the next in what is the same trouble.
_DIGITS: Final = re.compile(r"[0-9]+")
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Line(msgspec.Struct):
    """`key` tells what counts as the same; without one a line stands for itself."""

    text: bytes
    key: str
    count: int = 1
    last_at: datetime | None = None

    @property
    def bytes_held(self) -> int:
        return len(self.text) + len(self.key) + LINE_OVERHEAD_BYTES


class Stretch(msgspec.Struct):
    """The log of one match since it was last written down."""

    match_id: str
    began_at: datetime
    ended_at: datetime
    lines: deque[Line] = msgspec.field(default_factory=deque)
    events: Counter[str] = msgspec.field(default_factory=Counter)
    errors: Counter[str] = msgspec.field(default_factory=Counter)
    title: str = ""
    state: str = ""
    reason: str = ""
    bytes_held: int = 0
    dropped: int = 0
    is_failing: bool = False

    @property
    def is_dull(self) -> bool:
        return _DULL.issuperset(self.events)

    def encoded(self) -> Iterator[bytes]:
        for line in self.lines:
            yield line.text if line.count == 1 else _repeated(line)


class MatchLogs:
    """Listens to the bus. `due` names the matches whose log is to be written down, and why."""

    def __init__(self, all_bytes_max: int = ALL_BYTES_MAX) -> None:
        self.due: dict[str, str] = {}
        self.bytes_held = 0
        self._all_bytes_max = all_bytes_max
        self._stretches: dict[str, Stretch] = {}

    def subscribe(self, bus: Signals) -> None:
        bus.subscribe_all(self.note)

    def note(self, signal: facts.Signal) -> None:
        match_id = getattr(signal, "match_id", None)
        if not match_id:
            return
        if isinstance(signal, facts.PollFinished):
            self._note_poll(signal)
        elif not isinstance(signal, _NOT_NOTABLE):
            self._note(match_id, signal)
            self._judge(match_id, signal)

    def told_since(self, known: Mapping[str, datetime]) -> list[Stretch]:
        """Copies of what has something to tell, and something new since these moments."""
        return [
            msgspec.structs.replace(stretch, lines=deque(stretch.lines))
            for match_id, stretch in self._stretches.items()
            if not stretch.is_dull and known.get(match_id) != stretch.ended_at
        ]

    def matches(self) -> tuple[str, ...]:
        return tuple(self._stretches)

    def lines(self, match_id: str) -> list[bytes]:
        """What is kept of a match and was not handed over yet, the oldest first."""
        stretch = self._stretches.get(match_id)
        return list(stretch.encoded()) if stretch is not None else []

    def take(self, match_id: str, reason: str) -> Stretch | None:
        """Hands the log of a match over, and begins a new one with its next line."""
        self.due.pop(match_id, None)
        stretch = self._stretches.pop(match_id, None)
        if stretch is not None:
            self.bytes_held -= stretch.bytes_held
            stretch.reason = reason
        return stretch

    def _note_poll(self, poll: facts.PollFinished) -> None:
        """A poll is told only when it ends a time of errors."""
        stretch = self._stretches.get(poll.match_id)
        if stretch is not None and stretch.is_failing and poll.fresh_at is not None:
            stretch.is_failing = False
            self._add(stretch, poll.at, "match recovered", {"rung": poll.rung, "outcome": poll.outcome}, "")

    def _note(self, match_id: str, signal: facts.Signal) -> None:
        event = _CAPITAL.sub(" ", type(signal).__name__).lower()
        fields = {name: value for name, value in msgspec.structs.asdict(signal).items() if name not in _BULKY}
        stretch = self._of(match_id, signal.at)
        key = ""
        if isinstance(signal, facts.ErrorRaised):
            stretch.is_failing = True
            _count(stretch.errors, signal.error_type)
            key = f"{signal.operation}:{signal.error_type}:{_DIGITS.sub('#', signal.error_message[:200])}"
        elif isinstance(signal, facts.ObservationRejected):
            key = f"rejected:{_DIGITS.sub('#', ';'.join(signal.reasons)[:200])}"
        elif isinstance(signal, facts.MatchDiscovered):
            stretch.title = REDACTOR.text(signal.title)[:_TITLE_CHARS_MAX]
        elif isinstance(signal, facts.MatchStateChanged):
            stretch.state = signal.after
        self._add(stretch, signal.at, event, fields, key)

    def _judge(self, match_id: str, signal: facts.Signal) -> None:
        """Whether the match is over for us: then its log is due."""
        if isinstance(signal, facts.MatchStateChanged) and signal.after in _ENDS:
            self.due[match_id] = signal.after
        elif isinstance(signal, facts.ScraperStopped) and signal.reason in _GONE:
            self.due[match_id] = signal.reason

    def _add(self, stretch: Stretch, at: datetime, event: str, fields: dict[str, Any], key: str) -> None:
        stretch.ended_at = at
        _count(stretch.events, event)
        if key and (same := _same_as(stretch, key)) is not None:
            same.count += 1
            same.last_at = at
            return
        line = Line(_encoded(at, event, fields), key)
        stretch.lines.append(line)
        self._hold(stretch, line.bytes_held)
        while len(stretch.lines) > LINES_MAX or stretch.bytes_held > MATCH_BYTES_MAX:
            self._drop_oldest(stretch)
        while self.bytes_held > self._all_bytes_max:
            self._drop_oldest(max(self._stretches.values(), key=lambda each: each.bytes_held))

    def _of(self, match_id: str, at: datetime) -> Stretch:
        stretch = self._stretches.get(match_id)
        if stretch is None:
            while len(self._stretches) >= MATCHES_MAX:
                self.take(next(iter(self._stretches)), "no room")
            stretch = self._stretches[match_id] = Stretch(match_id, at, at)
        return stretch

    def _hold(self, stretch: Stretch, size: int) -> None:
        stretch.bytes_held += size
        self.bytes_held += size

    def _drop_oldest(self, stretch: Stretch) -> None:
        self._hold(stretch, -stretch.lines.popleft().bytes_held)
        stretch.dropped += 1


def _count(counter: Counter[str], kind: str) -> None:
    """Kinds may come from outside, so their number is bounded."""
    counter[kind if kind in counter or len(counter) < KINDS_MAX else "other"] += 1


def _same_as(stretch: Stretch, key: str) -> Line | None:
    """Among the last few: two errors in turn are still the same two errors."""
    return next((line for line in islice(reversed(stretch.lines), _LOOKED_BACK) if line.key == key), None)


def _encoded(at: datetime, event: str, fields: dict[str, Any]) -> bytes:
    moment = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    stack = fields.get("stack_trace")
    if isinstance(stack, str):
        # The end says most. From the next line on, so that no secret is cut in half and shown.
        fields["stack_trace"] = stack if len(stack) <= _STACK_CHARS else stack[-_STACK_CHARS:].partition("\n")[2]
    event_of = {"timestamp": moment, "event": event}
    text = as_json(
        event_of | {name: value for name, value in fields.items() if value not in (None, "", {}, ())}, REDACTOR
    )
    if len(text) > LINE_BYTES_MAX:
        # Redacted as a whole first: a secret that is cut in half is no longer known as one.
        short = {name: REDACTOR.text(str(fields[name]))[:_SHORT_CHARS] for name in _SHORT if fields.get(name)}
        text = as_json(event_of | short | {"is_cut": True}, REDACTOR)
    return text.encode()


_SHORT_CHARS: Final = 200
_SHORT: Final = ("severity", "error_type", "error_message", "operation", "reason", "hint")


def _repeated(line: Line) -> bytes:
    last = line.last_at.isoformat(timespec="milliseconds").replace("+00:00", "Z") if line.last_at else None
    document: dict[str, Any] = orjson.loads(line.text)
    return as_json(document | {"occurrences": line.count, "last_at": last}, REDACTOR).encode()


def left_behind(match_id: str, body: bytes) -> Stretch | None:
    """The stretch of a process that was killed, from its lines; None when not one of them can be read."""
    told = [line for text in body.splitlines() if (line := _line_of(text)) is not None]
    moments = [moment for line in told if (moment := _moment(line.get("timestamp"))) is not None]
    if not moments:
        return None
    states = [str(line["after"]) for line in told if line.get("event") == "match state changed" and "after" in line]
    titles = [str(line["title"]) for line in told if line.get("event") == "match discovered" and "title" in line]
    return Stretch(
        match_id,
        min(moments),
        max(moments),
        lines=deque(Line(orjson.dumps(line), "") for line in told),
        events=Counter(str(line.get("event")) for line in told),
        errors=Counter(str(line["error_type"]) for line in told if "error_type" in line),
        title=titles[-1] if titles else "",
        state=states[-1] if states else "",
        reason="the process was killed",
    )


def _line_of(text: bytes) -> dict[str, Any] | None:
    try:
        line = orjson.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
