"""The OpenAPI document, completed by what no handler says of itself: who is let in, and an answer as it looks.

Both come from where they are decided: the rule of the route, and `examples.json`, answers of a real run.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, Final

from litestar import Litestar, Request
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin

from longstop.serve.entry.rules import Access, rule_of
from longstop.serve.entry.sessions import COOKIE
from longstop.serve.problems import MEDIA_TYPE

_REFUSALS: Final = {
    "401": "A token is needed, or the one that was sent is not good.",
    "403": "The token does not allow it, or a page of others asks.",
    "429": "Too many requests: wait as long as Retry-After says.",
}
_SCHEMES: Final = {
    "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
}
_PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}
_Document = dict[str, Any]


class JsonDocument(JsonRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: _Document) -> bytes:
        return super().render(request, completed(request.app, openapi_schema))


class YamlDocument(YamlRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: _Document) -> bytes:
        return super().render(request, completed(request.app, openapi_schema))


def completed(app: Litestar, document: _Document) -> _Document:
    """The same document; completing it twice changes nothing."""
    document["components"].setdefault("securitySchemes", dict(_SCHEMES))
    for operation, rule, example in _operations(app, document):
        if rule in (Access.READ, Access.PUSH, Access.ADMIN):
            _tell_rule(operation, rule)
        for content in _contents(operation) if example is not None else ():
            content.setdefault("examples", {"answer": {"value": example}})
    return document


def _operations(app: Litestar, document: _Document) -> Iterator[tuple[_Document, Access | None, Any]]:
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            item = document["paths"].get(getattr(route, "path_format", ""))
            if item is not None and isinstance(handler, HTTPRouteHandler):
                for method in {name.lower() for name in handler.http_methods} & item.keys():
                    yield item[method], rule_of(handler), examples().get(f"{method} {route.path_format}")


def _tell_rule(operation: _Document, rule: Access) -> None:
    """Reading may be open on this machine, so no token is an alternative there."""
    alternatives: list[_Document] = [{"token": []}, {"session": []}]
    operation.setdefault("security", [*alternatives, *([{}] if rule is Access.READ else [])])
    for status, words in _REFUSALS.items():
        answer = {"description": words, "content": {MEDIA_TYPE: {"schema": dict(_PROBLEM)}}}
        told = operation["responses"].setdefault(status, answer)
        for content in told.get("content", {}).values():
            content.setdefault("examples", {"problem": {"value": examples()[status]}})


def _contents(operation: _Document) -> Iterator[_Document]:
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            yield from answer.get("content", {}).values()


@cache
def examples() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("examples.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
