"""What happened to a match, kept in memory within bounds and written down when it is over."""

import asyncio
import json
import random
import tracemalloc
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from longstop.clock import SystemClock
from longstop.observe import signals as facts
from longstop.observe.match_files import FOLDER, MatchFiles
from longstop.observe.match_keeping import MatchLogKeeping
from longstop.observe.match_log import LINE_BYTES_MAX, MATCH_BYTES_MAX, MatchLogs
from longstop.observe.redact import REDACTOR
from longstop.supervise.service import Stop
from tests.cricket import NOON
from tests.unit.fetch.test_evidence import HOSTILE_IDS
from tests.virtual import Heard, noon_clock, on_virtual_time

MEBIBYTE = 1024 * 1024
pytestmark = pytest.mark.req("A5", "H2")


class Story:
    """Signals of matches, one second apart, and the logs that hear them."""

    def __init__(self, root: Path, quota_mb: int = 8, **limits: int) -> None:
        self.heard = Heard()
        self.logs = MatchLogs(**limits)
        self.logs.subscribe(self.heard.bus)
        self.files = MatchFiles(root, quota_mb, 30)
        self.root = root
        self.now = NOON

    def tell(self, kind: type[facts.Signal], match_id: str = "crex_A", **fields: Any) -> None:
        self.now += timedelta(seconds=1)
        self.heard.bus.emit(kind(at=self.now, match_id=match_id, **fields))  # type: ignore[call-arg]  # each has its own

    def fail(self, message: str = "no answer", match_id: str = "crex_A", **more: Any) -> None:
        fields: dict[str, Any] = {"severity": "WARN", "error_type": "network", "operation": "poll"} | more
        self.tell(facts.ErrorRaised, match_id, error_message=message, **fields)

    def poll(self, outcome: str, match_id: str = "crex_A") -> None:
        self.tell(facts.PollFinished, match_id, source="crex", rung="replay", outcome=outcome, duration_seconds=0.1)

    def change(self, before: str, after: str, match_id: str = "crex_A") -> None:
        self.tell(facts.MatchStateChanged, match_id, before=before, after=after, reason="x")

    def keep(self, match_id: str = "crex_A", reason: str = "completed", now: datetime | None = None) -> None:
        stretch = self.logs.take(match_id, reason)
        assert stretch is not None
        self.files.keep([stretch], now or self.now)

    def lines(self, match_id: str = "crex_A") -> list[dict[str, Any]]:
        files = sorted((self.root / FOLDER / match_id).glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def summary(self, match_id: str = "crex_A") -> dict[str, Any]:
        return dict(json.loads((self.root / FOLDER / match_id / "summary.json").read_text()))


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path)


def test_the_notable_is_kept_in_order_and_a_poll_is_not(story: Story) -> None:
    story.tell(facts.MatchDiscovered, source="crex", title="India v Australia")
    story.tell(facts.ScraperStarted, scraper_id="s1", source="crex")
    story.change("discovered", "active")
    for _ in range(100):
        story.poll("unchanged")
    story.tell(facts.RungChanged, before="replay", after="dom", reason="refused")
    story.tell(facts.PaceChanged, before_seconds=2.5, seconds=5.0, reason="errors")
    story.fail()
    story.poll("failed")
    story.poll("updated")
    story.poll("updated")
    story.change("active", "completed")
    assert story.logs.due == {"crex_A": "completed"}
    story.keep()
    assert [line["event"] for line in story.lines()] == [
        "match discovered",
        "scraper started",
        "match state changed",
        "rung changed",
        "pace changed",
        "error raised",
        "match recovered",
        "match state changed",
    ]
    summary = story.summary()
    assert (summary["match_id"], summary["title"], summary["state"]) == ("crex_A", "India v Australia", "completed")
    assert (summary["errors"], summary["events"]["match state changed"]) == ({"network": 1}, 2)


def test_what_every_ball_brings_is_no_line_of_the_log(story: Story) -> None:
    """Or nothing else would find room in it."""
    story.fail("no answer")
    for _ in range(1000):
        story.tell(facts.FactsStored, source="crex", events=())
    story.keep()
    assert [line["event"] for line in story.lines()] == ["error raised"]


def test_the_same_error_again_is_counted_in_its_line(story: Story) -> None:
    for number in range(500):
        story.fail("no answer")
        story.fail(f"answered 500 after {number} ms")
    story.keep()
    lines = story.lines()
    assert [(line["error_message"], line["occurrences"]) for line in lines] == [
        ("no answer", 500),
        ("answered 500 after 0 ms", 500),
    ]
    assert lines[0]["last_at"] > lines[0]["timestamp"]
    assert story.summary()["errors"] == {"network": 1000}


def test_each_stretch_has_a_file_and_the_summary_adds_them_up(story: Story) -> None:
    for _ in range(3):
        story.fail()
        story.tell(facts.ScraperStopped, scraper_id="s1", reason="gone")
        story.keep(reason="gone")
    summary = story.summary()
    assert (summary["errors"], summary["reason"]) == ({"network": 3}, "gone")
    assert len(summary["stretches"]) == len(list((story.root / FOLDER / "crex_A").glob("*.jsonl"))) == 3
    assert summary["first_at"] < summary["stretches"][2]["began_at"] < summary["last_at"]
    assert story.logs.bytes_held == 0
    assert story.logs.due == {}


def test_two_stretches_of_one_moment_do_not_overwrite_each_other(story: Story) -> None:
    for _ in range(2):
        story.now = NOON
        story.fail()
        story.keep()
    assert len(story.lines()) == 2


def test_a_damaged_summary_begins_anew(story: Story) -> None:
    story.fail()
    story.keep()
    for damage in (b"", b"{", b"[1]", b'{"errors": 3, "stretches": {"a": 1}}', b"\xff" * 100):
        (story.root / FOLDER / "crex_A" / "summary.json").write_bytes(damage)
        story.fail()
        story.keep()
        assert story.summary()["errors"] == {"network": 1}


def test_what_is_kept_passes_the_redactor(story: Story) -> None:
    REDACTOR.protect("hook-secret-value")
    try:
        story.tell(facts.MatchDiscovered, source="crex", title="hook-secret-value")
        story.fail(
            "token=abcdefgh123456 at http://u:pa55word@x/", context={"cookie": "hunter2"}, stack_trace="a\n" * 9000
        )
        story.keep()
    finally:
        REDACTOR.forget("hook-secret-value")
    written = "".join(path.read_text() for path in story.root.rglob("*") if path.is_file())
    for secret in ("hook-secret-value", "abcdefgh123456", "pa55word", "hunter2"):
        assert secret not in written


def test_a_monstrous_signal_becomes_a_line_of_bounded_length(story: Story) -> None:
    story.fail("x" * 100_000, context={str(n): "y" * 5000 for n in range(50)}, stack_trace="line\n" * 50_000)
    story.fail("a\nb\u2028c", match_id="crex_B")
    story.keep()
    story.keep("crex_B")
    (file,) = (story.root / FOLDER / "crex_A").glob("*.jsonl")
    assert file.stat().st_size <= LINE_BYTES_MAX + 1
    assert story.lines()[0]["is_cut"] is True
    assert len(story.lines("crex_B")) == 1


def test_of_a_thousand_matches_that_fail_in_ever_new_ways_each_holds_its_share_of_64_mb(tmp_path: Path) -> None:
    """Measured on twenty of them."""
    logs, words = MatchLogs(), [f"{letter}{other} " for letter in "abcdefgh" for other in "klmnopqr"]
    tracemalloc.start()
    try:
        for word in words:
            for match in range(20):
                logs.note(
                    facts.ErrorRaised(
                        at=NOON,
                        severity="WARN",
                        error_type="network",
                        error_message=word * 400,
                        match_id=f"crex_{match}",
                    )
                )
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert logs.bytes_held > 20 * 0.9 * MATCH_BYTES_MAX
    assert held / 20 * 1000 < 64 * MEBIBYTE


def test_the_bound_of_all_takes_from_whoever_holds_most(tmp_path: Path) -> None:
    story = Story(tmp_path, all_bytes_max=40_000)
    story.fail("the quiet one", match_id="crex_quiet")
    for number in range(500):
        story.fail("".join("abcdefghij"[int(digit)] for digit in str(number)), match_id="crex_loud")
        assert story.logs.bytes_held <= 40_000
    story.keep("crex_quiet")
    assert story.lines("crex_quiet")[0]["error_message"] == "the quiet one"
    story.keep("crex_loud")
    assert story.summary("crex_loud")["stretches"][0]["dropped"] > 300


def everything_below(root: Path) -> Iterator[Path]:
    return (path for path in root.rglob("*") if not path.is_dir() or path.is_symlink())


def test_no_match_id_leads_out_of_the_folder(tmp_path: Path) -> None:
    story = Story(tmp_path / "storage", quota_mb=64)
    hostile = set(filter(None, HOSTILE_IDS))
    for match_id in hostile:
        story.fail(match_id=match_id)
        story.keep(match_id)
    inside = tmp_path / "storage" / FOLDER
    found = list(everything_below(tmp_path))
    assert len(found) == 2 * len(hostile)
    assert all(path.parent.parent == inside and path.name.isascii() for path in found)
    assert {path.stat().st_mode & 0o777 for path in found} == {0o600}


@pytest.mark.parametrize("place", [FOLDER, f"{FOLDER}/crex_A"])
def test_nothing_is_written_through_a_link_to_a_folder(tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "storage" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    story = Story(tmp_path / "storage")
    story.fail()
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        story.keep()
    assert list(outside.iterdir()) == []


def test_a_link_in_the_place_of_a_summary_is_replaced_and_not_followed(tmp_path: Path) -> None:
    story = Story(tmp_path / "storage")
    story.fail()
    story.keep()
    victim = tmp_path / "victim.json"
    victim.write_text('{"title": "of somebody else"}')
    summary = tmp_path / "storage" / FOLDER / "crex_A" / "summary.json"
    for link in (summary, summary.with_name("summary.json.part")):
        link.unlink(missing_ok=True)
        link.symlink_to(victim)
    story.fail()
    story.keep()
    assert victim.read_text() == '{"title": "of somebody else"}'
    assert not summary.is_symlink()
    assert story.summary()["title"] == ""


def test_the_quota_holds_the_oldest_go_first_and_strangers_stay(tmp_path: Path) -> None:
    story = Story(tmp_path, quota_mb=1)
    stranger = tmp_path / FOLDER / "crex_0" / "notes.txt"
    stranger.parent.mkdir(parents=True)
    stranger.write_text("not ours")
    chance = random.Random(3)
    for number in range(200):
        for _ in range(20):
            story.fail(chance.choice("abcdef") * 900 + chance.choice("ghijk"), match_id=f"crex_{number}")
        story.keep(f"crex_{number}")
        held = sum(path.stat().st_size for path in everything_below(tmp_path) if path != stranger)
        assert held <= MEBIBYTE
    left = {path.name for path in (tmp_path / FOLDER).iterdir()}
    assert "crex_199" in left
    assert "crex_1" not in left
    assert stranger.read_text() == "not ours"


def test_what_is_older_than_the_days_goes(story: Story) -> None:
    story.fail()
    story.keep()
    story.fail(match_id="crex_B")
    story.keep("crex_B", now=NOON + timedelta(days=31))
    assert {path.name for path in (story.root / FOLDER).iterdir()} == {"crex_B"}


@on_virtual_time
async def test_what_happens_just_after_the_end_still_belongs_to_the_log(tmp_path: Path) -> None:
    """The files are written by a thread, which virtual time does not wait for; so none is here."""
    story = Story(tmp_path)
    kept: list[str] = []
    clock, stop = noon_clock(), Stop(noon_clock())
    keeping = MatchLogKeeping(story.logs, story.files, clock, story.heard.bus)

    async def note(stretches: Any) -> None:
        kept.extend(line.text.decode() for stretch in stretches for line in stretch.lines)

    keeping._keep = note  # type: ignore[method-assign]  # in the place of the disk
    running = asyncio.create_task(keeping.run(stop))
    await clock.sleep(1)
    story.change("active", "completed")
    await clock.sleep(1)
    story.tell(facts.MatchConcluded, reason="over", is_verified=True)
    await clock.sleep(12)
    assert len(kept) == 2
    stop.ask("test")
    await running


async def test_at_the_end_everything_is_written_but_what_has_nothing_to_tell(story: Story) -> None:
    keeping = MatchLogKeeping(story.logs, story.files, SystemClock(), story.heard.bus)
    for match in range(120):
        story.tell(facts.ScraperStarted, f"crex_{match}", scraper_id="s", source="crex")
        if match < 110:
            story.fail(match_id=f"crex_{match}")
    await keeping.close("SIGTERM")
    assert len(list((story.root / FOLDER).iterdir())) == 110
    assert story.summary("crex_7")["reason"] == "SIGTERM"
    assert story.logs.bytes_held == 0


async def test_a_disk_that_refuses_is_told_once_and_disturbs_nobody(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file where the folder belongs")
    story = Story(tmp_path)
    keeping = MatchLogKeeping(story.logs, story.files, SystemClock(), story.heard.bus)
    for _ in range(3):
        story.fail()
        await keeping.close("test")
    told = [error for error in story.heard.of(facts.ErrorRaised) if error.operation == "match logs"]
    assert len(told) == 1
    assert "Not a directory" in told[0].error_message
    (tmp_path / FOLDER).unlink()
    story.fail()
    await keeping.close("test")
    assert len(story.lines()) == 1


async def test_what_a_killed_process_has_written_so_far_becomes_a_stretch_of_the_next_one(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.tell(facts.MatchDiscovered, source="crex", title="A v B")
    story.change("discovered", "active")
    story.fail("no answer")
    keeping = MatchLogKeeping(story.logs, story.files, SystemClock(), story.heard.bus)
    await keeping._keep_so_far()
    assert not (tmp_path / FOLDER / "crex_A" / "summary.json").exists()
    assert [line["event"] for line in story.lines()] == ["match discovered", "match state changed", "error raised"]

    after = Story(tmp_path)
    assert after.files.adopt() == 1
    assert after.files.adopt() == 0
    summary = after.summary()
    assert (summary["title"], summary["state"], summary["reason"]) == ("A v B", "active", "the process was killed")
    assert summary["errors"] == {"network": 1}
    after.now = story.now
    after.change("active", "completed")
    after.keep()
    assert [line.get("after") for line in after.lines() if line["event"] == "match state changed"] == [
        "active",
        "completed",
    ]
    assert len(after.summary()["stretches"]) == 2
    assert not (tmp_path / FOLDER / "crex_A" / "current.jsonl").exists()


def test_a_file_left_behind_of_which_nothing_can_be_read_is_removed(story: Story) -> None:
    folder = story.root / FOLDER / "crex_A"
    folder.mkdir(parents=True)
    (folder / "current.jsonl").write_bytes(b"\x00\xff half a li")
    assert story.files.adopt() == 0
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("what", ["quiet", "dull"])
def test_what_has_nothing_new_to_tell_is_not_written_again(story: Story, what: str) -> None:
    story.tell(facts.ScraperStarted, scraper_id="s", source="crex", url="u", interval_seconds=2.5)
    if what == "quiet":
        story.fail("no answer")
        assert len(story.logs.told_since({})) == 1
        assert story.logs.told_since({"crex_A": story.now}) == []
    else:
        assert story.logs.told_since({}) == []
