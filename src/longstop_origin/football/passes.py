"""What a page's script shows with its calls: the cookie of its session and a sum over what the page was given.

The header is short-lived and good for every match, so that who has opened one page may ask for others for a while.
"""

from hashlib import blake2b
from hmac import compare_digest

from longstop_origin.sessions import PROOF_ROUNDS, mix

COOKIE = "fs_session"
HEADER = "X-Requested-With"


class Passes:
    def __init__(self, seed: str) -> None:
        self._secret = blake2b(seed.encode(), digest_size=32).digest()
        self._begun = 0

    def begin(self) -> str:
        """A new session's name."""
        self._begun += 1
        number = f"{self._begun:x}"
        return f"{number}-{self._seal(number)}"

    def is_session(self, cookie: str) -> bool:
        number, _, seal = cookie.partition("-")
        return bool(number) and compare_digest(seal.encode(), self._seal(number).encode())

    def given(self, session: str, now: float) -> str:
        """What a page carries."""
        moment = f"{int(now * 1000):x}"
        return f"{moment}-{self._seal(f'{session}:{moment}')}"

    def fault(self, session: str, shown: str, now: float, lasts: float) -> str:
        """Why it is no pass; empty when it is one."""
        given, _, answer = shown.partition(".")
        moment, _, seal = given.partition("-")
        if not self.is_session(session):
            return "session missing"
        if not shown:
            return "token missing"
        if (
            not compare_digest(seal.encode(), self._seal(f"{session}:{moment}").encode())
            or mix(given, PROOF_ROUNDS) != answer
        ):
            return "token wrong"
        return "token expired" if now - int(moment, 16) / 1000 > lasts else ""

    def _seal(self, text: str) -> str:
        return blake2b(text.encode(), key=self._secret, digest_size=8).hexdigest()


def answer_to(given: str) -> str:
    """What the page's script shows, for who stands in for it."""
    return f"{given}.{mix(given, PROOF_ROUNDS)}"


__all__ = ["COOKIE", "HEADER", "PROOF_ROUNDS", "Passes", "answer_to"]
