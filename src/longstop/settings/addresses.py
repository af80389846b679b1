"""What a usable address is. The reasons given never repeat the address: it may hold a password."""

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from longstop.settings.masks import SecretUrl

_HOST: Final = re.compile(
    r"[A-Za-z0-9_]([A-Za-z0-9_.\-]*[A-Za-z0-9_.])?|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.\-]+)?\]?", re.ASCII
)


def is_host(text: str) -> bool:
    """A host name or an IP address, as far as writing goes."""
    return len(text) <= 253 and _HOST.fullmatch(text) is not None


def require_address(value: SecretUrl, schemes: tuple[str, ...], *, may_be_empty: bool = True) -> SecretUrl:
    """The value itself when it is an address with one of these schemes and a host."""
    text = value.get_secret_value()
    if not text and may_be_empty:
        return value
    parts = _split(text)
    if parts.scheme.lower() not in schemes or not parts.hostname:
        raise ValueError(f"is not such an address; give one that begins with {_choices(schemes)} and names a host")
    return value


def require_private_address(value: SecretStr) -> SecretStr:
    """An address that nobody on the way can read: https, or http that does not leave this machine."""
    text = value.get_secret_value()
    parts = _split(text)
    if text and not is_host(parts.hostname or ""):
        raise ValueError("is not such an address; give one that begins with https:// and names a host")
    if text and parts.scheme.lower() == "http" and not _is_this_machine(parts.hostname or ""):
        raise ValueError("begins with http:// and leaves this machine, so others could read it; give an https:// one")
    return value


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_database(value: SecretUrl) -> SecretUrl:
    """SQLite by file, or PostgreSQL by host and database."""
    text = value.get_secret_value()
    scheme = text.partition("://")[0]
    if not text or re.fullmatch(r"sqlite:///[^?#]+(\?.*)?", text):
        return value
    if scheme == "postgres":
        raise ValueError("begins with postgres://; write postgresql:// instead")
    if scheme in {"postgresql", "postgresql+asyncpg"} and _names_database(_split(text)):
        return value
    raise ValueError("is no database address; give sqlite:///path or postgresql://user:password@host:5432/name")


def require_plain_site(value: str) -> str:
    """The address of a site: http or https, a host, and no password, query or fragment in it."""
    parts = _split(value)
    if value and (parts.scheme.lower() not in {"http", "https"} or not is_host(parts.hostname or "")):
        raise ValueError("is not the address of a site; give one that begins with http:// or https://")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError("holds more than scheme, host, port and path; leave out user, password, query and fragment")
    return value


def _names_database(parts: SplitResult) -> bool:
    return bool(parts.path.strip("/")) and bool(parts.hostname or "host=" in parts.query)


def _split(text: str) -> SplitResult:
    if text.count("@") > 1:
        raise ValueError("holds more than one @; write @ as %40, / as %2F and : as %3A in user and password")
    try:
        parts = urlsplit(text)
        _ = parts.port  # reading it is what checks it
    except ValueError:
        raise ValueError(
            "is not a well-formed address; check host and port, and write special characters as %40"
        ) from None
    return parts


def _choices(schemes: tuple[str, ...]) -> str:
    names = [f"{scheme}://" for scheme in schemes]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
