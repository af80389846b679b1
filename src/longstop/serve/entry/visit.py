"""One request on its way through the house: who it is, where it goes, what is told with its answer."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import msgspec

from longstop.domain.access import Scope, allows
from longstop.serve.entry.limits import Policy

ANONYMOUS: Final = "anonymous"
LOCAL: Final = "local"
KEY: Final = "visit"


class Caller(msgspec.Struct, frozen=True):
    """Who asks, and until when that may be believed. `policy` None is not limited: a person at this machine."""

    consumer: str
    key_id: str
    scopes: frozenset[Scope]
    policy: Policy | None
    until: datetime | None = None
    jti: str = ""

    def may(self, wanted: Scope) -> bool:
        return allows(self.scopes, wanted)


class Visit(msgspec.Struct):
    """Made by the gate, known to everybody behind it as `scope["state"]["visit"]`.

    Whose answer goes on and on asks `is_let_in` now and then: the token may have been revoked."""

    request_id: str
    caller: Caller | None = None
    endpoint: str = ""
    is_logged: bool = True
    is_let_in: Callable[[], bool] = lambda: True
    headers: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)

    @property
    def consumer(self) -> str:
        return self.caller.consumer if self.caller is not None else ANONYMOUS


def visit_of(scope: Any) -> Visit:
    """Also where no gate stands before the application, as in some tests."""
    state = scope.setdefault("state", {})
    found = state.get(KEY)
    if found is None:
        found = state[KEY] = Visit(str(state.get("request_id", "")))
    return found  # type: ignore[no-any-return]  # the state of a scope holds anything
