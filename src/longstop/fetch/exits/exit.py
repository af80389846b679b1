"""One exit: a proxy with its account, told to nobody but the one who dials it."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec

from longstop.domain.errors import SettingsError

PORTS: Final = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
# Names of exits are keyed by a secret of this run: an address could be guessed from a plain hash of it.
_KEY: Final = secrets.token_bytes(32)


class ExitAddress:
    """Where an exit is and what it is told. Whoever prints it sees neither."""

    __slots__ = ("host", "password", "port", "scheme", "username")

    def __init__(self, scheme: str, host: str, port: int, username: str = "", password: str = "") -> None:
        self.scheme = scheme
        self.host = host
        self.port = port
        self.username = username
        self.password = password

    def __repr__(self) -> str:
        return "ExitAddress(***)"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("the address of an exit is not written down")

    @property
    def looks_names_up(self) -> bool:
        return self.scheme == "socks5h"

    def proxy_id(self) -> str:
        whole = "\0".join((self.scheme, self.host, str(self.port), self.username, self.password))
        return hashlib.blake2b(whole.encode(), key=_KEY, digest_size=6).hexdigest()


class Exit(msgspec.Struct, frozen=True):
    """`proxy_id` tells exits apart in logs. `renew`, where there is one, makes an exit with another address to the
    site, by the name of the session that is to use it."""

    address: ExitAddress
    proxy_id: str
    pool: str = "urls"
    country: str = ""
    renew: Callable[[str], "Exit"] | None = None


def exit_at(url: str, pool: str = "urls") -> Exit:
    """From `socks5://user:password@host:port#DE`; the country is optional. The faults never repeat the address."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise SettingsError(
            "An entry of scraper.proxy.urls is no proxy.",
            hint="Give http://, https://, socks5:// or socks5h:// with user, password, host and port.",
        )
    address = ExitAddress(
        parts.scheme,
        parts.hostname,
        parts.port or PORTS[parts.scheme],
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )
    return Exit(address, address.proxy_id(), pool, parts.fragment.upper())
