"""The page of a match carries its state in a script; a saved page is read like the call it stands for."""

import time
from typing import Any

import msgspec
import pytest

from longstop.domain.errors import ForeignPayloadError, LongstopError, MalformedPayloadError
from longstop.sources.crex import CrexSource
from tests.crex import BALL, FEED, LISTED, changed, snapshot, state

SOURCE = CrexSource()
ESCAPES = (("&", "&a;"), ('"', "&q;"), ("'", "&s;"), ("<", "&l;"), (">", "&g;"))


def page(content: Any) -> bytes:
    text = content if isinstance(content, str) else msgspec.json.encode(content).decode()
    for plain, escaped in ESCAPES:
        text = text.replace(plain, escaped)
    html = f'<!DOCTYPE html><title>x</title><script id="app-root-state" type="application/json">{text}</script><p>y'
    return html.encode()


def test_a_page_gives_the_state_that_it_carries() -> None:
    told = SOURCE.read(snapshot(page(state())))
    assert told.kind == "live_state"
    assert told.observation is not None
    assert told.observation.innings == SOURCE.read(snapshot(state())).observation.innings  # type: ignore[union-attr]  # a state


def test_the_state_may_stand_among_other_answers_that_the_page_kept() -> None:
    content = {"G.https://x/api/other": {"a": 1}, "https://x/api/v3/getSV3": state(), "zz": [1]}
    told = SOURCE.read(snapshot(page(content)))
    assert told.kind == "live_state"


def test_what_the_site_escapes_is_read_as_it_was() -> None:
    words = """<b>&q; "quoted" 'n' & &amp; &a;lt;</b>"""
    told = SOURCE.read(snapshot(page(state(C=words)))).observation
    assert told is not None
    assert told.announcement == words


def test_a_mark_that_an_editor_put_before_the_text_does_no_harm() -> None:
    body = b"\xef\xbb\xbf" + msgspec.json.encode(state())
    assert SOURCE.read(snapshot(body)).kind == "live_state"


def test_white_space_around_the_payload_does_no_harm() -> None:
    assert SOURCE.read(snapshot(b"\r\n  " + msgspec.json.encode(state()) + b"\n")).kind == "live_state"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"hello",
        b"<html><body>403 Forbidden</body></html>",
        b"\x1f\x8b\x08\x00" + bytes(100),
        bytes(range(256)),
        b"null",
        b"true",
        b"5",
        b'"text"',
        b"[]",
        b"{}",
        b"[[]]",
        b'[1, {"c": 1, "d": 2}]',
        b'{"error":"match not found"}',
        b'{"events": []}',
        b'{"p": [], "unheard": 1}',
        b'[{"c": "CD"}]',
        '{"a": 1}'.encode("utf-16"),
        b"PK\x03\x04",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_none_of_ours_is_foreign(body: bytes) -> None:
    with pytest.raises(ForeignPayloadError) as refused:
        SOURCE.read(snapshot(body))
    assert "\n" not in str(refused.value)
    assert str(refused.value).isprintable()
    assert refused.value.hint


@pytest.mark.parametrize(
    "body",
    [
        msgspec.json.encode(state())[:-20],
        msgspec.json.encode([LISTED])[:-5],
        b"{",
        b'{"a": "CD.11", "j": NaN}',
        page("{"),
        page("[1]"),
        page(""),
        page("null"),
        page(state()).replace(b"CD.11", b"\xff\xfe"),
        b"[" * 3000,
        b'{"a":' * 3000,
        page("[" * 3000),
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_ours_and_broken_is_malformed_in_one_sentence(body: bytes) -> None:
    with pytest.raises(MalformedPayloadError) as refused:
        SOURCE.read(snapshot(body))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_page_without_an_end_of_its_state_is_foreign() -> None:
    with pytest.raises(ForeignPayloadError):
        SOURCE.read(snapshot(page(state()).replace(b"</script>", b"")))


MEGABYTE = 1024 * 1024
ADVERSARIAL = {
    "half-open tags": b"<script " * (MEGABYTE // 8),
    "open states": b'<script id="app-root-state"' * (MEGABYTE // 27),
    "states without end": b'<script id="app-root-state">' * (MEGABYTE // 28),
    "angles": b"<" * MEGABYTE,
    "escapes": page("&a;" * (MEGABYTE // 20)),
    "words": msgspec.json.encode(state(ps="", B="match " * (MEGABYTE // 6))),
    "digits in words": msgspec.json.encode(state(ps="", B="day " + "1" * MEGABYTE)),
    "score": msgspec.json.encode(state(j="1/1(1" * (MEGABYTE // 5))),
    "scores": msgspec.json.encode(state(j="1/1(1&" * (MEGABYTE // 6))),
    "extras": msgspec.json.encode(state(rb=[{"o": 1, "b": [changed(BALL, e="wd1." * (MEGABYTE // 4))]}])),
    "overs": msgspec.json.encode(state(**{"in": [{"c": "CD", "d": "1/1(1", "ov": "1" * MEGABYTE}]})),
    "teams": msgspec.json.encode(state(a="C" * MEGABYTE + ".D")),
    "stored name": msgspec.json.encode({"p_" + "A" * MEGABYTE + "_name": "x"}),
}  # fmt: skip


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_a_megabyte_made_to_be_slow_is_not(name: str) -> None:
    shot = snapshot(ADVERSARIAL[name])
    best = 1.0
    for _ in range(3):  # the best of three: the machine is shared
        started = time.thread_time()
        try:
            SOURCE.read(shot)
        except LongstopError as error:
            assert len(str(error)) < 600, name  # noqa: PT017 - either answer is right, if it is quick and short
        best = min(best, time.thread_time() - started)
    assert best < 0.25


def test_a_feed_is_read_whatever_match_it_is_of() -> None:
    assert SOURCE.read(snapshot(dict(FEED, key="ZZZ"))).kind == "ball_feed"
