"""Sessions and tokens that carry their own proof: signed with the site's secret, so nothing has to be remembered."""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b, sha256
from itertools import count

import msgspec
from msgspec import Struct

COOKIE = "sid"
WALL_COOKIE = "wall"
NONCE_SECONDS = 86_400.0
PROOF_ROUNDS = 16
_WORD = 0xFFFFFFFF


class Session(Struct, frozen=True):
    """`id` is what a token says of it; only the cookie's own text opens it."""

    id: str
    began_at: float


class TokenError(ValueError):
    """Why a token does not open anything, in the site's words."""


class Claims(Struct, frozen=True):
    sid: str
    iat: int
    exp: int
    jti: str
    key: str | None = None


class Sessions:
    """Gives out cookies, page numbers and tokens, and knows its own again."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._numbers = count(1)

    # The cookie of a session

    def begin(self, now: float) -> tuple[str, Session]:
        number = f"{next(self._numbers)}:{now}".encode()
        name = blake2b(number, key=self._secret, digest_size=9).hexdigest()
        words = f"{name}:{now:.3f}"
        return f"{words}:{self._seal('session', words)}", _session(name, now)

    def session(self, cookie: str) -> Session | None:
        """The session of a cookie that we gave out ourselves."""
        words, _, seal = cookie.rpartition(":")
        if not words or not self._is_ours(seal, "session", words):
            return None
        name, _, began_at = words.partition(":")
        return _session(name, float(began_at))

    # What a page has to work out

    def nonce(self, session: Session, key: str, now: float) -> str:
        at = f"{now:.3f}"
        return f"{at}.{self._seal('nonce', session.id, key, at)}"

    def is_proof(self, session: Session, key: str, page: tuple[str, str], proof: str, now: float) -> bool:
        """`page` is the nonce that the page carried, and its teams."""
        nonce, teams = page
        at, _, seal = nonce.rpartition(".")
        if not self._is_ours(seal, "nonce", session.id, key, at) or now - float(at) > NONCE_SECONDS:
            return False
        return hmac.compare_digest(mix(f"{nonce}|{key}|{teams}", PROOF_ROUNDS).encode(), _bytes(proof))

    # The cookie of the wall

    def riddle(self, now: float) -> str:
        at = f"{now:.0f}"
        return f"{at}-{self._seal('wall', at)}"

    def is_wall_cookie(self, cookie: str, now: float, lasts_seconds: float) -> bool:
        """A riddle of ours that is not too old, with its solution."""
        riddle, _, solution = cookie.partition(".")
        at, _, seal = riddle.partition("-")
        if not self._is_ours(seal, "wall", at) or now - float(at) >= lasts_seconds:
            return False
        return solution == mix(riddle, PROOF_ROUNDS)

    # Tokens

    def token(self, session: Session, now: float, lasts_seconds: float, key: str | None) -> tuple[str, float]:
        """A JWT and how long it is good for."""
        claims = Claims(session.id, int(now), int(now + lasts_seconds), str(next(self._numbers)), key)
        parts = ({"alg": "HS256", "typ": "JWT"}, claims)
        head = ".".join(_base64(msgspec.json.encode(part)) for part in parts)
        return f"{head}.{self._signature(head)}", claims.exp - now

    def claims(self, token: str, now: float) -> Claims:
        head, _, signature = token.rpartition(".")
        if not hmac.compare_digest(self._signature(head).encode(), _bytes(signature)):
            raise TokenError("bad token")
        try:
            claims = msgspec.json.decode(_plain(head.partition(".")[2]), type=Claims)
        except (binascii.Error, msgspec.DecodeError) as error:
            raise TokenError("bad token") from error
        if now >= claims.exp:
            raise TokenError("token expired")
        return claims

    def _signature(self, head: str) -> str:
        return _base64(hmac.digest(self._secret, _bytes(head), "sha256"))

    def _seal(self, *words: str) -> str:
        return hmac.digest(self._secret, _bytes("|".join(words)), "sha256").hex()[:24]

    def _is_ours(self, seal: str, *words: str) -> bool:
        return hmac.compare_digest(self._seal(*words).encode(), _bytes(seal))


def mix(text: str, rounds: int) -> str:
    """The sum that the page's script has to do; page_script.py has its twin."""
    value = 0x2545F491
    for turn in range(1, rounds + 1):
        for sign in text.encode("ascii", "replace"):
            value = (((((value ^ sign) * 0x9E3779B1) & _WORD) ^ (value >> 15)) + turn) & _WORD
    return f"{value:08x}"


def _session(name: str, began_at: float) -> Session:
    return Session(sha256(name.encode()).hexdigest()[:16], began_at)


def _bytes(text: str) -> bytes:
    """Headers may hold any byte; those that are no text arrive as lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def _base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _plain(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
