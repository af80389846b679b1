"""The servers of the tests are real, each module gets an empty one, and both kinds end."""

import os
from pathlib import Path

import psutil
import pytest

from tests.servers import postgres
from tests.servers.postgres import PostgresServer
from tests.servers.process import Account
from tests.servers.redis import RedisServer


def test_each_database_is_empty_and_apart(postgres_server: PostgresServer) -> None:
    first, second = postgres_server.create_database(), postgres_server.create_database()
    postgres_server.execute("select 1")
    assert first != second
    assert postgres_server.url(first).startswith("postgresql://longstop@127.0.0.1:")
    for name in (first, second):
        postgres_server.drop_database(name)


def test_postgres_never_runs_as_root(postgres_server: PostgresServer) -> None:
    assert psutil.Process(postgres_server.process.pid).uids().effective != 0


def test_a_wrong_statement_is_an_error(postgres_server: PostgresServer) -> None:
    with pytest.raises(RuntimeError, match="syntax error"):
        postgres_server.execute("no such statement")


def test_the_servers_leave_nothing_behind() -> None:
    server = PostgresServer.started()
    children = psutil.Process(server.process.pid).children(recursive=True)
    server.stop()
    assert not server.process.folder.exists()
    assert not any(child.is_running() for child in [*children])


def test_redis_answers_and_is_emptied(redis_server: RedisServer) -> None:
    redis_server.empty()
    assert redis_server.url.startswith("redis://127.0.0.1:")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's own folders are closed to the user of the server")
def test_a_clone_closed_to_others_lends_a_copy_of_its_postgres(tmp_path: Path) -> None:
    programs = tmp_path / "package" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs / "postgres").touch()
    tmp_path.chmod(0o700)
    copy = postgres._reachable(programs, Account.unprivileged(), tmp_path / "server")
    assert copy == tmp_path / "server" / "package" / "pginstall" / "bin"
    assert (copy / "postgres").exists()
