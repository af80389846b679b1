"""What else is configured to be reached: the database, Redis, a broker. Each with a short deadline."""

import socket
from urllib.parse import urlsplit

from longstop.commands.checkup.database import DatabaseSchema, look
from longstop.commands.checkup.disk import nearest_folder
from longstop.commands.checkup.finding import Finding, absent, ok, problem, warning
from longstop.settings import mask_address
from longstop.store.address import SqliteAddress, parse_address
from longstop.store.schema import RESTORE_HINT, SchemaState

DEADLINE_SECONDS = 3.0
_PORTS = {"amqp": 5672, "amqps": 5671, "redis": 6379, "rediss": 6379}
_UPGRADE = "Run `longstop db upgrade`."


def database(url: str) -> Finding:
    address = parse_address(url)
    if isinstance(address, SqliteAddress) and address.path is None:
        return warning("database", "in memory: nothing is kept", "Set database.url to keep what is seen.")
    if isinstance(address, SqliteAddress) and address.path is not None and not address.path.exists():
        return _not_there_yet(address)
    return judged(look(url, deadline_seconds=DEADLINE_SECONDS))


def judged(found: DatabaseSchema) -> Finding:
    said = f"{found.database}, {found.describe()}"
    match found.state:
        case SchemaState.CURRENT:
            return ok("database", said)
        case SchemaState.EMPTY | SchemaState.OLDER:
            return warning("database", said, _UPGRADE)
        case SchemaState.NEWER:
            return problem("database", said, "Install the Longstop that made it, or name another database.")
        case SchemaState.FOREIGN:
            return problem("database", said, "Name an empty database.")
        case SchemaState.DAMAGED:
            return problem("database", said, RESTORE_HINT)


def _not_there_yet(address: SqliteAddress) -> Finding:
    assert address.path is not None
    if nearest_folder(address.path.parent) is None:
        said = f"{address} cannot be made: something that is no folder stands in the way"
        return problem("database", said, "Set database.url to another path.")
    return ok("database", f"{address} is not there yet; the first start makes it")


def redis(url: str, name: str = "redis") -> Finding:
    """Asks with PING, so that a wrong password is found too."""
    if not url:
        return absent(name, "none is configured, and none is needed")
    shown = mask_address(url)
    try:
        from redis import Redis, RedisError
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        return answers(name, url)
    client = Redis.from_url(
        url,
        socket_connect_timeout=DEADLINE_SECONDS,
        socket_timeout=DEADLINE_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        client.ping()
    except RedisError as error:
        said = f"{shown} does not serve us: {_first_line(error)}"
        return problem(name, said, "Start it, or correct its address, user and password in the settings.")
    finally:
        client.close()
    return ok(name, f"{shown} answers")


def broker(url: str) -> Finding:
    if not url:
        return absent("broker", "none is configured: jobs run in this process")
    return redis(url, "broker") if url.startswith("redis") else answers("broker", url)


def answers(name: str, url: str) -> Finding:
    """Whether anybody listens there; what he speaks is not asked."""
    parts, shown = urlsplit(url), mask_address(url)
    where = (parts.hostname or "localhost", parts.port or _PORTS.get(parts.scheme, 0))
    try:
        socket.create_connection(where, timeout=DEADLINE_SECONDS).close()
    except OSError as error:
        said = f"{shown} does not answer: {error.strerror or error}"
        return problem(name, said, "Start it, or correct its address in the settings.")
    return ok(name, f"{shown} listens")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:200]
