"""Who may use the verbs of /admin as long as there is no login: programs of this machine, and our own page.

The API listens on this machine only, but a browser on it runs the pages of strangers, and those can send requests here:
from their own origin, or from a name of theirs that they let point to this machine. Neither gets in. Nor does whatever
a proxy brings, since nobody knows for whom it asks.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import Final

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?")
_OF_PROXIES: Final = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})

Headers = Iterable[tuple[bytes, bytes]]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def objection(headers: Headers, peer: str) -> str:
    """Why this request may not use the verbs, as a sentence; empty when it may."""
    given = [(name.decode("latin-1").lower(), value.decode("latin-1").strip()) for name, value in headers]
    values = dict(given)
    hosts = [value for name, value in given if name == "host"]
    if not is_loopback(peer):
        return "It does not come from this machine."
    if not _OF_PROXIES.isdisjoint(values):
        return "It comes through a proxy, and there is no login yet that would tell for whom."
    if len(hosts) != 1 or not _is_ours(hosts[0]):
        return "Its Host header is not this machine's: use 127.0.0.1, ::1 or localhost."
    return _foreign_page(values, hosts[0]) or _foreign_body(values)


def _is_ours(host: str) -> bool:
    """A name that a stranger's DNS answers for is never one of these, whichever port stands behind it."""
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback(found["name"].lower())


def _foreign_page(values: dict[str, str], host: str) -> str:
    """Browsers say which page asks. Programs say nothing, and need not."""
    origin, site = values.get("origin"), values.get("sec-fetch-site")
    if (origin is not None and origin.lower() != f"http://{host.lower()}") or (
        site is not None and site.lower() not in _OWN_SITES
    ):
        return "It comes from a page that is not ours."
    return ""


def _foreign_body(values: dict[str, str]) -> str:
    """A form of any page can send the other kinds without asking first."""
    has_body = values.get("content-length", "0") != "0" or "transfer-encoding" in values
    media = values.get("content-type", "").partition(";")[0].strip().lower()
    return "Its body must be application/json." if has_body and media != "application/json" else ""
