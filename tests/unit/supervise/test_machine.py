"""What the kernel says, and what is said when it says nothing."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from longstop.supervise.machine import MB, LinuxMachine, give_back

pytestmark = pytest.mark.req("B6")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "meminfo").write_text(f"MemTotal: 9000000 kB\nMemAvailable: {8000 * 1024} kB\n", encoding="ascii")
    return tmp_path


def machine(root: Path, membership: str) -> LinuxMachine:
    (root / "membership").write_text(membership, encoding="ascii")
    return LinuxMachine(root / "cgroup", root / "membership", root / "meminfo")


def bound(folder: Path, names: tuple[str, str], limit: object, used: int, stat: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n", encoding="ascii")
    (folder / names[1]).write_text(f"{used}\n", encoding="ascii")
    (folder / "memory.stat").write_text(stat, encoding="ascii")


NEW = ("memory.max", "memory.current")
OLD = ("memory.limit_in_bytes", "memory.usage_in_bytes")


def test_this_machine_and_this_process_are_really_read() -> None:
    real = LinuxMachine()
    process, available = real.process_bytes(), real.available_bytes()
    assert process is not None
    assert available is not None
    assert 5 * MB < process < 100_000 * MB
    assert MB < available < 100_000_000 * MB
    held = bytearray(os.urandom(1)) * (64 * MB)
    grown = real.process_bytes()
    assert grown is not None
    assert grown - process > 32 * MB
    del held


def test_what_was_freed_goes_back_to_the_system() -> None:
    real = LinuxMachine()
    held = [bytes(400) for _ in range(200_000)]
    grown = real.process_bytes() or 0
    del held
    real.release()
    assert (real.process_bytes() or 0) < grown - 32 * MB
    assert isinstance(give_back(), bool)
    gc.collect()


def test_without_a_bound_the_machine_counts(root: Path) -> None:
    assert machine(root, "0::/\n").available_bytes() == 8000 * MB


def test_the_bound_of_a_container_counts_and_what_it_could_drop(root: Path) -> None:
    bound(root / "cgroup", NEW, 600 * MB, 500 * MB, f"anon 5\ninactive_file {50 * MB}\n")
    assert machine(root, "0::/\n").available_bytes() == 150 * MB


def test_the_tightest_of_the_groups_above_us_counts(root: Path) -> None:
    bound(root / "cgroup/a", NEW, 1000 * MB, 700 * MB)
    bound(root / "cgroup/a/b", NEW, 900 * MB, 100 * MB)
    assert machine(root, "0::/a/b\n").available_bytes() == 300 * MB


def test_the_older_kind_of_groups_counts_too(root: Path) -> None:
    bound(root / "cgroup/memory/job", OLD, 400 * MB, 100 * MB, f"total_inactive_file {20 * MB}\n")
    bound(root / "cgroup/memory", OLD, 9223372036854771712, 1)
    assert machine(root, "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n").available_bytes() == 320 * MB


def test_a_group_without_a_limit_bounds_nothing(root: Path) -> None:
    bound(root / "cgroup", NEW, "max", 500 * MB)
    assert machine(root, "0::/\n").available_bytes() == 8000 * MB


def test_more_used_than_allowed_is_nothing_left_and_not_less(root: Path) -> None:
    bound(root / "cgroup", NEW, 100 * MB, 140 * MB)
    assert machine(root, "0::/\n").available_bytes() == 0


@pytest.mark.parametrize("content", ["", "MemTotal: 1 kB\n", "MemAvailable: much\n"])
def test_a_reading_that_cannot_be_had_is_unknown_and_not_zero(root: Path, content: str) -> None:
    (root / "meminfo").write_text(content, encoding="ascii")
    assert machine(root, "0::/\n").available_bytes() is None
    (root / "meminfo").unlink()
    assert machine(root, "0::/\n").available_bytes() is None


def test_what_is_set_apart_is_not_looked_through_again() -> None:
    """In a process of its own: this one still has to find what tests leave behind."""
    script = "import gc\nfrom longstop.supervise.machine import set_apart\nset_apart()\nprint(len(gc.get_objects()))"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert int(said.stdout) < 1000
