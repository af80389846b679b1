"""What the log of a match says, sorted for people: errors, verdicts, the pace, the ways, all else."""

from collections.abc import Iterable
from typing import Any, Final

import orjson
from msgspec import Struct

LINES_MAX: Final = 60
_WORDS_MAX: Final = 400
# Gaps have their own part of the page, alerts stand among what happened.
_SHOWN_ELSEWHERE: Final = frozenset({"gap opened", "gap closed", "alert raised"})


class Entry(Struct, frozen=True, omit_defaults=True):
    """`at` is ISO 8601, as the log has it. `evidence` names files below storage.root."""

    at: str
    what: str
    text: str
    hint: str = ""
    count: int = 1
    evidence: list[str] = []


class Pace(Struct, frozen=True):
    at: str
    before: float
    after: float
    reason: str


class Journal(Struct, frozen=True):
    """Each the newest first. `verdicts` are payloads that were not believed, and ways that did not agree."""

    errors: list[Entry]
    verdicts: list[Entry]
    paces: list[Pace]
    others: list[Entry]


def journal_of(lines: Iterable[bytes]) -> Journal:
    journal = Journal([], [], [], [])
    for line in lines:
        _sort(orjson.loads(line), journal)
    for part in (journal.errors, journal.verdicts, journal.paces, journal.others):
        part.reverse()
        del part[LINES_MAX:]
    return journal


def _sort(told: dict[str, Any], journal: Journal) -> None:
    event, at = str(told.get("event", "")), str(told.get("last_at") or told.get("timestamp", ""))
    if event == "pace changed":
        journal.paces.append(
            Pace(at, _number(told.get("before_seconds")), _number(told.get("seconds")), str(told.get("reason", "")))
        )
    elif event == "error raised":
        journal.errors.append(_error(at, told))
    elif event == "observation rejected":
        reasons = told.get("reasons")
        text = "; ".join(map(str, reasons)) if isinstance(reasons, list) else str(reasons or "")
        journal.verdicts.append(Entry(at, "held back", text[:_WORDS_MAX], count=_count(told)))
    elif event in _SHOWN_ELSEWHERE:
        return
    elif event in {"rung changed", "breaker opened"}:
        way = f"{told['before']} → {told['after']}" if "before" in told else str(told.get("rung", ""))
        journal.verdicts.append(Entry(at, event, f"{way}: {told.get('reason', '')}"[:_WORDS_MAX]))
    else:
        journal.others.append(Entry(at, event, _plain(told), count=_count(told)))


def _error(at: str, told: dict[str, Any]) -> Entry:
    context = told.get("context")
    evidence = context.get("evidence") if isinstance(context, dict) else None
    operation = f"{told['operation']}: " if told.get("operation") else ""
    return Entry(
        at=at,
        what=str(told.get("error_type", "error")),
        text=f"{operation}{told.get('error_message', '')}"[:_WORDS_MAX],
        hint=str(told.get("hint", "")),
        count=_count(told),
        evidence=[str(each) for each in evidence] if isinstance(evidence, list) else [],
    )


def _plain(told: dict[str, Any]) -> str:
    """The fields that are words or figures, as `name: value`."""
    hidden = {"timestamp", "event", "occurrences", "last_at", "scraper_id", "source", "url"}
    parts = [
        f"{name.replace('_', ' ')}: {value}"
        for name, value in told.items()
        if name not in hidden and isinstance(value, str | int | float) and value != ""
    ]
    return ", ".join(parts)[:_WORDS_MAX]


def _count(told: dict[str, Any]) -> int:
    count = told.get("occurrences", 1)
    return count if isinstance(count, int) else 1


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
