"""A7: whatever name is asked for, on every route, and whatever name comes from a site, at every writer."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from longstop.clock import SystemClock
from longstop.domain.file_names import safe_name
from longstop.fetch.evidence import EvidenceStore
from longstop.observe.match_files import MatchFiles
from longstop.observe.match_log import Stretch
from tests.acceptance.hostile_names import HOSTILE
from tests.acceptance.served import Place
from tests.unit.serve.world import NOON

pytestmark = pytest.mark.req("A7")


def test_there_are_more_than_a_hundred_of_them() -> None:
    assert len(HOSTILE) >= 100


async def status_of(port: int, path: str, method: str = "GET") -> tuple[int, bytes]:
    """As raw bytes: a client would tidy the path up first."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    writer.write(head.encode("utf-8", "surrogatepass"))
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return int(answer[9:12]), answer


def addresses(document: dict[str, Any]) -> list[tuple[str, str]]:
    named = [path for path in document["paths"] if "{" in path]
    return [(method.upper(), path) for path in named for method in document["paths"][path]]


async def test_no_hostile_name_opens_anything_on_any_route(place: Place) -> None:
    """Refused or not found, never found, never a fault, and nothing of the name in a header of the answer."""
    _, raw = await status_of(place.server.port, "/schema")
    document = msgspec.json.decode(raw.partition(b"\r\n\r\n")[2])
    routes = [*addresses(document), ("GET", "/ops/matches/{match_id}")]
    assert len(routes) >= 9
    wrong = []
    for method, route in routes:
        start, _, rest = route.partition("{")
        end = rest.partition("}")[2]
        for name in HOSTILE:
            for sent in (quote(name, safe=""), quote(name, safe="/.\\:;@$&=+,'()*!~%")):
                status, answer = await status_of(place.server.port, start + sent + end, method)
                head = answer.partition(b"\r\n\r\n")[0]
                is_elsewhere = start.rstrip("/") + end == (start + sent + end).rstrip("/") or sent in {"", ".", "./x"}
                if not (400 <= status < 500 or is_elsewhere) or b"Evil" in head or b"et-Cookie:x" in head:
                    wrong.append((method, route, name, status))
    assert wrong == []


async def test_hostile_sources_cursors_and_moments_are_refused_too(place: Place) -> None:
    wrong = []
    for parameter, path in (
        ("source", "/cricket-data/matches"),
        ("status", "/cricket-data/matches"),
        ("after", "/cricket-data/matches"),
        ("after", "/cricket-data/events"),
        ("as_of", "/cricket-data/match-info/crex_QUY"),
        ("format", "/cricket-data/matches/crex_QUY/export"),
    ):
        for name in HOSTILE:
            status, _ = await status_of(place.server.port, f"{path}?{parameter}={quote(name, safe='')}")
            is_harmless = parameter == "source" and status == 200 and name.replace("_", "").replace("-", "").isalnum()
            is_none = (parameter, name) in {("after", "0"), ("status", "null")}
            if not (400 <= status < 500 or is_harmless or is_none):
                wrong.append((parameter, name, status))
    assert wrong == []


class Writers:
    """All that makes a file out of a name that comes from a site."""

    def __init__(self, root: Path) -> None:
        self.evidence = EvidenceStore(root, SystemClock(), 64)
        self.files = MatchFiles(root, 64, 30)

    async def keep(self, name: str) -> int:
        """How many of the two kinds of evidence were kept."""
        pages = [await self.evidence.keep_page(name, b"<html>"), await self.evidence.keep_picture(name, b"png")]
        with contextlib.suppress(OSError):
            self.files.keep([Stretch(name, NOON, NOON)], NOON)
        return sum(page is not None for page in pages)


def test_whatever_name_comes_from_a_site_every_file_lies_inside_its_root(tmp_path: Path) -> None:
    """Also where links that lead out stand in the way."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (outside, root / "error_pages", root / "errors", root / "match_logs"):
        folder.mkdir(parents=True)
    for name in HOSTILE:
        (root / "match_logs" / safe_name(name)).symlink_to(outside)
    writers = Writers(root)

    async def keep_all() -> int:
        return sum([await writers.keep(name) for name in HOSTILE])

    assert asyncio.run(keep_all()) >= 2 * len(HOSTILE)
    assert list(outside.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"root", "outside"}
    assert all(path.resolve().is_relative_to(tmp_path.resolve()) for path in tmp_path.rglob("*"))
