import asyncio
import random
import string
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop.clock import SystemClock
from longstop.domain.file_names import safe_name
from longstop.fetch.evidence import FILE_BYTES_MAX, PAGES, PICTURES, EvidenceStore

MEBIBYTE = 1024 * 1024
EPOCH = datetime(2026, 11, 18, tzinfo=UTC)


class HandClock(SystemClock):
    """Moved by the test."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return EPOCH + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def everything_below(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if not path.is_dir() or path.is_symlink())


def size_of(root: Path) -> int:
    return sum(path.lstat().st_size for path in everything_below(root))


HOSTILE_IDS = [
    *("../" * depth + "etc/passwd" for depth in range(1, 12)),
    *("..\\" * depth + "boot.ini" for depth in range(1, 6)),
    *(f"{device}{ending}" for device in ("CON", "NUL", "AUX", "COM1", "LPT9") for ending in ("", ".txt", ":")),
    *(mark * count for mark in ("a", "é", "🏏", ".", "/", "-", " ", "%2e%2e%2f") for count in (1, 65, 300, 5000)),
    *("/etc/passwd", "//server/share", "C:\\x", "~/.ssh/authorized_keys", "file:///etc/passwd", "$(id)", "`id`"),
    *("a\0b", "\0", "a\nb", "a\r\nb", "\x1b[2J", "\u2028", "\u202egnp.exe", "\ufeff", "\ud800", "a/../../b", "....//"),
    *("", ".", "..", "...", "-rf", "--help", "*", "?", "a b", "a:b", "a|b", "<a>", '"', "'", "a;b", "a&b", ".htaccess"),
    *("%00", "%2e%2e/", "..%c0%af", "ａ", "Ａ", "a\u0301", "ı", "ſ", "A" * 64 + "/", "x.html", "error_pages/x"),
]  # fmt: skip


def test_there_are_as_many_hostile_ids_as_there_must_be() -> None:
    assert len(set(HOSTILE_IDS)) >= 100


@pytest.mark.req("B10")
async def test_no_match_id_leads_out_of_the_root(tmp_path: Path, clock: HandClock) -> None:
    root = tmp_path / "storage"
    store = EvidenceStore(root, clock, 64)
    for match_id in HOSTILE_IDS:
        clock.seconds += 61
        for kept in (await store.keep_page(match_id, "<p>"), await store.keep_picture(match_id, b"\x89PNG")):
            assert kept is not None, match_id
            path = root / kept
            assert path.is_file()
            assert path.resolve().is_relative_to(root.resolve())
            assert path.name.isascii()
            assert len(path.name) < 120
    assert all(path.is_relative_to(root) for path in everything_below(tmp_path))
    assert {path.parent.name for path in everything_below(root)} == {PAGES, PICTURES}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300))
def test_any_id_makes_a_plain_name_and_two_ids_make_two(match_id: str) -> None:
    name = safe_name(match_id)
    assert set(name) <= set(string.ascii_letters + string.digits + "_-")
    assert 1 <= len(name) <= 64
    assert safe_name(match_id + "!") != name


async def test_a_page_is_kept_whole_under_its_time_and_match(tmp_path: Path, clock: HandClock) -> None:
    store = EvidenceStore(tmp_path, clock, 1)
    kept = await store.keep_page("crex_ABC", "<p>été \ud800</p>")
    assert kept == "error_pages/20261118T000000000000Z_crex_ABC.html"
    assert (tmp_path / kept).read_bytes() == "<p>été ?</p>".encode()
    assert (tmp_path / kept).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / PAGES).stat().st_mode & 0o777 == 0o700
    assert await store.keep_picture("crex_ABC", b"\x89PNG") == "errors/20261118T000000000000Z_crex_ABC.png"


@pytest.mark.req("B10")
async def test_a_failing_match_leaves_one_page_a_minute(tmp_path: Path, clock: HandClock) -> None:
    store = EvidenceStore(tmp_path, clock, 8)
    kept = []
    for second in range(180):
        clock.seconds = float(second)
        kept.append(await store.keep_page("A", "x"))
    assert [second for second, each in enumerate(kept) if each] == [0, 60, 120]
    assert not store.is_due("A")
    assert store.is_due("A", PICTURES)
    assert await store.keep_page("B", "x")


async def test_the_quota_holds_and_the_oldest_go_first(tmp_path: Path, clock: HandClock) -> None:
    store = EvidenceStore(tmp_path, clock, 2)
    chance = random.Random(5)
    kept: list[str] = []
    for number in range(120):
        clock.seconds += 61
        content = bytes(chance.randrange(200_000))
        keep = store.keep_picture if number % 3 == 0 else store.keep_page
        kept.append(await keep(f"m{number}", content) or "")
        assert size_of(tmp_path) <= 2 * MEBIBYTE
    left = [each for each in kept if (tmp_path / each).exists()]
    assert left == kept[-len(left) :]
    assert 10 < len(left) < 120


async def test_files_of_others_are_neither_counted_nor_removed(tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / PAGES).mkdir()
    foreign = tmp_path / PAGES / "notes.txt"
    foreign.write_bytes(bytes(3 * MEBIBYTE))
    folder = tmp_path / PAGES / "20200101T000000000000Z_folder.html"
    folder.mkdir()
    store = EvidenceStore(tmp_path, clock, 1)
    for number in range(4):
        clock.seconds += 61
        assert await store.keep_page(f"m{number}", bytes(500_000))
    assert foreign.stat().st_size == 3 * MEBIBYTE
    assert folder.is_dir()
    assert len(list((tmp_path / PAGES).glob("*.html"))) == 3


async def test_nothing_is_written_through_a_link(tmp_path: Path, clock: HandClock) -> None:
    root, elsewhere = tmp_path / "storage", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (elsewhere / "secret").write_text("untouched")
    (root / PAGES).symlink_to(elsewhere)
    store = EvidenceStore(root, clock, 1)
    assert await store.keep_page("A", "x") is None
    (root / PAGES).unlink()
    (root / PAGES).mkdir()
    for ending in ("", ".part"):
        clock.seconds += 61
        link = root / PAGES / f"{clock.now():%Y%m%dT%H%M%S%fZ}_A.html{ending}"
        link.symlink_to(elsewhere / "secret")
        assert await store.keep_page("A", "x") is None
    assert (elsewhere / "secret").read_text() == "untouched"
    assert [path.name for path in elsewhere.iterdir()] == ["secret"]


async def test_a_rotated_link_takes_nothing_with_it(tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / PAGES).mkdir()
    target = tmp_path / "target"
    target.write_text("stays")
    (tmp_path / PAGES / "20200101T000000000000Z_old.html").symlink_to(target)
    store = EvidenceStore(tmp_path, clock, 1)
    assert await store.keep_page("A", bytes(MEBIBYTE - 10))
    assert target.read_text() == "stays"


async def test_what_is_too_large_is_cut_or_left_out(tmp_path: Path, clock: HandClock) -> None:
    store = EvidenceStore(tmp_path, clock, 9)
    kept = await store.keep_page("A", bytes(FILE_BYTES_MAX + 1000))
    assert kept
    assert (tmp_path / kept).stat().st_size == FILE_BYTES_MAX
    assert await store.keep_picture("A", bytes(FILE_BYTES_MAX + 1)) is None
    assert await EvidenceStore(tmp_path, clock, 1).keep_page("B", bytes(2 * MEBIBYTE)) is None


async def test_a_place_that_cannot_be_written_is_no_new_failure(tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / "file").write_text("in the way")
    assert await EvidenceStore(tmp_path / "file", clock, 1).keep_page("A", "x") is None
    (tmp_path / PICTURES).write_text("in the way")
    assert await EvidenceStore(tmp_path, clock, 1).keep_picture("A", b"x") is None


async def test_many_at_once_do_not_pile_up_and_no_half_file_is_left(tmp_path: Path, clock: HandClock) -> None:
    store = EvidenceStore(tmp_path, clock, 64)
    found = await asyncio.gather(*(store.keep_page(f"m{number}", bytes(100_000)) for number in range(50)))
    kept = [each for each in found if each]
    assert 1 <= len(kept) <= 4
    assert {path.name for path in (tmp_path / PAGES).iterdir()} == {Path(each).name for each in kept}
