"""A real Redis on a port of its own, in memory only."""

import shutil
import signal
import socket

from tests.servers.process import Account, ServerMissingError, ServerProcess, start

_ANSWER_SECONDS = 1.0


class RedisServer:
    def __init__(self, process: ServerProcess) -> None:
        self.process = process

    @classmethod
    def started(cls) -> "RedisServer":
        program = shutil.which("redis-server")
        if program is None:
            hint = "`make test` as root brings it on Debian; or, as root: apt-get install redis-server"
            raise ServerMissingError(f"Redis is not installed. {hint}")
        account = Account.unprivileged()
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"]
        folder = account.folder("redis")
        process = start(
            account,
            folder,
            lambda port: [program, "--port", str(port), *options],
            lambda port: _ask(port, "PING") == "+PONG",
        )
        return cls(process)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.process.port}/0"

    def empty(self) -> None:
        answer = _ask(self.process.port, "FLUSHALL")
        if answer != "+OK":
            raise RuntimeError(f"Redis did not empty itself: {answer}")

    def stop(self) -> None:
        self.process.stop(signal.SIGTERM)

    def kill(self) -> None:
        """With all that it had in memory."""
        self.process.popen.kill()
        self.process.popen.wait(timeout=15)

    def start_again(self) -> None:
        """On the same port, empty."""
        command, folder = self.process.popen.args, self.process.folder
        popen = Account.unprivileged().popen(command, folder / "server.log")  # type: ignore[arg-type]  # a list, as we gave it
        self.process = ServerProcess(popen, folder, self.process.port)


def _ask(port: int, word: str) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_ANSWER_SECONDS) as connection:
            connection.sendall(f"{word}\r\n".encode())
            return connection.recv(100).decode().strip()
    except OSError:
        return ""
