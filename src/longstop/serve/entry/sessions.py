"""A login to the operations page: a token in a cookie that no script can read, and one word that the page must repeat.

The word is derived from the token, so nothing is kept for it, and every process can check it.
"""

import hashlib
import hmac
from typing import Final

COOKIE: Final = b"longstop_session"
CSRF_HEADER: Final = "x-csrf-token"


def csrf_of(session: bytes) -> str:
    """Whoever knows the word does not know the token."""
    return hmac.new(session, b"longstop csrf", hashlib.sha256).hexdigest()


def is_same(given: str, session: bytes) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), csrf_of(session).encode())


def cookie(session: str, seconds: int, *, is_secure: bool) -> str:
    """The value of Set-Cookie; no seconds take it away."""
    secure = "; Secure" if is_secure else ""
    return f"{COOKIE.decode()}={session}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
