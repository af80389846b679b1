"""A page must not be able to hold everything up: what would be slow to build is refused before it is built."""

import time

import msgspec
import pytest

from longstop.domain.errors import LongstopError, MalformedPayloadError
from longstop.fetch.snapshot import Snapshot
from longstop.sources.crex import CrexSource
from longstop.sources.crex.markup import require_tame
from tests.crex import REF, snapshot

SOURCE = CrexSource()


def rendered(body: bytes) -> Snapshot:
    return msgspec.structs.replace(snapshot(body), rung="dom")


def page(more: str) -> bytes:
    team = '<div class="team-content" data-code="{}"><div class="runs"><span>106/9</span> <span>31.1</span></div></div>'
    words = '<div class="result-box"><span>4</span></div>'
    return f"<!DOCTYPE html><html><body>{team.format('CD')}{team.format('11')}{words}{more}</body></html>".encode()


KILOBYTE, MEGABYTE = 1 << 10, 1 << 20
HEAVY = {
    "deep": b"<div>" * (MEGABYTE // 5),
    "deep with ends that close nothing": b"<div></span>" * (MEGABYTE // 12),
    "copies": b"".join(b"<p><b id=%d></p>" % each for each in range(20_000)) + b"<p>x</p>" * 60_000,
    "copies by text": b"".join(b"<p><b id=%d></p>x" % each for each in range(60_000)),
    "copies hidden by a quote": b'<i ">' + b"".join(b"<p><b id=%d></p>" % each for each in range(9000)) + b'">',
    "copies hidden by a comment": b"<!-->" + b"".join(b"<p><b id=%d></p>" % each for each in range(9000)) + b"-->",
    "copies hidden by a drawing": b"<svg><script>" + b"<p><b id=1></p>" * 60_000 + b"</script></svg>",
    "shapes outside of a drawing": b"<svg></p>" + b"<g/>" * (MEGABYTE // 4),
    "attributes": b"<p " + b" ".join(b"a%d" % each for each in range(120_000)) + b">",
    "attributes behind a quote": b'<p x" ' + b" ".join(b"a%d" % each for each in range(120_000)) + b'" >',
    "half-open tags": b"<p " * (MEGABYTE // 3),
    "open quotes": b'<p a="' * (MEGABYTE // 6),
    "open comments": b"<!--" * (MEGABYTE // 4),
    "angles": b"<" * MEGABYTE,
    "ends": b"</p>" * (MEGABYTE // 4),
    "too long": b"<p>" + b"x" * (9 * MEGABYTE),
}  # fmt: skip


@pytest.mark.req("B10")
@pytest.mark.parametrize("name", HEAVY)
def test_a_page_made_to_be_slow_is_not(name: str) -> None:
    shot = rendered(HEAVY[name])
    best = 9.0
    for _ in range(2):  # the better of two: the machine is shared
        started = time.process_time()
        with pytest.raises(LongstopError) as told:
            SOURCE.parse_page(REF, shot)
        best = min(best, time.process_time() - started)
        assert len(str(told.value)) < 600
    assert best < 1.0


def test_a_page_of_usual_size_is_read_in_milliseconds() -> None:
    """360 KB as sites send them: a table, drawings, a script and styles. The bar is for a machine that is shared."""
    row = '<div class="row" _ng-c123=""><span title="a>b">Lorcan Tucker</span><a href="/x"><b>11</b></a></div><!---->'
    drawing = '<svg viewBox="0 0 9 9"><g><path d="M0 0L9 9"/><path d="M9 0"></path></g></svg>'
    script = "<script>" + "for(i=0;i<a.length&&b<c;i++){x='<b>'+y+'</div>'}" * 2000 + "</script>"
    style = "<style>" + ".x > a { color: red }" * 8000 + "</style>"
    body = page(row * 1000 + drawing * 150 + script + style)
    assert 340 * KILOBYTE < len(body) < 420 * KILOBYTE
    spent = []
    for _ in range(5):
        started = time.process_time()
        assert SOURCE.parse_state(REF, rendered(body)).teams == ("CD", "11")
        spent.append(time.process_time() - started)
    assert min(spent) < 0.03


HARMLESS = {
    "icons": b'<svg viewBox="0 0 9 9"><path d="M0 0"/><g fill="x"><circle r="1" /></g></svg>' * 3000,
    "comparisons in a script": b"<script>" + b"if(a<b&&c<i){d<a}" * 20_000 + b"</script>",
    "a script that speaks of scripts": b"<script><!-- <script> --></script>" * 500,
    "words in a box": b"<textarea><b><i><a></textarea><title><b></title>" * 2000,
    "void tags": b'<br><img src="x"><input><hr>' * 5000,
    "links": b'<p><a href="/x"><b>x</b></a></p>' * 8000,
    "a picture in an attribute": b'<img src="data:image/png;base64,' + b"A/b C" * 60_000 + b'">',
    "a long drawing": b'<svg><path d="' + b"M 0 0 L 9 9 " * 20_000 + b'"></path></svg>',
    "items that nobody closes": b"<ul><li>a<li>b</ul>" * 300,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_real_pages_hold_is_let_pass(name: str) -> None:
    require_tame(page("").replace(b"</body>", HARMLESS[name] + b"</body>"))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_let_pass_is_quick_to_read(name: str) -> None:
    body = page("").replace(b"</body>", HARMLESS[name] + b"</body>")
    started = time.process_time()
    SOURCE.parse_page(REF, rendered(body))
    assert time.process_time() - started < 1.0


def test_the_refusal_says_why() -> None:
    with pytest.raises(MalformedPayloadError, match=r"not read: .* too deeply nested"):
        require_tame(HEAVY["deep"])
    with pytest.raises(MalformedPayloadError, match="more than 256 attributes"):
        require_tame(HEAVY["attributes"])
    with pytest.raises(MalformedPayloadError, match="bytes, at most 8388608 are read"):
        require_tame(HEAVY["too long"])
