"""One event, one line: the shape of a log line, for machines and for people.

The fields are those of the documents (S0 FR-014). Whatever stands in a text, the line stays one line that parses: the
line separators of Unicode, terminal sequences and marks that turn the direction of writing are escaped, not passed on.
"""

import logging
import re
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from longstop.observe.redact import Redactor

SEVERITIES: Final[Mapping[str, int]] = {
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
    "CRITICAL": logging.CRITICAL,
}
_SEVERITY_OF: Final = {level: name for name, level in SEVERITIES.items()}
_FIRST: Final = ("timestamp", "severity", "event", "match_id", "scraper_id", "error_type", "error_message", "hint")
_OF_ERRORS: Final = ("match_id", "scraper_id", "error_type", "error_message", "hint", "stack_trace", "context")
_CONTEXT: Final = ("url", "selector", "request")
# C1 controls, the separators of lines and paragraphs, marks of direction, the byte order mark.
_UNSAFE: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_UNSAFE_FOR_EYES: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_STACK_CHARS_MAX: Final = 16_384

Event = dict[str, Any]


def severity_of(level: int) -> str:
    """The documents know five; whatever lies between them belongs to the lower one."""
    return _SEVERITY_OF[max((known for known in _SEVERITY_OF if known <= level), default=logging.DEBUG)]


def event_of(record: logging.LogRecord) -> Event:
    """A record of ours carries its event whole; anybody else's has a message and perhaps an exception."""
    moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    event: Event = {
        "timestamp": moment.replace("+00:00", "Z"),
        "severity": severity_of(record.levelno),
    }
    if isinstance(record.msg, dict):
        event.update(record.msg)
    else:
        event.update(event=record.getMessage(), logger=record.name)
    if record.exc_info and record.exc_info[1] is not None:
        event.update(_told(record.exc_info[1], event))
    elif record.stack_info:
        event.setdefault("stack_trace", record.stack_info)
    return _with_fields_of_errors(event)


def _told(error: BaseException, event: Event) -> Event:
    """The module `traceback` survives errors whose own words fail."""
    words = "".join(traceback.format_exception_only(type(error), error)).strip()
    stack = "".join(traceback.format_exception(error, limit=40))
    return {
        "error_type": event.get("error_type") or getattr(error, "kind", type(error).__name__),
        "error_message": event.get("error_message") or words,
        "stack_trace": event.get("stack_trace") or stack,
    }


def _with_fields_of_errors(event: Event) -> Event:
    if event["severity"] not in {"ERROR", "CRITICAL"}:
        event.pop("stack_trace", None)
        return event
    for field in _OF_ERRORS:
        event.setdefault(field, None)
    event["context"] = {**dict.fromkeys(_CONTEXT), **(event["context"] or {})}
    if isinstance(event["stack_trace"], str):
        event["stack_trace"] = _end_of(event["stack_trace"])
    return event


def _end_of(stack: str) -> str:
    """The end of a stack says most. It is cut between lines, so that no secret is cut in half and shown."""
    if len(stack) <= _STACK_CHARS_MAX:
        return stack
    return "… [cut]\n" + stack[-_STACK_CHARS_MAX:].partition("\n")[2]


def as_json(event: Event, redactor: Redactor) -> str:
    clean: Event = redactor.value(event)
    ordered = {field: clean[field] for field in _FIRST if field in clean} | clean
    line = orjson.dumps(ordered).decode("utf-8")
    return _UNSAFE.sub(_escaped, line)


def as_text(event: Event, redactor: Redactor) -> str:
    """For a person at a terminal: time, severity, what happened, then the rest as name=value. Stacks are JSON's."""
    clean: Event = redactor.value(event)
    clock = str(clean.pop("timestamp"))[11:23]
    head = f"{clock} {clean.pop('severity'):<8} {clean.pop('event', '')}"
    clean.pop("stack_trace", None)
    clean.update({name: value for name, value in (clean.pop("context", None) or {}).items() if name not in clean})
    rest = " ".join(f"{name}={_plain(value)}" for name, value in clean.items() if value not in (None, "", {}))
    return _UNSAFE_FOR_EYES.sub(_escaped, f"{head}  {rest}".rstrip())


def _plain(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[^\s\"=]+", value):
        return value
    return orjson.dumps(value).decode("utf-8")


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


class LineFormatter(logging.Formatter):
    """Stands in the root handler, so every line of every library passes the redactor."""

    def __init__(self, redactor: Redactor, *, structured: bool) -> None:
        super().__init__()
        self._redactor = redactor
        self._write = as_json if structured else as_text

    def format(self, record: logging.LogRecord) -> str:
        return self._write(event_of(record), self._redactor)
