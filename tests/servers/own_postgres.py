"""A PostgreSQL that one test has to itself, so that it may be stopped, killed and started again."""

import signal

from tests.servers.postgres import PostgresServer
from tests.servers.process import Account


class OwnPostgres:
    """A server of one test, which may be stopped and started over the same data."""

    def __init__(self) -> None:
        self._server = PostgresServer.started()
        self._process = self._server.process
        self._command = self._process.popen.args
        self.url = self._server.url(self._server.create_database())

    def stop(self) -> None:
        self._process.popen.send_signal(signal.SIGINT)
        self._process.popen.wait(timeout=15)

    def crash(self) -> None:
        """As `pg_ctl -m immediate` does: it has to recover when it is started again."""
        self._process.popen.send_signal(signal.SIGQUIT)
        self._process.popen.wait(timeout=15)

    def start(self) -> None:
        popen = Account.unprivileged().popen(self._command, self._process.folder / "server.log")  # type: ignore[arg-type]  # a list, as we gave it
        self._process = type(self._process)(popen, self._process.folder, self._process.port)

    def remove(self) -> None:
        self._process.stop(signal.SIGINT)
