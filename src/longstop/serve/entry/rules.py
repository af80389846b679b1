"""The access rule of a route, as data on its handler: `@get("/health", opt=PUBLIC)`.

A route without one admits nobody, and a test fails for it.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

_KEY: Final = "access"
_QUIET: Final = "is_quiet"


class Access(StrEnum):
    """What a caller must be allowed to do."""

    PUBLIC = "public"
    READ = "read"
    PUSH = "push"
    ADMIN = "admin"


def _rule(access: Access) -> Mapping[str, Any]:
    return MappingProxyType({_KEY: access})


PUBLIC: Final = _rule(Access.PUBLIC)
READ: Final = _rule(Access.READ)
PUSH: Final = _rule(Access.PUSH)
ADMIN: Final = _rule(Access.ADMIN)


def quietly(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same rule for what the page itself asks for all the time: answered, it is not worth a line in the log."""
    return MappingProxyType({**rule, _QUIET: True})


def is_logged(handler: BaseRouteHandler) -> bool:
    return not handler.opt.get(_QUIET, False)


def rule_of(handler: BaseRouteHandler) -> Access | None:
    """None when nobody has given it one. What the framework answers to OPTIONS by itself tells nothing but methods."""
    found = handler.opt.get(_KEY)
    if isinstance(found, Access):
        return found
    if isinstance(handler, HTTPRouteHandler) and handler.http_methods == {"OPTIONS"}:
        return Access.PUBLIC
    return None
