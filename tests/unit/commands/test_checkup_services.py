"""Databases, Redis and brokers are asked with a deadline, and only on loopback here."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from longstop.commands.checkup import services
from longstop.commands.checkup.database import DatabaseSchema
from longstop.commands.checkup.finding import State, examined
from longstop.store import schema
from longstop.store.schema import SchemaState

SECRET = "hunter22"


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Somebody listens there and never says a word."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        yield int(silent.getsockname()[1])


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "DEADLINE_SECONDS", 0.3)


def test_a_database_that_is_not_there_yet_is_well_and_not_made(tmp_path: Path) -> None:
    assert services.database(f"sqlite:///{tmp_path}/new.db").state is State.OK
    assert not list(tmp_path.iterdir())


def test_a_database_that_cannot_be_made_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    assert services.database(f"sqlite:///{tmp_path}/file/new.db").state is State.PROBLEM


def test_a_database_in_memory_warns_that_nothing_is_kept() -> None:
    assert services.database("sqlite:///:memory:").state is State.WARNING


def test_a_current_database_is_well(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    schema.upgrade(url)
    assert services.database(url).state is State.OK


@pytest.mark.parametrize(
    ("state", "found"),
    [
        (SchemaState.EMPTY, State.WARNING),
        (SchemaState.OLDER, State.WARNING),
        (SchemaState.NEWER, State.PROBLEM),
        (SchemaState.FOREIGN, State.PROBLEM),
        (SchemaState.CURRENT, State.OK),
    ],
)
def test_each_state_of_a_schema_has_its_weight(state: SchemaState, found: State) -> None:
    finding = services.judged(DatabaseSchema("here.db", state, "0001"))
    assert finding.state is found
    assert bool(finding.hint) == (found is not State.OK)


def test_a_postgres_that_answers_is_judged_by_its_schema(postgres_url: str) -> None:
    found = services.database(postgres_url)
    assert found.state is State.WARNING
    assert "longstop db upgrade" in found.hint


def test_a_postgres_that_says_nothing_is_given_up(silent_port: int, impatient: None) -> None:
    found = examined("database", lambda: services.database(f"postgresql://a:b@127.0.0.1:{silent_port}/x"))
    assert found.state is State.PROBLEM


def test_no_redis_is_absent_and_well() -> None:
    assert services.redis("").state is State.ABSENT
    assert services.broker("").state is State.ABSENT


def test_a_redis_that_answers_is_well(redis_url: str) -> None:
    assert services.redis(redis_url).state is State.OK
    assert services.broker(redis_url).name == "broker"


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_a_broker_that_is_down_is_told_without_its_password(scheme: str, free_port: int) -> None:
    found = services.broker(f"{scheme}://me:{SECRET}@127.0.0.1:{free_port}/0")
    assert found.state is State.PROBLEM
    assert str(free_port) in found.said
    assert SECRET not in found.said + found.hint


def test_a_redis_that_says_nothing_is_given_up(silent_port: int, impatient: None) -> None:
    assert services.redis(f"redis://127.0.0.1:{silent_port}/0").state is State.PROBLEM


def test_a_broker_without_a_client_of_ours_is_only_knocked_at(silent_port: int) -> None:
    found = services.broker(f"amqp://me:{SECRET}@127.0.0.1:{silent_port}//")
    assert found.state is State.OK
    assert SECRET not in found.said
