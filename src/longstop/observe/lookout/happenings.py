"""What happened to the house, in order: alerts, recoveries and their outcome, and what is well again.

| kind | from |
|---|---|
| alert | AlertRaised, which says all that somebody should be woken for |
| recovery | RecoveryBegun, RecoveryJudged, RecoveryWithheld |
| gap | GapOpened, GapClosed |
| well | what ended: staleness, an alarm, an outage of the database, a bad grade |
| change | a new rung, a pause, a browser replaced, settings read again, a verb of an operator |

The last 300 are kept. The same of the same match again within a minute is counted in its line; so is the same of any
match, once there are three such lines: when a source goes away, a thousand matches are three lines.
"""

from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

import msgspec

from longstop.observe import signals as facts
from longstop.observe.redact import REDACTOR
from longstop.observe.signals import Signals, troubles

KEPT: Final = 300
TEXT_CHARS_MAX: Final = 300
FOLD: Final = timedelta(seconds=60)
_LOOKED_BACK: Final = 8
_ALIKE_MAX: Final = 3
_LEVELS: Final = {"CRITICAL": "critical", "ERROR": "error", "WARN": "warning", "WARNING": "warning"}


class Happening(msgspec.Struct, frozen=True, omit_defaults=True):
    """`level` is good, note, warning, error or critical. `seq` rises also when a line is counted once more."""

    seq: int
    id: int
    at: datetime
    kind: str
    level: str
    what: str
    text: str
    match_id: str = ""
    hint: str = ""
    count: int = 1


class Told(msgspec.Struct, frozen=True):
    """What a signal says, before it has a place in the order."""

    kind: str
    level: str
    what: str
    text: str
    match_id: str = ""
    hint: str = ""


class Happenings:
    def __init__(self) -> None:
        self._seq = 0
        self._kept: deque[Happening] = deque(maxlen=KEPT)

    @property
    def seq(self) -> int:
        return self._seq

    def subscribe(self, bus: Signals) -> None:
        for kind, teller in _TELLERS.items():
            bus.subscribe(kind, self._listening(teller))

    def after(self, seq: int) -> list[Happening]:
        """What is new or was counted again since then, the oldest first."""
        if seq >= self._seq:
            return []
        return sorted((each for each in self._kept if each.seq > seq), key=lambda each: each.seq)

    def of_match(self, match_id: str) -> list[Happening]:
        return [each for each in self._kept if each.match_id == match_id]

    def _listening(self, teller: Callable[[Any], Told | None]) -> Callable[[Any], None]:
        def listen(signal: facts.Signal) -> None:
            told = teller(signal)
            if told is not None:
                self._add(signal.at, told)

        return listen

    def _add(self, at: datetime, told: Told) -> None:
        self._seq += 1
        same = self._same_as(at, told)
        if same is not None:
            self._kept.remove(same)
        self._kept.append(
            Happening(
                seq=self._seq,
                id=same.id if same else self._seq,
                at=at,
                kind=told.kind,
                level=told.level,
                what=told.what,
                text=REDACTOR.text(told.text)[:TEXT_CHARS_MAX],
                match_id=told.match_id,
                hint=REDACTOR.text(told.hint)[:TEXT_CHARS_MAX],
                count=same.count + 1 if same else 1,
            )
        )

    def _same_as(self, at: datetime, told: Told) -> Happening | None:
        """The line that this one is counted in."""
        recent = [each for each in islice(reversed(self._kept), _LOOKED_BACK) if at - each.at <= FOLD]
        alike = [each for each in recent if (each.level, each.what) == (told.level, told.what)]
        same = next((each for each in alike if each.match_id == told.match_id), None)
        return same or (alike[0] if len(alike) >= _ALIKE_MAX else None)


def _alert(alert: facts.AlertRaised) -> Told:
    level = _LEVELS.get(alert.severity, "error")
    return Told("alert", level, alert.alert, alert.message, alert.match_id or "", alert.hint)


def _begun(begun: troubles.RecoveryBegun) -> Told:
    text = f"{_words(begun.action)} of {begun.subject}: {_words(begun.trigger)}"
    return Told("recovery", "warning", "recovery begun", text, _match_of(begun.subject))


def _judged(judged: troubles.RecoveryJudged) -> Told:
    level = {"success": "good", "partial": "warning"}.get(judged.outcome, "error")
    text = f"{_words(judged.action)} of {judged.subject}, judged after {judged.duration_seconds:.0f} s"
    return Told("recovery", level, f"recovery: {judged.outcome}", text, _match_of(judged.subject))


def _withheld(withheld: troubles.RecoveryWithheld) -> Told:
    text = f"{withheld.subject}: {withheld.reason}; tried again in {withheld.wait_seconds:.0f} s"
    return Told("recovery", "warning", "recovery withheld", text, _match_of(withheld.subject))


def _gap_opened(gap: facts.GapOpened) -> Told:
    missing = _counted(("ball", gap.missing_balls), ("run", gap.missing_runs), ("wicket", gap.missing_wickets))
    text = f"Innings {gap.innings}: {missing} missing." if missing else f"Innings {gap.innings}: {gap.cause}"
    return Told("gap", "warning", "gap opened", text, gap.match_id)


def _gap_closed(gap: facts.GapClosed) -> Told:
    level = "good" if gap.state == "repaired" else "error"
    text = f"Innings {gap.innings}, after {gap.open_seconds:.0f} s." + (f" {gap.cause}" if level == "error" else "")
    return Told("gap", level, f"gap {gap.state}", text, gap.match_id)


def _graded(graded: troubles.HealthGraded) -> Told | None:
    if graded.after == "failing":
        return None  # an alert says so
    level = {"healthy": "good", "degraded": "warning"}.get(graded.after, "note")
    return Told("well" if level == "good" else "change", level, f"instance {graded.after}", f"It was {graded.before}.")


def _fresh(ended: troubles.StalenessEnded) -> Told:
    text = f"No longer {ended.kind}, after {ended.duration_seconds:.0f} s."
    return Told("well", "good", "fresh again", text, ended.match_id)


def _cleared(cleared: troubles.AlarmCleared) -> Told:
    text = f"{_words(cleared.kind)} of {cleared.subject}, after {cleared.duration_seconds:.0f} s."
    return Told("well", "good", "alarm cleared", text)


def _database_back(back: facts.StoreRecovered) -> Told:
    text = f"Away for {back.down_seconds:.0f} s; {back.records} records were brought from the spool."
    return Told("well", "good", "database back", text)


def _verb(used: facts.AdminVerbUsed) -> Told:
    level = {"done": "note", "refused": "warning"}.get(used.outcome, "error")
    text = " ".join(part for part in (used.subject, used.detail, used.reason) if part)
    return Told("change", level, f"{used.verb} {used.outcome}", text, used.match_id or "")


def _paused(paused: facts.MatchPaused) -> Told:
    text = f"For {paused.seconds:.0f} s: {paused.reason}"
    return Told("change", "warning", "match rests", text, paused.match_id)


def _rung(changed: facts.RungChanged) -> Told:
    text = f"From {changed.before} to {changed.after}: {changed.reason}"
    return Told("change", "note", "rung changed", text, changed.match_id)


def _browser(recycled: facts.BrowserRecycled) -> Told:
    text = f"{recycled.unit}: {recycled.action} of the {recycled.subject}, {recycled.reason}. {recycled.detail}".strip()
    return Told("change", "note", "browser recycled", text)


def _browser_lost(lost: facts.BrowserLost) -> Told:
    return Told("change", "warning", "browser lost", f"{lost.unit}: {lost.reason}")


def _reloaded(reloaded: facts.ConfigurationReloaded) -> Told | None:
    if not (reloaded.applied or reloaded.needs_restart):
        return None
    text = "; ".join((*reloaded.applied, *(f"needs a restart: {line}" for line in reloaded.needs_restart)))
    return Told("change", "note", "settings reloaded", text)


def _started(started: facts.EngineStarted) -> Told:
    return Told("change", "note", "instance started", f"{started.instance} {started.version}")


def _match_of(subject: str) -> str:
    return "" if subject == "instance" else subject


def _words(name: str) -> str:
    return name.replace("_", " ")


def _counted(*parts: tuple[str, int]) -> str:
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in parts if count > 0)


_TELLERS: Final[Mapping[type[facts.Signal], Callable[[Any], Told | None]]] = {
    facts.AlertRaised: _alert,
    troubles.RecoveryBegun: _begun,
    troubles.RecoveryJudged: _judged,
    troubles.RecoveryWithheld: _withheld,
    facts.GapOpened: _gap_opened,
    facts.GapClosed: _gap_closed,
    troubles.HealthGraded: _graded,
    troubles.StalenessEnded: _fresh,
    troubles.AlarmCleared: _cleared,
    facts.StoreRecovered: _database_back,
    facts.AdminVerbUsed: _verb,
    facts.MatchPaused: _paused,
    facts.RungChanged: _rung,
    facts.BrowserRecycled: _browser,
    facts.BrowserLost: _browser_lost,
    facts.ConfigurationReloaded: _reloaded,
    facts.EngineStarted: _started,
}
