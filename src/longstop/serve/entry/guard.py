"""Asks before each route whether this caller may use it. What has no rule admits nobody."""

from collections.abc import Callable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from longstop.serve.entry.rules import rule_of
from longstop.serve.problems import NO_RULE, ApiError

Guard = Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], None]


def guard() -> Guard:
    """For the application as a whole, so that no router can be forgotten."""

    def admit(_: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
        if rule_of(handler) is None:
            raise ApiError(NO_RULE, "Nobody has said yet who may use this address.")

    return admit
