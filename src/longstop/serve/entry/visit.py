"""One request on its way through the house: who it is, where it goes, what is told with its answer."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from longstop.domain.access import Scope, allows
from longstop.serve.entry.limits import Policy

ANONYMOUS: Final = "anonymous"
LOCAL: Final = "local"
KEY: Final = "visit"


class Caller(msgspec.Struct, frozen=True):
    """Who asks, and until when that may be believed. `policy` None is not limited: that is a person at this machine.
    Requests of one `bucket` are counted together."""

    consumer: str
    key_id: str
    scopes: frozenset[Scope]
    policy: Policy | None
    until: datetime | None = None
    jti: str = ""
    bucket: str = ""

    def may(self, wanted: Scope) -> bool:
        return allows(self.scopes, wanted)


class Visit(msgspec.Struct):
    """Made by the gate, known to everybody behind it as `scope["state"]["visit"]`."""

    request_id: str
    caller: Caller | None = None
    endpoint: str = ""
    parameters: Mapping[str, Any] = msgspec.field(default_factory=dict)  # of its path
    is_logged: bool = True
    is_told: bool = False  # its verb, whatever came of it
    judge: Callable[[Caller], bool] | None = None
    headers: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)

    def is_let_in(self) -> bool:
        """Still: whose answer goes on and on asks now and then, since the token may have been revoked."""
        return self.judge is None or self.caller is None or self.judge(self.caller)

    @property
    def consumer(self) -> str:
        return self.caller.consumer if self.caller is not None else ANONYMOUS

    @property
    def key_id(self) -> str:
        return self.caller.key_id if self.caller is not None else ""


def bucket_of(consumer: str) -> str:
    return f"consumer {consumer}"


def reader_of(scope: Any) -> str:
    """By whom what stays open is counted: the consumer, and whoever needs no token by his address."""
    caller = visit_of(scope).caller
    if caller is not None and caller.bucket:
        return caller.bucket
    return f"address {scope['client'][0] if scope.get('client') else ''}"


def visit_of(scope: Any) -> Visit:
    """Also where no gate stands before the application, as in some tests."""
    state = scope.setdefault("state", {})
    found = state.get(KEY)
    if found is None:
        found = state[KEY] = Visit(str(state.get("request_id", "")))
    return found  # type: ignore[no-any-return]  # the state of a scope holds anything
