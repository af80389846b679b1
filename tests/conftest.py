"""What every test may ask for. The servers themselves are in tests/servers, the leak check in tests/leaks.py."""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator, Iterator
from inspect import iscoroutinefunction
from pathlib import Path

import pytest

from tests import leaks
from tests.servers.postgres import PostgresServer
from tests.servers.process import ServerMissingError, ServerProcess
from tests.servers.redis import RedisServer
from tests.servers.tinyproxy import TinyProxies

pytest_plugins = ["tests.requirements_plugin"]

ROOT = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only tests that run on a loop pay for the loop of the task check."""
    for item in items:
        if isinstance(item, pytest.Function) and iscoroutinefunction(item.obj):
            item.fixturenames.insert(0, "no_task_left")


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real captures and matches that lie beside the project; they are no part of it."""
    given = os.environ.get("LONGSTOP_SHARED_DATA")
    path = Path(given) if given else ROOT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"there is no folder {path}; set LONGSTOP_SHARED_DATA to where the shared data lies")
    return path


@pytest.fixture(scope="session")
def servers() -> list[ServerProcess]:
    """The servers that live as long as the whole run, so that the leak check knows them."""
    return []


@pytest.fixture(scope="session")
def postgres_server(servers: list[ServerProcess]) -> Iterator[PostgresServer]:
    try:
        server = PostgresServer.started()
    except ServerMissingError as error:
        pytest.skip(str(error))
    servers.append(server.process)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A real PostgreSQL with an empty database of this module's own."""
    name = postgres_server.create_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def redis_server(servers: list[ServerProcess]) -> Iterator[RedisServer]:
    try:
        server = RedisServer.started()
    except ServerMissingError as error:
        pytest.skip(str(error))
    servers.append(server.process)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def redis_url(redis_server: RedisServer) -> str:
    """A real Redis, emptied for this module."""
    redis_server.empty()
    return redis_server.url


@pytest.fixture(scope="session")
def tiny_proxies(servers: list[ServerProcess]) -> Iterator[TinyProxies]:
    """Real HTTP proxies with passwords and other exit addresses: `tiny_proxies.take(3)`."""
    if shutil.which("tinyproxy") is None:
        pytest.skip("tinyproxy is not installed; `make test` as root brings it on Debian")
    proxies = TinyProxies(servers)
    yield proxies
    proxies.stop()


@pytest.fixture(scope="module", autouse=True)
def nothing_left_behind(servers: list[ServerProcess]) -> Iterator[None]:
    """No thread, child process or listening socket outlives its test module."""
    before = leaks.taken()
    yield
    left = leaks.left_since(before, [server.pid for server in servers])
    assert not left, "this module left behind: " + "; ".join(left)


@pytest.fixture
async def no_task_left() -> AsyncIterator[None]:
    """No task outlives its test; the loop's own end would cancel it in silence."""
    before = asyncio.all_tasks()
    yield
    left = await leaks.tasks_left_since(before)
    assert not left, "this test left tasks running: " + "; ".join(left)
