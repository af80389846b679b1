"""Nothing secret leaves the house in words: logs, error texts and pages pass through here.

Two nets. The first knows what secrets look like: the user part of an address, values after words such as `password`,
bearer tokens, JWTs, private keys. The second knows the secrets themselves: whoever reads one from the settings hands it
to `protect`, and from then on it is hidden wherever it stands, also in base64, hex and URL-encoded form.

Every pattern is bounded and long texts are cut first, so no text can make this slow.
"""

import base64
import re
import reprlib
import threading
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from enum import Enum
from typing import Any, Final
from urllib.parse import quote, quote_plus

HIDDEN: Final = "[redacted]"

# What is longer is cut before it is searched; twice what any line may show, so that no secret is cut in half and shown.
_SEARCHED_CHARS_MAX: Final = 32_768
_SHOWN_CHARS_MAX: Final = 20_480
_DEPTH_MAX: Final = 6
_ITEMS_MAX: Final = 64
# What our own log calls a sticky session of an exit: a name that we made up, which opens nothing. Only where it stands
# beside what else is told of that exit, and only where it looks like one.
_EXIT_FIELDS: Final = frozenset({"proxy_pool", "geo", "session_id", "ip_hash"})
_EXIT_SESSION: Final = re.compile(r"(?:own-)?[a-z0-9]{1,16}")
_PROTECTED_CHARS_MIN: Final = 4
_ENCODED_CHARS_MIN: Final = 6
# A bare `key` is a match key in most of our addresses; a real secret is longer than any of those.
_KEY_CHARS_MIN: Final = 16

_WORDS: Final = (
    r"token|passwords?|passwd|passphrase|pwd|secrets?|cookies?|authori[sz]ation|credentials?"
    r"|(?:api|access|private|signing|encryption|account|shared)[_-]?keys?|signature|session[_-]?id|sessid|jwt|dsn"
)
_SECRET_NAME: Final = re.compile(rf"(?:{_WORDS})|^(?:pass|auth|sig|sid)$", re.IGNORECASE)
_KEY_NAME: Final = re.compile(r"(?:^|[_-])key$", re.IGNORECASE)
# Without what stands before the word: a long run of letters would be searched again from each of them.
_NAME: Final = rf"(?:{_WORDS})[\w-]{{0,40}}|(?<![A-Za-z])(?:pass|auth|sig|sid)"
_ASSIGNED: Final = r"\\?[\"']?\]?\s{0,4}(?:=>|[:=]|%3[dD])\s{0,4}"
_QUOTED: Final = r"\\?\"[^\"\r\n]{0,4096}\"?|\\?'[^'\r\n]{0,4096}'?"
_BARE: Final = r"[^\s,;&\"'<>(){}\[\]\\]{1,4096}"
_BARE_LONG: Final = rf"[^\s,;&\"'<>(){{}}\[\]\\]{{{_KEY_CHARS_MIN},4096}}"
_SCHEME: Final = r"(?:bearer|basic|digest|negotiate|token)\s{1,4}"

_START: Final = r"\b[a-z][a-z0-9+.-]{0,30}://"
_PORT: Final = r"\d{1,5}(?:[/?#\s\"']|$)"

_RULES: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!-)){0,8192}(?:-----END [A-Z ]{0,40}-----)?", HIDDEN),
        # The user part of an address, also when the password holds '/' or '@'. A port is no password.
        (
            rf"(?i)({_START})[^\s\"'<>/?#:@]{{0,256}}:(?!{_PORT})[^\s\"'<>]{{0,512}}@",
            rf"\1{HIDDEN}@",
        ),
        (rf"(?i)({_START})[^\s\"'<>/?#]{{1,512}}@", rf"\1{HIDDEN}@"),
        # A header: everything to the end of its line, or of its quotes, is the secret.
        (r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(\s{0,4}:\s{0,4})[^\r\n\"']{1,4096}", rf"\1\2{HIDDEN}"),
        (rf"(?i)({_NAME})({_ASSIGNED})(?:{_QUOTED}|(?:{_SCHEME})?{_BARE})", rf"\1\2{HIDDEN}"),
        (rf"(?i)((?:\b|[_-])key)({_ASSIGNED})(?:\\?[\"'])?{_BARE_LONG}", rf"\1\2{HIDDEN}"),
        (r"(?i)\b(bearer|negotiate)\s{1,4}[a-z0-9._~+/=-]{8,4096}", rf"\1 {HIDDEN}"),
        # "basic" is also a plain word: only something that cannot be one is hidden.
        (r"\b([Bb]asic)\s{1,4}(?=\S{0,512}[A-Z0-9=])[A-Za-z0-9+/]{8,4096}={0,2}", rf"\1 {HIDDEN}"),
        (r"\blsk_[a-z2-7]{8}_[a-z2-7]{8,64}", HIDDEN),
        (r"\beyJ[\w-]{5,4096}\.[\w-]{5,4096}(?:\.[\w-]{0,4096})?", HIDDEN),
        (r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,255}|xox[abprs]-[\w-]{10,255}|sk-[\w-]{20,255})", HIDDEN),
    )
)


def is_secret_name(name: str) -> bool:
    """Whether a value under this name is hidden whatever it is."""
    return _SECRET_NAME.search(name) is not None


class Redactor:
    """Hides secrets in texts and in nested values; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._disguises: dict[str, tuple[str, ...]] = {}
        self._needles: tuple[str, ...] = ()

    def protect(self, secret: str | bytes | None) -> bool:
        """From now on this value is hidden wherever it stands. False when it is too short to tell from other text."""
        value = secret.decode("utf-8", "replace") if isinstance(secret, bytes) else secret or ""
        if len(value) < _PROTECTED_CHARS_MIN:
            return False
        with self._lock:
            self._disguises[value] = tuple(_disguises(value))
            self._sharpen()
        return True

    def forget(self, secret: str) -> None:
        with self._lock:
            self._disguises.pop(secret, None)
            self._sharpen()

    def _sharpen(self) -> None:
        """The longest first: a secret that holds another one must go as a whole."""
        needles = {needle for disguises in self._disguises.values() for needle in disguises}
        self._needles = tuple(sorted(needles, key=lambda needle: (-len(needle), needle)))

    def text(self, words: str) -> str:
        """The text without secrets, and without anything that cannot be written as UTF-8."""
        words = words[:_SEARCHED_CHARS_MAX]
        if not words.isascii():
            words = words.encode("utf-8", "replace").decode("utf-8")
        for needle in self._needles:
            if needle in words:
                words = words.replace(needle, HIDDEN)
        for pattern, replacement in _RULES:
            words = pattern.sub(replacement, words)
        return words if len(words) <= _SHOWN_CHARS_MAX else words[:_SHOWN_CHARS_MAX] + " … [cut]"

    def value(self, value: Any, depth: int = 0) -> Any:
        """The same for a nested value. The result holds only what JSON knows, bounded in size and depth."""
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Enum):
            return self.value(value.value, depth + 1)
        if isinstance(value, Mapping) and depth < _DEPTH_MAX:
            return dict(self._pairs(value, depth + 1))
        if isinstance(value, list | tuple | set | frozenset) and depth < _DEPTH_MAX:
            return [self.value(item, depth + 1) for item in list(value)[:_ITEMS_MAX]]
        return self._scalar(value)

    def _scalar(self, value: Any) -> Any:
        if isinstance(value, int):
            # JSON readers count in doubles, and Python refuses to print what is very long.
            return value if -(2**53) < value < 2**53 else f"{value:#x}"[:_ITEMS_MAX]
        if isinstance(value, bytes | bytearray):
            return self.text(bytes(value[:_SEARCHED_CHARS_MAX]).decode("utf-8", "replace"))
        if isinstance(value, datetime | date):
            return value.isoformat()
        # reprlib never raises, whatever the object does, and never grows.
        return self.text(_BOUNDED.repr(value))

    def _pairs(self, mapping: Mapping[Any, Any], depth: int) -> Iterator[tuple[str, Any]]:
        is_exit = mapping.keys() == _EXIT_FIELDS
        for name, value in list(mapping.items())[:_ITEMS_MAX]:
            word = name if isinstance(name, str) else _BOUNDED.repr(name)
            is_hidden = _is_hidden_pair(word, value) and not (is_exit and _is_exit_session(word, value))
            yield self.text(word), HIDDEN if is_hidden else self.value(value, depth)


def _is_exit_session(name: str, value: Any) -> bool:
    return name == "session_id" and isinstance(value, str) and _EXIT_SESSION.fullmatch(value) is not None


def _is_hidden_pair(name: str, value: Any) -> bool:
    if value is None or isinstance(value, bool) or value == "":
        return False
    if is_secret_name(name):
        return True
    return _KEY_NAME.search(name) is not None and isinstance(value, str) and len(value) >= _KEY_CHARS_MIN


def _disguises(secret: str) -> Iterator[str]:
    """How a secret may look when somebody encoded it on the way to the log."""
    raw = secret.encode("utf-8", "replace")
    yield secret
    yield from {secret.encode("unicode_escape").decode("ascii"), repr(secret)[1:-1], secret.replace('"', '\\"')}
    for encoded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield encoded
        yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    yield from (raw.hex(), raw.hex().upper())
    yield from _base64_disguises(raw)


def _base64_disguises(raw: bytes) -> Iterator[str]:
    """Base64 depends on where the secret starts in what was encoded: the part that stays the same at each of the three
    offsets is hidden, so `user:secret` in a Basic header is found too."""
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + raw).decode("ascii").rstrip("=")
        first = -(-offset * 8 // 6)
        last = (offset + len(raw)) * 8 // 6
        stable = whole[first:last]
        if len(stable) >= _ENCODED_CHARS_MIN:
            yield stable
            yield stable.replace("+", "-").replace("/", "_")


def _bounded() -> reprlib.Repr:
    shown = reprlib.Repr()
    shown.maxstring = shown.maxother = shown.maxlong = 1_000
    return shown


_BOUNDED: Final = _bounded()

# The one registry of the process. A secret must stay hidden whoever writes, also a library that knows nothing of us,
# so this cannot be handed in like everything else.
REDACTOR: Final = Redactor()
protect = REDACTOR.protect
text = REDACTOR.text
value = REDACTOR.value
