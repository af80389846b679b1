"""Memory, cores, files, clock, encoding, disk and ports, each with its bounds."""

import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from longstop.commands.checkup import disk, machine, ports
from longstop.commands.checkup.finding import State

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_less_memory_than_the_settings_ask_for_warns() -> None:
    assert machine.memory(500, 499.0).state is State.WARNING
    assert machine.memory(500, 500.0).state is State.OK


def test_the_memory_of_a_container_counts(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text(str(600 * 2**20), encoding="ascii")
    (tmp_path / "memory.current").write_text(str(500 * 2**20), encoding="ascii")
    assert machine.memory_available_mb(tmp_path) == 100
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {50 * 2**20}\n", encoding="ascii")
    assert machine.memory_available_mb(tmp_path) == 150


def test_a_container_without_a_limit_has_what_the_machine_has(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("max\n", encoding="ascii")
    (tmp_path / "memory.current").write_text("1\n", encoding="ascii")
    assert machine.memory_available_mb(tmp_path) > 0


def test_one_core_is_told_and_two_are_enough() -> None:
    assert machine.cores(1.0).state is State.WARNING
    assert machine.cores(2.0).state is State.OK


def test_the_cores_of_a_container_count(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("50000 100000\n", encoding="ascii")
    assert machine.cores_allowed(tmp_path) == 0.5
    (tmp_path / "cpu.max").write_text("max 100000\n", encoding="ascii")
    assert machine.cores_allowed(tmp_path) >= 1


@pytest.mark.parametrize(("limit", "state"), [(100, State.PROBLEM), (256, State.WARNING), (1024, State.OK)])
def test_few_open_files_are_told_before_they_run_out(limit: int, state: State) -> None:
    assert machine.open_files(limit).state is state


def test_a_clock_before_the_installation_is_wrong() -> None:
    assert machine.clock(NOW, NOW - timedelta(days=100)).state is State.OK
    assert machine.clock(NOW, NOW + timedelta(hours=14)).state is State.OK
    assert machine.clock(NOW, NOW + timedelta(days=3)).state is State.PROBLEM


def test_a_clock_of_another_century_is_wrong() -> None:
    assert machine.clock(NOW.replace(year=2106), NOW).state is State.PROBLEM


def test_an_encoding_without_all_letters_warns() -> None:
    assert machine.encoding("UTF-8", "utf-8").state is State.OK
    found = machine.encoding("ascii", "utf-8")
    assert found.state is State.WARNING
    assert "PYTHONUTF8=1" in found.hint


def test_a_storage_root_that_can_be_made_is_well_and_not_made(tmp_path: Path) -> None:
    root = tmp_path / "var" / "deep"
    assert disk.storage(root).state is State.OK
    assert not list(tmp_path.iterdir())


def test_a_writable_storage_root_is_left_as_it_was(tmp_path: Path) -> None:
    assert disk.storage(tmp_path).said == f"{tmp_path} is writable"
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_the_storage_root_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("", encoding="ascii")
    assert disk.storage(tmp_path / "var").state is State.PROBLEM
    assert disk.storage(tmp_path / "var" / "deep").state is State.PROBLEM


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_storage_root_closed_to_us_is_a_problem(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    found = disk.storage(tmp_path / "var")
    tmp_path.chmod(0o700)
    assert found.state is State.PROBLEM


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no folder that even root may not write to")
def test_a_folder_that_nobody_may_write_to_is_a_problem() -> None:
    assert disk.storage(Path("/proc/longstop")).state is State.PROBLEM


@pytest.mark.parametrize(("free_mb", "state"), [(50.0, State.PROBLEM), (500.0, State.WARNING), (5000.0, State.OK)])
def test_little_room_on_disk_is_told_in_time(tmp_path: Path, free_mb: float, state: State) -> None:
    assert disk.disk(tmp_path / "var", free_mb).state is state


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield int(taken.getsockname()[1])


def test_a_free_port_is_free_and_stays_free(free_port: int) -> None:
    for _ in range(2):
        assert ports.port("port api", "127.0.0.1", free_port).state is State.OK
    with socket.socket() as later:
        later.bind(("127.0.0.1", free_port))


def test_any_port_is_always_free() -> None:
    assert ports.port("port api", "127.0.0.1", 0).state is State.OK


def test_a_taken_port_is_a_problem_and_names_who_has_it(listener: int) -> None:
    found = ports.port("port api", "127.0.0.1", listener)
    assert found.state is State.PROBLEM
    assert f"127.0.0.1:{listener} is taken" in found.said
    assert f"pid {os.getpid()}" in found.said


def test_a_port_taken_by_another_longstop_only_warns(listener: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_command_line", lambda _: ["python", "/somewhere/bin/longstop", "up"])
    assert ports.port("port api", "127.0.0.1", listener).state is State.WARNING


@pytest.mark.parametrize("words", [["python", "-m", "pytest"], ["vim", "config.yaml", "longstop"], []])
def test_a_program_that_only_mentions_us_is_not_us(words: list[str]) -> None:
    assert not ports.is_longstop(words)


def test_an_address_of_another_machine_is_a_problem() -> None:
    found = ports.port("port api", "192.0.2.1", 8000)
    assert found.state is State.PROBLEM
    assert "127.0.0.1" in found.hint
