"""One event, one line that parses, whatever is in it and whoever wrote it."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import structlog

from longstop.domain.errors import SettingsError, SourceTimeoutError
from longstop.observe import signals as facts
from longstop.observe.logs import Logs, configure_logging
from longstop.observe.redact import Redactor

NOON = datetime(2025, 11, 12, 12, 0, 0, 123000, tzinfo=UTC)
FIELDS = {
    "timestamp",
    "severity",
    "event",
    "match_id",
    "scraper_id",
    "error_type",
    "error_message",
    "stack_trace",
    "context",
}

pytestmark = pytest.mark.req("H2")

Configure = Callable[..., tuple[Logs, io.StringIO]]


@pytest.fixture
def configure() -> Iterator[Configure]:
    made: list[Logs] = []

    def start(
        level: str = "INFO", *, structured: bool = True, redactor: Redactor | None = None
    ) -> tuple[Logs, io.StringIO]:
        stream = io.StringIO()
        logs = configure_logging(level, stream, structured, redactor=redactor or Redactor())
        made.append(logs)
        return logs, stream

    yield start
    for logs in reversed(made):
        logs.close()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def error(**more: Any) -> facts.ErrorRaised:
    fields: dict[str, Any] = {
        "severity": "ERROR",
        "error_type": "network",
        "error_message": "no answer",
        "match_id": "crex_QUY",
        "scraper_id": "s-1",
        "url": "http://127.0.0.1/x",
        "stack_trace": "Traceback …",
    }
    return facts.ErrorRaised(at=NOON, **(fields | more))


def test_an_error_has_every_field_of_the_documents(configure: Configure) -> None:
    logs, stream = configure()
    bus = facts.Signals()
    logs.subscribe(bus)
    bus.emit(error(context={"selector": "#score"}, hint="Look at the source.", attempt=2))
    (line,) = lines(stream)
    assert line.keys() >= FIELDS
    assert line["timestamp"] == "2025-11-12T12:00:00.123Z"
    assert line["severity"] == "ERROR"
    assert line["context"] == {"url": "http://127.0.0.1/x", "selector": "#score", "request": None}
    assert line["hint"] == "Look at the source."
    assert line["attempt"] == 2
    assert line["stack_trace"] == "Traceback …"


def test_a_warning_carries_no_stack(configure: Configure) -> None:
    logs, stream = configure()
    bus = facts.Signals()
    logs.subscribe(bus)
    bus.emit(error(severity="WARN"))
    (line,) = lines(stream)
    assert line["severity"] == "WARN"
    assert "stack_trace" not in line


@pytest.mark.parametrize(
    "nasty",
    [
        "one\r\ntwo",
        'forged\n{"severity": "INFO"}',
        "sep\u2028para\u2029next\u0085line",
        "\x1b[2J\x1b[31mred\x1b[0m",
        "c1 \x9b31m",
        "bidi \u202egnp.exe\u2066",
        "nul \x00 del \x7f",
        "lone \ud800 surrogate",
        "vertical \x0b form \x0c fs \x1c gs \x1d rs \x1e",
        'quote " and \\ slash',
    ],
)
@pytest.mark.parametrize("structured", [True, False])
def test_one_event_is_one_line_whatever_is_in_it(configure: Configure, nasty: str, structured: bool) -> None:
    _, stream = configure(structured=structured)
    logging.getLogger("longstop.test").warning({"event": nasty, nasty: nasty, "deep": {"a": [nasty]}})
    logging.getLogger("somebody.else").warning("message %s", nasty)
    text = stream.getvalue()
    assert len(text.splitlines()) == 2
    assert not any(
        ord(letter) < 32 or 127 <= ord(letter) < 160 or letter == "\u202e" for letter in text.replace("\n", "")
    )
    if structured:
        assert [line["severity"] for line in lines(stream)] == ["WARN", "WARN"]


def test_every_library_passes_the_redactor(configure: Configure) -> None:
    redactor = Redactor()
    redactor.protect("canary-value-1")
    _, stream = configure("DEBUG", redactor=redactor)
    for name in ("aiohttp.client", "uvicorn.error", "asyncio", "sqlalchemy.engine", "alembic.runtime", "x"):
        logging.getLogger(name).warning("dsn postgres://u:%s@h/d and %r", "canary-value-1", {"token": "canary-value-2"})
    assert "canary" not in stream.getvalue()
    assert len(lines(stream)) == 6


def _fail() -> None:
    raise SourceTimeoutError("No answer from http://user:canary-secret@host/ in 5 s.")


def test_an_exception_is_told_and_its_secrets_are_not(configure: Configure) -> None:
    _, stream = configure()
    try:
        _fail()
    except SourceTimeoutError:
        logging.getLogger("longstop.test").exception("fetch failed password=canary-secret")
    (line,) = lines(stream)
    assert line["error_type"] == "network"
    assert "SourceTimeoutError" in line["stack_trace"]
    assert "canary-secret" not in stream.getvalue()


class Nasty:
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_what_cannot_be_printed_is_still_one_line(configure: Configure, capsys: pytest.CaptureFixture[str]) -> None:
    _, stream = configure()
    logging.getLogger("longstop.test").error("bad %s", Nasty())
    logging.getLogger("longstop.test").error(*("too few %s %s", 1))
    logging.getLogger("longstop.test").error({"event": "odd", "value": Nasty(), "big": 10**400})
    assert [line["severity"] for line in lines(stream)] == ["ERROR"] * 3
    assert capsys.readouterr().err == ""


class Broken(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_a_broken_pipe_is_counted_and_not_raised(capsys: pytest.CaptureFixture[str]) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (Broken(), closed):
        logs = configure_logging("INFO", stream, redactor=Redactor())
        logging.getLogger("longstop.test").error("nobody hears this")
        logs.close()
        assert logs.lost == 1
    assert capsys.readouterr().err == ""


def test_structlog_goes_the_same_way(configure: Configure) -> None:
    _, stream = configure()
    log = structlog.get_logger("longstop.test").bind(match_id="crex_QUY")
    log.warning("something odd", job_id="j-1", token="canary")
    log.debug("not told at this level")
    (line,) = lines(stream)
    assert line["event"] == "something odd"
    assert line["match_id"] == "crex_QUY"
    assert line["job_id"] == "j-1"
    assert "canary" not in stream.getvalue()


def test_libraries_are_heard_from_their_warnings_up(configure: Configure) -> None:
    _, stream = configure("INFO")
    logging.getLogger("uvicorn.error").info("Started server process")
    logging.getLogger("longstop.test").info({"event": "ours"})
    assert [line["event"] for line in lines(stream)] == ["ours"]


def test_the_plain_form_reads_like_a_sentence(configure: Configure) -> None:
    logs, stream = configure(structured=False)
    bus = facts.Signals()
    logs.subscribe(bus)
    bus.emit(facts.MatchDiscovered(at=NOON, match_id="crex_QUY", source="crex", title="India v Australia"))
    assert stream.getvalue() == (
        '12:00:00.123 INFO     match discovered  match_id=crex_QUY source=crex title="India v Australia"\n'
    )


@pytest.mark.req("B2")
def test_level_and_shape_can_be_changed_while_running(configure: Configure) -> None:
    logs, stream = configure("WARN")
    logger = logging.getLogger("longstop.test")
    logger.info({"event": "too early"})
    logs.retune("INFO", structured=True)
    logger.info({"event": "heard"})
    assert [line["event"] for line in lines(stream)] == ["heard"]
    logs.retune("INFO", structured=False)
    logger.info({"event": "plain"})
    assert stream.getvalue().splitlines()[-1].endswith("INFO     plain")


def test_closing_puts_everything_back(configure: Configure) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    logs = configure_logging("DEBUG", io.StringIO())
    assert root.handlers == [logs.handler]
    logs.close()
    assert (root.handlers, root.level) == before


def test_an_unknown_level_says_which_there_are(configure: Configure) -> None:
    with pytest.raises(SettingsError, match="Use one of DEBUG, INFO, WARN, ERROR, CRITICAL"):
        configure("LOUD")
    configure("warning")
