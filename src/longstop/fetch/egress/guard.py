"""May this source call this address? Pure: nothing is looked up and nothing is sent.

A source reaches the hosts it names, by name and port, and nothing else. What looks like an address in disguise is
refused before any resolver sees it: the C library reads `0177.1`, `2130706433` and circled digits as 127.0.0.1.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import urlsplit

import msgspec

from longstop.domain.errors import EgressRefusedError, SettingsError
from longstop.fetch.egress.addresses import Address, forbidden_word, is_inside, read_address

URL_LENGTH_MAX: Final = 8000
PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
USUAL_PORTS: Final = frozenset({80, 443})
_LOGIN_WORDS: Final = (
    "login", "log-in", "log_in", "logon", "signin", "sign-in", "sign_in", "sso", "oauth", "oauth2", "authorize",
)  # fmt: skip
LOGIN_PATHS: Final = tuple(f"*/{word}{rest}" for word in _LOGIN_WORDS for rest in ("", "/*", ".*"))
# Names that only a house of one's own gives out. Every other name must lead to the open internet.
_OWN_SUFFIXES: Final = (".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa", ".test")
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>//)?(?P<authority>[^/?#]*)(?P<rest>[^#]*)(?:#.*)?"
)
_AUTHORITY: Final = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?P<colon>:(?P<port>.*))?")


class EgressRules(msgspec.Struct, frozen=True):
    """What one source names. `origin` is the host and port of its own address, whose port may be an unusual one."""

    source: str
    hosts: frozenset[str]
    origin: tuple[str, int] | None = None
    login_paths: tuple[str, ...] = LOGIN_PATHS


class CheckedUrl(msgspec.Struct, frozen=True):
    """An address that may be called, in the spelling in which it was checked. `host` is without brackets."""

    url: str
    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """As the Host header has it: the port only where it is not the usual one."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if PORTS.get(self.scheme) == self.port else f"{name}:{self.port}"


def rules_for(source: str, base_url: str, hosts: Iterable[str] = (), allowed_hosts: Iterable[str] = ()) -> EgressRules:
    """From the manifest's hosts, the operator's hosts, and the address the source is asked at."""
    named = {_named_host(source, host) for host in (*hosts, *allowed_hosts)}
    if not base_url:
        return EgressRules(source, frozenset(named))
    parts = urlsplit(base_url)
    own = _named_host(source, parts.hostname or "")
    return EgressRules(source, frozenset({*named, own}), (own, parts.port or PORTS.get(parts.scheme, 443)))


def check_url(url: str, rules: EgressRules) -> CheckedUrl:
    """The address itself when this source may call it, and otherwise an EgressRefusedError with the reason."""
    if len(url) > URL_LENGTH_MAX:
        raise _refused(rules, "length", f"an address is longer than {URL_LENGTH_MAX} characters")
    if not (url.isascii() and url.isprintable()) or " " in url or "\\" in url:
        raise _refused(rules, "spelling", "an address holds characters that no address has")
    found = _URL.fullmatch(url)
    if found is None or found["scheme"].lower() not in ("http", "https"):
        raise _refused(rules, "scheme", "an address does not begin with http:// or https://")
    if not found["slashes"] or not found["authority"]:
        raise _refused(rules, "spelling", "an address names no host")
    scheme = found["scheme"].lower()
    host, port = _split_authority(found["authority"], PORTS[scheme], rules)
    check_place(host, port, rules)
    target = found["rest"] if found["rest"].startswith("/") else f"/{found['rest']}"
    checked = CheckedUrl("", scheme, host, port, target)
    return msgspec.structs.replace(checked, url=f"{scheme}://{checked.authority}{target}")


def check_authority(authority: str, rules: EgressRules) -> CheckedUrl:
    """The `host:port` of a tunnel, under the same rules; what flows inside it is the two ends' own affair."""
    if len(authority) > URL_LENGTH_MAX or not (authority.isascii() and authority.isprintable()):
        raise _refused(rules, "spelling", "a tunnel's address holds characters that no address has")
    host, port = _split_authority(authority, 0, rules)
    check_place(host, port, rules)
    return CheckedUrl("", "https", host, port, "")


def check_place(host: str, port: int, rules: EgressRules) -> None:
    if host not in rules.hosts:
        raise _refused(rules, "host", f"{host[:80]!r} is not among its hosts")
    if port not in USUAL_PORTS and (host, port) != rules.origin:
        hint = f"Only 80, 443 and the port of sources.{rules.source}.base_url may be called."
        raise _refused(rules, "port", f"port {port} of {host!r} is not one it may call", hint)
    address = read_address(host)
    if address is not None:
        check_address(host, address, rules)


def check_address(host: str, address: Address, rules: EgressRules) -> None:
    """What a name led to. A public name may not lead inside; an address that the source itself names is meant."""
    word = forbidden_word(address)
    if not word or str(address) in rules.hosts:
        return
    if host in rules.hosts and is_own_name(host) and is_inside(address):
        return
    raise _refused(
        rules,
        "address",
        f"{host[:80]!r} leads to {address}, which is {word}",
        f"If that is meant, name the address itself in sources.{rules.source}.allowed_hosts.",
    )


def is_own_name(host: str) -> bool:
    """Such as `localhost`, or a service's name inside a network of containers."""
    return ("." not in host and ":" not in host) or host.endswith(_OWN_SUFFIXES)


def is_login(path: str, rules: EgressRules) -> bool:
    plain = path.partition("?")[0].lower()
    return any(fnmatchcase(plain, pattern) for pattern in rules.login_paths)


def _split_authority(authority: str, usual_port: int, rules: EgressRules) -> tuple[str, int]:
    if "@" in authority:
        raise _refused(rules, "userinfo", "an address carries a user name")
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        raise _refused(rules, "spelling", "an address has a host that is none")
    port = usual_port if found["colon"] is None else _read_port(found["port"])
    if not port:
        raise _refused(rules, "port", "an address has a port that is none")
    host = _read_host(found["host"])
    if not host:
        raise _refused(rules, "spelling", f"{found['host'][:80]!r} is no plain host name or address")
    return host, port


def _read_port(text: str) -> int:
    is_plain = re.fullmatch(r"[1-9][0-9]{0,4}", text, re.ASCII) is not None
    return int(text) if is_plain and int(text) <= 65535 else 0


def _read_host(text: str) -> str:
    """In its one proper spelling, or empty: lower case, no final dot, addresses as the standards write them."""
    if text.startswith("["):
        address = read_address(text[1:-1])
        return str(address) if address is not None and address.version == 6 else ""
    name = text.lower()
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return ""
    if _NUMBER.fullmatch(labels[-1]) and read_address(name) is None:
        return ""
    return name


def _named_host(source: str, text: str) -> str:
    bare = text.removeprefix("[").removesuffix("]")
    host = _read_host(f"[{bare}]") if ":" in bare else _read_host(text)
    if not host:
        raise SettingsError(
            f"{text[:80]!r} is no plain host of source {source}.",
            hint=f"Write names in lower case and addresses in full in sources.{source}.allowed_hosts and base_url.",
        )
    return host


def _refused(rules: EgressRules, reason: str, said: str, hint: str | None = None) -> EgressRefusedError:
    """Addresses may hold tokens: no more than the host is ever repeated."""
    return EgressRefusedError(
        f"Source {rules.source} was kept from a call: {said}.",
        reason=reason,
        hint=hint or f"If it is meant, name the host in sources.{rules.source}.allowed_hosts.",
    )
