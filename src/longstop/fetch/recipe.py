"""A recipe: the call a page was seen to make, told so that it can be made again without the page.

It is learnt from one match and told with a place for the key, so it serves the others of its source too. It holds
tokens and cookies: it is stored, but never shown.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from urllib.parse import parse_qsl, urlsplit

import msgspec

from longstop.clock import from_millis
from longstop.domain.errors import RecordRefusedError
from longstop.fetch.egress.guard import EgressRules, check_url
from longstop.fetch.snapshot import FetchRequest

KEY_PLACE = "{key}"
# The browser's own words about itself and the connection are not ours to repeat.
_NOT_REPEATED = re.compile(
    r"host|connection|content-length|accept-encoding|cookie|cache-control|pragma|te|priority|(upgrade|if-|sec-|:).*",
    re.IGNORECASE,
)
_JWT = re.compile(r"\b[A-Za-z0-9_-]{4,2000}\.([A-Za-z0-9_-]{4,4000})\.[A-Za-z0-9_-]{4,2000}\b")
_AGING_SECONDS = 5.0
_AGING_SHARE = 1 / 3
_EXPIRY_MAX = timedelta(days=365)
# A cookie that ends sooner counts visits or clicks; one that lets in lasts longer.
_COOKIE_MIN = timedelta(seconds=10)


class CapturedCall(msgspec.Struct, frozen=True):
    """One call of the page itself, with its answer, as the browser saw it."""

    url: str
    method: str
    headers: Mapping[str, str]
    request_body: bytes | None
    status: int
    content_type: str
    body: bytes
    captured_at: datetime


class Cookie(msgspec.Struct, frozen=True):
    name: str
    value: str
    expires_at: datetime | None = None


class Ripeness(Enum):
    FRESH = "fresh"
    AGING = "aging"
    EXPIRED = "expired"


class Recipe(msgspec.Struct, frozen=True):
    """`url` and `body` hold KEY_PLACE where the match's key goes."""

    source: str
    purpose: str
    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[tuple[str, str], ...]
    learnt_from: str
    learnt_at: datetime
    expires_at: datetime | None = None
    body: str | None = None

    def __repr__(self) -> str:
        return f"Recipe({self.source} {self.purpose}, learnt from {self.learnt_from}, expires {self.expires_at})"

    def ripeness(self, now: datetime) -> Ripeness:
        """Aging in the last third of its life, and in its last five seconds: time to learn the next one."""
        if self.expires_at is None:
            return Ripeness.FRESH
        left = (self.expires_at - now).total_seconds()
        if left <= 0:
            return Ripeness.EXPIRED
        life = (self.expires_at - self.learnt_at).total_seconds()
        return Ripeness.AGING if left <= max(_AGING_SECONDS, life * _AGING_SHARE) else Ripeness.FRESH

    def request_for(self, request: FetchRequest) -> FetchRequest:
        """The call for another match of the same source."""
        return msgspec.structs.replace(
            request,
            method=self.method,
            url=self.url.replace(KEY_PLACE, request.key),
            headers=self._all_headers(),
            body=None if self.body is None else self.body.replace(KEY_PLACE, request.key).encode(),
        )

    def dress(self, request: FetchRequest) -> FetchRequest:
        """The same session for a call of another kind: its own address, the recipe's headers and cookies."""
        own = {name.lower() for name, _ in request.headers}
        extra = tuple(pair for pair in self._all_headers() if pair[0].lower() not in own)
        return msgspec.structs.replace(request, headers=(*request.headers, *extra))

    def _all_headers(self) -> tuple[tuple[str, str], ...]:
        if not self.cookies:
            return self.headers
        return (*self.headers, ("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies)))


def learn(source: str, purpose: str, key: str, call: CapturedCall, cookies: Sequence[Cookie]) -> Recipe:
    """From what the page did to what we can do. Pure."""
    headers = tuple((name, value) for name, value in sorted(call.headers.items()) if not _NOT_REPEATED.fullmatch(name))
    body = call.request_body.decode("utf-8", "replace") if call.request_body else None
    return Recipe(
        source=source,
        purpose=purpose,
        method=call.method,
        url=_generalised_url(call.url, key),
        headers=headers,
        cookies=tuple((cookie.name, cookie.value) for cookie in cookies),
        learnt_from=key,
        learnt_at=call.captured_at,
        expires_at=_expiry(call, cookies),
        body=None if body is None else _generalised(body, key),
    )


def stored_recipe(payload: bytes, rules: EgressRules) -> Recipe:
    """As it was kept, if it can still be used: the site may have moved since, or be none of ours any more."""
    try:
        recipe = msgspec.json.decode(payload, type=Recipe)
    except msgspec.DecodeError as error:
        raise RecordRefusedError(f"The stored recipe of {rules.source} is damaged.") from error
    check_url(recipe.url.replace(KEY_PLACE, "key"), rules)
    return recipe


def names_key(key: str, url: str, body: bytes | None) -> bool:
    """Is this call about that match? A page may ask for others too, and theirs would be taken for its own."""
    return any(_as_word(key).search(text) for text in (url, (body or b"").decode("utf-8", "replace")))


def _generalised(text: str, key: str) -> str:
    """The key as a word of its own becomes a place; inside another word it is something else."""
    return _as_word(key).sub(KEY_PLACE, text)


def _generalised_url(url: str, key: str) -> str:
    """Never in its host: a short key may stand in one by chance, as 1 does in 127.0.0.1."""
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    return site + _generalised(url.removeprefix(site), key)


def _as_word(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(key)}(?![A-Za-z0-9_])")


def _expiry(call: CapturedCall, cookies: Sequence[Cookie]) -> datetime | None:
    """The first moment at which anything in it runs out. What had run out when the call was made had no part in it."""
    query = (value for _, value in parse_qsl(urlsplit(call.url).query))
    texts = [*call.headers.values(), *query, *(cookie.value for cookie in cookies)]
    lives = [moment - call.captured_at for moment in _token_expiries(texts)]
    ends = [cookie.expires_at - call.captured_at for cookie in cookies if cookie.expires_at]
    plausible = [life for life in lives if timedelta(0) < life < _EXPIRY_MAX]
    plausible += [life for life in ends if _COOKIE_MIN <= life < _EXPIRY_MAX]
    return call.captured_at + min(plausible) if plausible else None


def _token_expiries(texts: Iterable[str]) -> Iterable[datetime]:
    for text in texts:
        for found in _JWT.finditer(text):
            expiry = _token_expiry(found[1])
            if expiry is not None:
                yield expiry


def _token_expiry(payload: str) -> datetime | None:
    """A token says itself when it ends; whether it is genuine is the site's business, not ours."""
    try:
        claims = msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        expiry = claims.get("exp") if isinstance(claims, dict) else None
        return from_millis(expiry * 1000) if isinstance(expiry, int | float) and not isinstance(expiry, bool) else None
    except (binascii.Error, msgspec.DecodeError, UnicodeDecodeError, ValueError, OverflowError, OSError):
        return None
