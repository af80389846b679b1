"""A real RabbitMQ on ports of its own, with a port mapper of its own, in a folder of its own."""

import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.servers.process import Account, ServerMissingError, ServerProcess, start

# Debian's own starter insists on its user; this is what that starts.
_PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


class RabbitServer:
    def __init__(self, process: ServerProcess, mapper_port: int) -> None:
        self.process = process
        self._mapper_port = mapper_port

    @classmethod
    def started(cls) -> "RabbitServer":
        if not _PROGRAM.exists():
            raise ServerMissingError("RabbitMQ is not installed. As root: apt-get install rabbitmq-server")
        account = Account.unprivileged()
        folder = account.folder("rabbitmq")
        mapper_port = _free_port()
        process = start(account, folder, lambda port: _command(folder, port, mapper_port), _answers)
        return cls(process, mapper_port)

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.process.port}//"

    def stop(self) -> None:
        self.process.stop(signal.SIGTERM)
        # Erlang leaves its port mapper behind.
        subprocess.run(["epmd", "-port", str(self._mapper_port), "-kill"], capture_output=True, timeout=15, check=False)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _command(folder: Path, port: int, mapper_port: int) -> Sequence[str]:
    wanted = {
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": mapper_port,
        "HOME": folder,
        "RABBITMQ_NODENAME": f"longstop{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": port,
        "RABBITMQ_DIST_PORT": _free_port(),
        "RABBITMQ_MNESIA_BASE": folder / "data",
        "RABBITMQ_LOG_BASE": folder / "log",
        "RABBITMQ_ENABLED_PLUGINS_FILE": folder / "plugins",
        "RABBITMQ_CONF_ENV_FILE": folder / "none",
        "RABBITMQ_PID_FILE": folder / "pid",
    }
    return ["env", *(f"{name}={value}" for name, value in wanted.items()), str(_PROGRAM)]


def _answers(port: int) -> bool:
    """Who speaks AMQP ends a greeting that is none with the version that he speaks."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            return connection.recv(4) == b"AMQP"
    except OSError:
        return False
