"""Headers, then what an error says of itself, then the page."""

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Any, Final

import msgspec

from longstop.domain.challenges.marks import GUARD_SCRIPTS, INJECTED, STRONG, TRACES, WEAK, WIDGETS, Mark
from longstop.domain.challenges.outline import WINDOW, Outline, is_markup, outline_of

# Header, what it holds, whose it is, and whether only a refusal with it is a challenge.
_HEADERS: Final = (
    ("cf-mitigated", re.compile(r"challenge"), "cloudflare", False),
    ("x-vercel-mitigated", re.compile(r"challenge|deny"), "vercel", False),
    ("x-amzn-waf-action", re.compile(r"challenge|captcha"), "aws_waf", False),
    ("x-dd-b", re.compile(r"[1-9]"), "datadome", True),
    ("server", re.compile(r"datadome"), "datadome", True),
    ("x-datadome", re.compile(r"protected"), "datadome", True),
    ("x-kpsdk-ct", re.compile(r"."), "kasada", True),
    ("x-sucuri-block", re.compile(r"."), "sucuri", True),
)
_REFUSED: Final = frozenset({401, 403, 405, 418, 428, 429, 503})
_TOLD_MAX: Final = 16 * 1024
_REFERENCE: Final = re.compile(r"reference\s{0,4}#\s{0,4}[0-9]{1,3}\.[0-9a-f]{4,16}\.[0-9]{6,12}\.[0-9a-f]{4,16}")
_SHORT_WORDS: Final = 1500
_LINKS_FEW: Final = 8
_DATA_LITTLE: Final = 500
_TINY: Final = 4096


class Challenge(msgspec.Struct, frozen=True):
    """Whose it is, and by what it was known: header, told, part, bare or widget."""

    guard: str
    known_by: str


def challenge_in(body: bytes, headers: Mapping[str, str] | None = None, status: int = 0) -> Challenge | None:
    """None for an answer that is none. Status 0 is not known, as of a saved payload."""
    found = told_in_headers(headers or {}, status)
    if found is not None:
        return found
    if is_markup(body):
        return _in_page(body, status)
    return _told_in(body) if len(body) <= _TOLD_MAX else None


def told_in_headers(headers: Mapping[str, str], status: int = 0) -> Challenge | None:
    given = {name.lower(): value.lower() for name, value in headers.items()}
    for name, pattern, guard, only_refusals in _HEADERS:
        if (status in _REFUSED or not only_refusals) and pattern.match(given.get(name, "").strip()):
            return Challenge(guard, "header")
    return None


# What an error says of itself.


def _told_in(body: bytes) -> Challenge | None:
    if body.lstrip()[:1] != b"{":
        return None
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    guard = _guard_that_says(content) if isinstance(content, dict) else ""
    return Challenge(guard, "told") if guard else None


def _guard_that_says(content: Mapping[str, Any]) -> str:
    error = content.get("error")
    if isinstance(error, dict) and str(error.get("reason", "")).strip().lower() in ("challenge", "captcha"):
        return "source"
    if re.match(r"https?://[a-z.]{0,10}captcha-delivery\.com/", str(content.get("url", "")).lower()):
        return "datadome"
    if str(content.get("appId", "")).startswith("PX") and ("blockScript" in content or "jsClientSrc" in content):
        return "human"
    return "akamai" if "sec-cp-challenge" in content else ""


# The page.


def _in_page(body: bytes, status: int) -> Challenge | None:
    window = body[:WINDOW].decode("latin-1").lower()
    is_traced = any(trace in window for trace in TRACES)
    if not is_traced and len(body) > _TINY:
        return None
    page = outline_of(body)
    if not is_traced:
        return _denied(page, body)
    return _by_parts(page, status) or _by_bareness(page, status) or _denied(page, body)


def _by_parts(page: Outline, status: int) -> Challenge | None:
    """What a page that people came for says in its code proves nothing: it may hold somebody's text."""
    is_doubtful = page.is_rich and status not in _REFUSED
    guard = _guard_of(page, [mark for mark in STRONG if not (is_doubtful and mark.where == "code")])
    return Challenge(guard, "part") if guard else None


def _by_bareness(page: Outline, status: int) -> Challenge | None:
    """Next to nothing for a person to read, to follow or to fill in, and nothing of the site's own that could bring it;
    but to one who was refused, no more will be brought."""
    was_refused = status in _REFUSED
    if not _is_bare(page) or (_brings_its_own(page) and not was_refused):
        return None
    if guard := _guard_of(page, WEAK):
        return Challenge(guard, "bare")
    if (page.words == 0 or was_refused) and (guard := _guard_of(page, INJECTED)):
        return Challenge(guard, "bare")
    guard = "" if _is_invisible(page) else _guard_of(page, WIDGETS)
    return Challenge(guard, "widget") if guard else None


def _guard_of(page: Outline, marks: Iterable[Mark]) -> str:
    return next((mark.guard for mark in marks if mark.pattern.search(page.text(mark.where))), "")


def _is_bare(page: Outline) -> bool:
    is_short = page.words <= _SHORT_WORDS and page.links <= _LINKS_FEW
    return is_short and page.is_whole and not page.fields and not page.contents and page.data_bytes <= _DATA_LITTLE


def _brings_its_own(page: Outline) -> bool:
    sources = [each.get("src") for each in page.of("script")]
    sources += [each.get("href") for each in page.of("link") if each.get("rel") in ("manifest", "modulepreload")]
    return any(source and not GUARD_SCRIPTS.search(source) for source in sources)


def _is_invisible(page: Outline) -> bool:
    sizes = [each.get("data-size") for each in page.elements if "data-sitekey" in each.attributes]
    return bool(sizes) and all(size == "invisible" for size in sizes)


def _denied(page: Outline, body: bytes) -> Challenge | None:
    """Akamai's refusal has no part of its own but the number of the case, and nothing beside it."""
    if len(body) > _TINY or page.code or page.links > 1 or not page.of("h1"):
        return None
    text = unescape(body.decode("latin-1")).lower()
    return Challenge("akamai", "bare") if _REFERENCE.search(text) else None
