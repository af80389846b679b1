"""From what a request brings to who it is. A token is checked once and then remembered, until something changes."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import Final

from longstop.clock import Clock
from longstop.domain.access import ApiKey, Tier, allows
from longstop.serve.entry.directory import Directory
from longstop.serve.entry.limits import Policy
from longstop.serve.entry.tokens import Audience, Claims, NotBelieved, Tokens
from longstop.serve.entry.visit import Caller, bucket_of

_REMEMBERED_MAX: Final = 10_000


class Passes:
    """Reads tokens; says who their bearer is, or raises NotBelieved."""

    def __init__(self, tokens: Tokens, directory: Directory, clock: Clock, policy: Callable[[Tier], Policy]) -> None:
        self._tokens = tokens
        self._directory = directory
        self._clock = clock
        self._policy = policy
        self._known: OrderedDict[tuple[Audience, bytes], Caller] = OrderedDict()
        directory.on_change(self.forget)

    def forget(self) -> None:
        """Keys, revocations or limits have changed: everybody is looked at once more."""
        self._known.clear()

    def caller(self, token: bytes, audience: Audience) -> Caller:
        """Remembered by hash: a memory that somebody reads out holds no tokens."""
        digest = hashlib.sha256(token).digest()
        known = self._known.get((audience, digest))
        if known is None:
            known = self._remembered((audience, digest), self._checked(token, audience))
        if known.until is not None and known.until <= self._clock.now():
            self._known.pop((audience, digest), None)
            raise NotBelieved("expired")
        return known

    def is_good(self, caller: Caller) -> bool:
        """Whether whoever was let in would be let in again; for answers that go on and on."""
        now = self._clock.now()
        key = self._directory.key(caller.key_id)
        is_over = caller.until is not None and caller.until <= now
        return not is_over and key is not None and key.is_usable(now) and not self._directory.is_revoked(caller.jti)

    def _remembered(self, digest: tuple[Audience, bytes], caller: Caller) -> Caller:
        self._known[digest] = caller
        if len(self._known) > _REMEMBERED_MAX:
            self._known.popitem(last=False)
        return caller

    def _checked(self, token: bytes, audience: Audience) -> Caller:
        try:
            claims = self._tokens.read(token.decode("ascii"), audience)
        except UnicodeDecodeError:
            raise NotBelieved("no token") from None
        key = self._directory.key(claims.key_id)
        if key is None or not key.is_usable(self._clock.now()) or self._directory.is_revoked(claims.jti):
            raise NotBelieved("revoked")
        scopes = frozenset(scope for scope in claims.scopes if allows(key.scopes, scope))
        policy, bucket = self._policy(key.tier), bucket_of(key.consumer)
        return Caller(key.consumer, key.key_id, scopes, policy, _until(claims, key), claims.jti, bucket)


def _until(claims: Claims, key: ApiKey) -> datetime:
    """A key that is being replaced may end before the tokens it was given."""
    ends = (claims.expires_at, key.expires_at, key.revoked_at)
    return min(moment for moment in ends if moment is not None)
