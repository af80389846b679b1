"""Real HTTP proxies on loopback, each with a password and an exit address of its own."""

import shutil
import signal
import socket
from pathlib import Path

from tests.servers.process import Account, ServerMissingError, ServerProcess, start

USER, PASSWORD = "reader", "pa55-of-a-proxy"
FIRST_EXIT = 2
EXITS_MAX = 250
_ANSWER_SECONDS = 1.0
_SETTINGS = """Port {port}
Listen 127.0.0.1
Allow 127.0.0.1
Bind {exit_address}
BasicAuth {user} {password}
Timeout 60
MaxClients 200
DisableViaHeader Yes
LogLevel Warning
"""


class TinyProxy:
    """What goes through it arrives from `exit_address`, which is ours as all of 127.0.0.0/8 is."""

    def __init__(self, process: ServerProcess, exit_address: str, user: str, password: str) -> None:
        self.process, self.exit_address = process, exit_address
        self.user, self.password = user, password

    @classmethod
    def started(cls, exit_address: str, user: str = USER, password: str = PASSWORD) -> "TinyProxy":
        program = shutil.which("tinyproxy")
        if program is None:
            hint = "`make test` as root brings it on Debian; or, as root: apt-get install tinyproxy"
            raise ServerMissingError(f"tinyproxy is not installed. {hint}")
        account = Account.unprivileged()
        settings = account.folder("tinyproxy") / "tinyproxy.conf"

        def command(port: int) -> list[str]:
            words = {"port": port, "exit_address": exit_address, "user": user, "password": password}
            settings.write_text(_SETTINGS.format(**words), encoding="utf-8")
            return [program, "-d", "-c", str(settings)]

        return cls(start(account, settings.parent, command, _listens), exit_address, user, password)

    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def port(self) -> int:
        return self.process.port

    @property
    def url(self) -> str:
        """With name and password, as an operator would give it."""
        return f"http://{self.user}:{self.password}@{self.host}:{self.port}"

    @property
    def bare_url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def log(self) -> Path:
        return self.process.folder / "server.log"

    def stop(self) -> None:
        self.process.stop(signal.SIGTERM)


class TinyProxies:
    """As many as were asked for so far, in the order of their exits: 127.0.0.2, 127.0.0.3 …

    They live as long as the whole run. Whoever wants to stop one starts one of his own.
    """

    def __init__(self, known_servers: list[ServerProcess]) -> None:
        self._known = known_servers
        self._running: list[TinyProxy] = []

    def take(self, count: int) -> list[TinyProxy]:
        if count > EXITS_MAX:
            raise ValueError(f"{count} exits are more than {EXITS_MAX}")
        while len(self._running) < count:
            proxy = TinyProxy.started(f"127.0.0.{FIRST_EXIT + len(self._running)}")
            self._running.append(proxy)
            self._known.append(proxy.process)
        return self._running[:count]

    def stop(self) -> None:
        for proxy in self._running:
            proxy.stop()


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_ANSWER_SECONDS):
            return True
    except OSError:
        return False
