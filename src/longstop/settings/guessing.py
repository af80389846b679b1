"""Whether a secret can be guessed: by how much of it is new, and not by how long it is.

What stands in every list of what to try first is left out: words of examples, runs of the alphabet and of the keyboard,
and whatever the secret has said already. What is left must be long enough by itself.
"""

import hashlib
import re
from functools import cache
from typing import Final

NEW_MIN: Final = 16
VARIETY_MIN: Final = 8
_RUN_MIN: Final = 4
# What is written in examples, to be changed; and what joins such words.
_TRIED_FIRST: Final = re.compile(
    r"your|256|bits?|super|secret|password|passphrase|change|please|default|example|jwt|token|key|admin|longstop|"
    r"letmein|qwerty|insecure|replace|this|with|random|string|production|must|signing|placeholder|dummy|me|[-_. ]|"
    r"at|least|long|characters?|chars|bytes|use|only|django|flask|fastapi|development|testing|test|dev"
)
_ROWS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "0123456789abcdefghijklmnopqrstuvwxyz",
    "1234567890qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "a1b2c3d4e5f6g7h8i9j0",
    "!@#$%^&*()_+",
)
_HASHED: Final = ("", "a", "test", "admin", "secret", "password", "changeme", "longstop", "jwt", "key", "123456")
# SHA-256 of secrets that stand in a standard and in well-read manuals.
_PRINTED: Final = frozenset(
    {
        "570dad43de1af4c925f92c16a68a50936da42b7dd6fdeb24850507a1199aac89",
        "8b1b17a9740c068accab5c3d0d652c8e3cc13206e70bb73b42ea41d4c2de3c12",
    }
)


def is_guessable(secret: str) -> bool:
    if hashlib.sha256(secret.encode()).hexdigest() in _PRINTED or secret.lower() in _hashes():
        return True
    new = _new_in(_TRIED_FIRST.sub("", secret.lower()))
    return len(new) < NEW_MIN or len(set(new)) < VARIETY_MIN


def _new_in(text: str) -> list[str]:
    """One letter for each run that was known, and each letter that is in none."""
    known, found, at = "\n".join((*_ROWS, *(row[::-1] for row in _ROWS))) + "\n", [], 0
    while at < len(text):
        found.append(text[at])
        at += max(1, _run(text, at, known + text[:at] + "\n" + text[:at][::-1]))
    return found


def _run(text: str, at: int, known: str) -> int:
    """How many letters from here on stand somewhere already; 0 when they are too few to mean anything."""
    length = _RUN_MIN
    while at + length <= len(text) and text[at : at + length] in known:
        length += 1
    return length - 1 if length > _RUN_MIN else 0


@cache
def _hashes() -> frozenset[str]:
    """Random to look at, and the first thing that somebody tries."""
    kinds = ("md5", "sha1", "sha256", "sha512")
    return frozenset(
        hashlib.new(kind, word.encode(), usedforsecurity=False).hexdigest() for kind in kinds for word in _HASHED
    )
