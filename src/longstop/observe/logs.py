"""Logs: JSON lines on one stream, for our own events and for everybody else's.

Nothing is set up at import. `configure_logging` puts one handler at the root, takes away those that libraries brought,
and returns a `Logs` that can put everything back. A log line never disturbs the one who wrote it: a broken pipe, a
closed stream or an object that cannot be printed is counted, not raised.
"""

import logging
from collections.abc import MutableMapping
from typing import Any, Final, TextIO

import structlog

from longstop.domain.errors import SettingsError
from longstop.observe.lines import SEVERITIES, LineFormatter
from longstop.observe.narration import Narrator
from longstop.observe.redact import REDACTOR, Redactor
from longstop.observe.signals import Signals

_OURS: Final = ("longstop", "longstop_origin")
# They say much, and at DEBUG even the rows they read; their warnings are what we want to hear.
_QUIET: Final = ("sqlalchemy", "alembic", "asyncio", "aiohttp.access", "uvicorn.access", "markdown_it", "urllib3")
_WITH_OWN_HANDLERS: Final = ("uvicorn", "uvicorn.error", "uvicorn.access", "litestar", "alembic", "sqlalchemy")


class LineHandler(logging.StreamHandler[TextIO]):
    """The one handler. `lost` counts the lines that found no reader."""

    def __init__(self, stream: TextIO, formatter: LineFormatter) -> None:
        super().__init__(stream)
        self.setFormatter(formatter)
        self.lost = 0

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the standard library's
        """Called where writing failed. What could not be said is said without the part that could not be printed."""
        plain = logging.LogRecord(record.name, record.levelno, record.pathname, record.lineno, _UNPRINTABLE, None, None)
        try:
            self.stream.write(self.format(plain) + self.terminator)
            self.flush()
        except (OSError, ValueError):
            self.lost += 1


_UNPRINTABLE: Final = "a log record could not be printed"


class Logs:
    """What `configure_logging` did, so that it can be undone."""

    def __init__(
        self, handler: LineHandler, before: tuple[list[logging.Handler], int], redactor: Redactor = REDACTOR
    ) -> None:
        self.handler = handler
        self._redactor = redactor
        self._handlers_before, self._level_before = before

    @property
    def lost(self) -> int:
        return self.handler.lost

    def subscribe(self, signals: Signals) -> Narrator:
        """From now on what the engine signals is told here."""
        narrator = Narrator(logging.getLogger("longstop.engine"))
        signals.subscribe_all(narrator.tell)
        return narrator

    def retune(self, level: str, *, structured: bool) -> None:
        """Another level and shape from the next line on."""
        threshold = _threshold(level)
        self.handler.setFormatter(LineFormatter(self._redactor, structured=structured))
        _set_levels(logging.getLogger(), threshold)

    def close(self) -> None:
        root = logging.getLogger()
        root.removeHandler(self.handler)
        for handler in self._handlers_before:
            root.addHandler(handler)
        root.setLevel(self._level_before)
        for name in (*_OURS, *_QUIET):
            logging.getLogger(name).setLevel(logging.NOTSET)
        logging.captureWarnings(False)
        structlog.reset_defaults()


def configure_logging(level: str, stream: TextIO, structured: bool = True, *, redactor: Redactor = REDACTOR) -> Logs:
    """One line for one event, on `stream`, from `level` up (DEBUG, INFO, WARN, ERROR or CRITICAL)."""
    threshold = _threshold(level)
    handler = LineHandler(stream, LineFormatter(redactor, structured=structured))
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    for other in before[0]:
        root.removeHandler(other)
    root.addHandler(handler)
    _set_levels(root, threshold)
    _take_over_libraries()
    _configure_structlog()
    return Logs(handler, before, redactor)


def _threshold(level: str) -> int:
    name = level.strip().upper()
    name = "WARN" if name == "WARNING" else name
    if name not in SEVERITIES:
        raise SettingsError(f"{level!r} is not a log level.", hint=f"Use one of {', '.join(SEVERITIES)}.")
    return SEVERITIES[name]


def _set_levels(root: logging.Logger, threshold: int) -> None:
    """We speak at the asked level; libraries only from WARN up, one step more when everything is wanted."""
    root.setLevel(max(threshold, logging.INFO if threshold == logging.DEBUG else logging.WARNING))
    for name in _OURS:
        logging.getLogger(name).setLevel(threshold)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))


def _take_over_libraries() -> None:
    logging.captureWarnings(True)
    for name in _WITH_OWN_HANDLERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _configure_structlog() -> None:
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, structlog.stdlib.filter_by_level, _hand_over],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def _hand_over(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> tuple[tuple[Any], dict[str, Any]]:
    """To the root handler as it is: shape and redaction happen there, for everybody alike."""
    exc_info = event.pop("exc_info", None)
    return (dict(event),), {"exc_info": exc_info}
