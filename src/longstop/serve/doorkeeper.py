"""Who is at this machine, and so may do without a token what the settings leave open: its programs, and our own page.

A browser on it also runs the pages of strangers, and those can send requests here: from their own origin, or from a
name of theirs that they let point to this machine. Neither gets in. Nor does whatever a proxy brings, since nobody
knows for whom it asks.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?")
_OF_PROXIES: Final = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})

Headers = Sequence[tuple[bytes, bytes]]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def distance(headers: Headers, peer: str) -> str:
    """Why this request may come from another machine, as a sentence; empty when it does not."""
    if not is_loopback(peer):
        return "It does not come from this machine."
    if any(name.decode("latin-1").lower() in _OF_PROXIES for name, _ in headers):
        return "It comes through a proxy, so nobody knows for whom."
    return ""


def objection(headers: Headers, peer: str) -> str:
    """Why this request is not of this machine's own programs or our own page; empty when it is."""
    given = [(name.decode("latin-1").lower(), value.decode("latin-1").strip()) for name, value in headers]
    values = dict(given)
    hosts = [value for name, value in given if name == "host"]
    if said := distance(headers, peer):
        return said
    if len(hosts) != 1 or not _is_ours(hosts[0]):
        return "Its Host header is not this machine's: use 127.0.0.1, ::1 or localhost."
    return foreign_page(values) or _foreign_body(values)


def _is_ours(host: str) -> bool:
    """A name that a stranger's DNS answers for is never one of these, whichever port stands behind it."""
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback(found["name"].lower())


def foreign_page(values: Mapping[str, str], schemes: Iterable[str] = ("http",)) -> str:
    """Browsers say which page asks. Programs say nothing, and need not."""
    origin, site, host = values.get("origin"), values.get("sec-fetch-site"), values.get("host", "").lower()
    is_foreign = origin is not None and origin.lower() not in {f"{scheme}://{host}" for scheme in schemes}
    if is_foreign or (site is not None and site.lower() not in _OWN_SITES):
        return "It comes from a page that is not ours."
    return ""


def _foreign_body(values: dict[str, str]) -> str:
    """A form of any page can send the other kinds without asking first."""
    has_body = values.get("content-length", "0") != "0" or "transfer-encoding" in values
    media = values.get("content-type", "").partition(";")[0].strip().lower()
    return "Its body must be application/json." if has_body and media != "application/json" else ""
