"""Whether the ports we listen on are free, and who has them."""

import errno
import socket
from pathlib import Path

import psutil

from longstop.commands.checkup.finding import Finding, ok, problem, warning


def port(name: str, host: str, number: int) -> Finding:
    """Bound and let go at once; nothing listens and nothing is sent."""
    shown = f"{host}:{number}"
    if number == 0:
        return ok(name, f"{host}, any free port")
    try:
        _bind(host.strip("[]"), number)
    except OSError as error:
        return _refused(name, shown, number, error)
    return ok(name, f"{shown} is free")


def _bind(host: str, number: int) -> None:
    wanted = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = wanted[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def _refused(name: str, shown: str, number: int, error: OSError) -> Finding:
    if error.errno == errno.EADDRINUSE:
        return _taken(name, shown, holder_of(number))
    if error.errno in (errno.EACCES, errno.EPERM):
        return problem(name, f"{shown} may not be taken by this user", "Choose a port above 1023.")
    said = f"{shown} cannot be listened on: {error.strerror or error}"
    return problem(name, said, "Give an address of this machine, for example 127.0.0.1.")


def _taken(name: str, shown: str, holder: psutil.Process | None) -> Finding:
    if holder is not None and is_longstop(_command_line(holder)):
        said = f"{shown} is taken by another Longstop (pid {holder.pid})"
        return warning(name, said, "That is as it should be if you started it; a second one needs another port.")
    who = f" by {_name(holder)} (pid {holder.pid})" if holder is not None else ""
    return problem(name, f"{shown} is taken{who}", "Stop the other program, or choose another port.")


def holder_of(number: int) -> psutil.Process | None:
    """Who listens there, as far as this user may know."""
    try:
        listeners = psutil.net_connections(kind="tcp")
        pids = [each.pid for each in listeners if each.status == psutil.CONN_LISTEN and each.laddr[1:2] == (number,)]
        return next((psutil.Process(pid) for pid in pids if pid), None)
    except psutil.Error:
        return None


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "another program"


def is_longstop(command_line: list[str]) -> bool:
    words = command_line[:3]
    return any(Path(word).name == "longstop" for word in words[:2]) or words[1:3] == ["-m", "longstop.cli"]
