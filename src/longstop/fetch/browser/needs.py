"""What a lease asks of its context: a profile, a proxy, and what may be fetched. Plain values, compared by value."""

from urllib.parse import unquote, urlsplit

import msgspec

from longstop.fetch.browser.trackers import TRACKER_HOSTS

HEAVY_KINDS = ("image", "media", "font", "stylesheet")


class Profile(msgspec.Struct, frozen=True):
    """One coherent visitor. An empty user agent is the browser's own, and `is_plain` takes the word out of it that
    says that it has no window. `place` is where it is, as latitude and longitude; empty, no page may ask."""

    user_agent: str = ""
    locale: str = "en-GB"
    timezone_id: str = "Europe/London"
    viewport: tuple[int, int] = (1280, 720)
    extra_headers: tuple[tuple[str, str], ...] = ()
    is_plain: bool = False
    place: tuple[float, float] | None = None


class Allow(msgspec.Struct, frozen=True):
    """One place that may be reached. A host with a leading dot means itself and all below it; an empty one any.

    `kinds` are Playwright's resource types; empty is any. `content_types` are for who captures answers, since a type
    is known only when the answer is there.
    """

    host: str = ""
    path_prefix: str = "/"
    kinds: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()

    def is_place(self, url: str) -> bool:
        parts = urlsplit(url)
        return host_matches(parts.hostname or "", self.host) and (parts.path or "/").startswith(self.path_prefix)

    def is_kind(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds

    def is_content(self, content_type: str) -> bool:
        plain = content_type.partition(";")[0].strip().lower()
        return not self.content_types or plain in self.content_types


class RouteRules(msgspec.Struct, frozen=True):
    """What a context may fetch. With no `allow` every host may be reached that the proxy lets through.

    `documents_max` bounds the documents of one page's main frame, so that a held page cannot wander off or reload for
    ever; 0 is no bound. A page behind a cookie wall needs two or more. Frames in the page are refused unless allowed.
    """

    allow: tuple[Allow, ...] = ()
    blocked_kinds: tuple[str, ...] = HEAVY_KINDS
    blocked_hosts: tuple[str, ...] = TRACKER_HOSTS
    documents_max: int = 1
    frames: bool = False

    def is_wanted_answer(self, url: str, content_type: str) -> bool:
        """True for an answer that who captures may keep."""
        return not self.allow or any(each.is_place(url) and each.is_content(content_type) for each in self.allow)


class Asked(msgspec.Struct, frozen=True):
    """One request as the browser is about to make it. `document` counts those of its page's main frame, from 1;
    0 is no document of a main frame."""

    url: str
    kind: str
    document: int = 0


NO_RULES = RouteRules(blocked_kinds=(), blocked_hosts=(), documents_max=0, frames=True)


class ContextNeed(msgspec.Struct, frozen=True):
    """`proxy` replaces the pool's own: give the filtering proxy's listener for this source, never an outer proxy."""

    source: str
    profile: Profile = Profile()
    proxy: str | None = None
    route: RouteRules = RouteRules()


class ProxyAddress(msgspec.Struct, frozen=True):
    server: str
    username: str = ""
    password: str = ""


def host_matches(host: str, wanted: str) -> bool:
    plain, wanted = host.rstrip(".").lower(), wanted.lower()
    if wanted.startswith("."):
        return plain == wanted[1:] or plain.endswith(wanted)
    return not wanted or plain == wanted


def refusal(rules: RouteRules, asked: Asked) -> str | None:
    """Why a request is not made; None when it is."""
    if asked.document:
        too_many = 0 < rules.documents_max < asked.document
        return "document" if too_many else _refused_place(rules, asked)
    if asked.kind == "document" and not rules.frames:
        return "frame"
    if asked.kind in rules.blocked_kinds:
        return asked.kind
    host = urlsplit(asked.url).hostname or ""
    if any(host_matches(host, "." + each.lstrip(".")) for each in rules.blocked_hosts):
        return "tracker"
    return _refused_place(rules, asked)


def _refused_place(rules: RouteRules, asked: Asked) -> str | None:
    if not rules.allow or any(each.is_place(asked.url) and each.is_kind(asked.kind) for each in rules.allow):
        return None
    return "not allowed"


def proxy_address(url: str) -> ProxyAddress:
    """Chromium takes credentials apart from the address."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    server = f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")
    return ProxyAddress(server, unquote(parts.username or ""), unquote(parts.password or ""))
