"""What a failure looked like: administrators open it as text or as a picture, and nothing else is opened with it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from longstop.domain.access import Scope
from longstop.fetch.evidence import EvidenceReader, EvidenceStore
from tests.unit.serve.entry.house import House, settings_in

pytestmark = pytest.mark.req("B10")
PAGE = "<script>alert(document.cookie)</script><h1>Caf\u00e9</h1>"
PICTURE = b"\x89PNG\r\n\x1a\n and what follows"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    made = House(settings_in(tmp_path))
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def kept(house: House, tmp_path: Path) -> tuple[str, str]:
    store = EvidenceStore(tmp_path, house.clock, 64)
    page, picture = await store.keep_page("crex_QUY", PAGE), await store.keep_picture("crex_QUY", PICTURE)
    assert page is not None
    assert picture is not None
    return page, picture


async def test_a_page_is_shown_as_text_and_a_picture_as_one(house: House, kept: tuple[str, str]) -> None:
    bearer = await house.bearer(Scope.ADMIN)
    page, picture = [await house.get(f"/admin/evidence/{name}", **bearer) for name in kept]
    assert (page.status_code, page.text) == (200, PAGE)
    assert (page.headers["content-type"], picture.headers["content-type"]) == (
        "text/plain; charset=utf-8",
        "image/png",
    )
    assert picture.content == PICTURE
    for answer in (page, picture):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "script-src" not in answer.headers["content-security-policy"]
        assert answer.headers["content-disposition"].startswith('inline; filename="')
        assert answer.headers["cache-control"] == "no-store"
    assert page.headers["content-disposition"].endswith('.txt"')


async def test_only_an_administrator_opens_it(house: House, kept: tuple[str, str]) -> None:
    path = f"/admin/evidence/{kept[0]}"
    assert (await house.get(path, peer="127.0.0.1")).status_code == 401
    assert (await house.get(path, **await house.bearer(Scope.READ, Scope.PUSH))).status_code == 403


async def test_no_name_opens_anything_else(house: House, kept: tuple[str, str], tmp_path: Path) -> None:
    name = kept[0].partition("/")[2]
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    (tmp_path / "error_pages" / "mine.html").write_text("secret", encoding="utf-8")
    linked = name.replace("crex_QUY", "linked")
    (tmp_path / "error_pages" / linked).symlink_to(tmp_path / "secret.html")
    piped = name.replace("crex_QUY", "piped")
    os.mkfifo(tmp_path / "error_pages" / piped)
    (tmp_path / "error_pages" / name.replace("crex_QUY", "folder")).mkdir()
    (tmp_path / "errors" / name.replace(".html", ".png")).write_text("<script>no picture</script>", encoding="utf-8")
    bearer = await house.bearer(Scope.ADMIN)
    hostile = (
        *(f"error_pages/{each}" for each in ("mine.html", linked, piped, name.replace("crex_QUY", "folder"))),
        *(f"error_pages/{name}{ending}" for ending in (".part", "%00", "%0a", "/", "%2f..", ".html")),
        *(
            f"error_pages/{quote(each, safe='')}"
            for each in ("../secret.html", "../../etc/passwd", ".", "..", f"./{name}")
        ),
        *(f"errors/{each}" for each in (name, name.replace(".html", ".png"))),
        *(
            f"{folder}/{name}"
            for folder in ("..", ".", "%2e%2e", "access", "error_pages%2f..", "\u0435rrors", "", "%00")
        ),
    )
    for each in hostile:
        answer = await house.get(f"/admin/evidence/{each}", **bearer)
        assert answer.status_code in (400, 404) or answer.text == PAGE, each
        assert "secret" not in answer.text
        assert "no picture" not in answer.text


def test_a_folder_that_is_a_link_opens_nothing(tmp_path: Path) -> None:
    elsewhere, name = tmp_path / "elsewhere", "20260101T000000000000Z_crex_QUY.html"
    elsewhere.mkdir()
    (elsewhere / name).write_text("secret", encoding="utf-8")
    (tmp_path / "error_pages").symlink_to(elsewhere)
    assert EvidenceReader(tmp_path).read("error_pages", name) is None
    assert EvidenceReader(tmp_path / "absent").read("error_pages", name) is None
