"""The access rule of a route, as data on its handler: `@get("/health", opt=PUBLIC)`.

A route without one admits nobody, and a test fails for it.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

_KEY: Final = "access"


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


def rule_of(handler: BaseRouteHandler) -> Access | None:
    """None when nobody has given it one. What the framework answers to OPTIONS by itself tells nothing but methods."""
    found = handler.opt.get(_KEY)
    if isinstance(found, Access):
        return found
    if isinstance(handler, HTTPRouteHandler) and handler.http_methods == {"OPTIONS"}:
        return Access.PUBLIC
    return None
