"""From an API key to a token, and to a login: the same key, another audience, another life."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import msgspec

from longstop.domain.access import ApiKey, Scope, allows
from longstop.serve.entry.directory import Directory
from longstop.serve.entry.door import Door
from longstop.serve.entry.limits import Policy
from longstop.serve.entry.tokens import Audience, Claims, Tokens
from longstop.serve.entry.visit import Caller, bucket_of, visit_of
from longstop.serve.problems import BAD_KEY, SCOPE_MISSING, ApiError, bad_parameter


class Given(msgspec.Struct, frozen=True):
    token: str
    claims: Claims
    key: ApiKey


class TokenDesk:
    """Knows keys and makes tokens. Wrong keys are counted by address, right ones by their consumer."""

    def __init__(
        self,
        directory: Directory,
        tokens: Tokens,
        door: Door,
        life: Callable[[Audience], timedelta],
        policy: Callable[[ApiKey], Policy],
    ) -> None:
        self.directory = directory
        self.door = door
        self._tokens = tokens
        self._life = life
        self._policy = policy

    async def give(self, scope: Any, plain: str, wanted: str = "", audience: Audience = Audience.API) -> Given:
        """Raises an ApiError that does not tell an unknown key from a revoked one."""
        await self.door.require_patience(scope)
        key = self.directory.owner_of(plain)
        if key is None:
            await self.door.count_attempt(scope)
            raise ApiError(BAD_KEY, "No key that is good now is this one.", headers=_CHALLENGES[audience])
        visit = visit_of(scope)
        visit.caller = Caller(key.consumer, key.key_id, key.scopes, self._policy(key), bucket=bucket_of(key.consumer))
        await self.door.count(visit, visit.caller)
        scopes = _asked(wanted, key)
        token, claims = self._tokens.issue(key.key_id, scopes, self._life(audience), audience)
        return Given(token, claims, key)


# At the word Basic a browser asks for a password in a window of its own, and our page waits for ever behind it.
_CHALLENGES: Final = {
    Audience.API: {"WWW-Authenticate": 'Basic realm="longstop"'},
    Audience.CONSOLE: {"WWW-Authenticate": 'Bearer realm="longstop"'},
}


def _asked(wanted: str, key: ApiKey) -> frozenset[Scope]:
    """All that the key may do when nothing was asked for."""
    if not wanted.strip():
        return key.scopes
    try:
        scopes = frozenset(Scope(word) for word in wanted.split())
    except ValueError:
        raise bad_parameter("scope", "must be words out of read, push and admin.") from None
    if not all(allows(key.scopes, scope) for scope in scopes):
        raise ApiError(SCOPE_MISSING, f"The key has {', '.join(sorted(key.scopes))} only.")
    return scopes
