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
from longstop.serve.problems import (
    BAD_PARAMETER,
    CATALOGUE,
    INTERNAL,
    MEDIA_TYPE,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    TOO_LONG,
    UNSUPPORTED_MEDIA,
    Kind,
)

_REFUSALS: Final = {
    "401": "A token is needed, or the one that was sent is not good.",
    "403": "The token does not allow it, or a page of others asks.",
    "429": "Too many requests: wait as long as Retry-After says.",
}
_SCHEMES: Final = {
    "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
}
_Document = dict[str, Any]

_KEY: Final = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_FORMS: Final[dict[str, _Document]] = {
    "match_id": {"type": "string", "pattern": f"^[A-Za-z0-9][A-Za-z0-9-]{{0,63}}(_{_KEY})?$"},
    "source": {"type": "string", "pattern": f"^{_KEY}$"},
    **{name: {"type": "string", "format": "date-time"} for name in ("as_of", "kickoff_from", "kickoff_until")},
    "day": {"type": "string", "format": "date"},
    "consumer": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"},
}
_FILES: Final = {
    "application/json": {"type": "object", "description": "Cricsheet JSON 1.1.0."},
    "text/csv": {"type": "string"},
    "application/vnd.apache.parquet": {"type": "string", "format": "binary"},
}
_EVIDENCE: Final = {
    "text/plain": {"type": "string", "description": "The page, as it came."},
    "image/png": {"type": "string", "format": "binary"},
}
_FILES_OF: Final[dict[str, dict[str, _Document]]] = {
    "get /cricket-data/matches/{match_id}/export": _FILES,
    "get /admin/evidence/{folder}/{name}": _EVIDENCE,
}
_WITH_EXAMPLE: Final = frozenset({"application/json", "text/event-stream"})
_ANYWHERE: Final = {str(kind.status): kind for kind in (BAD_PARAMETER, NOT_ACCEPTABLE, TOO_LONG, INTERNAL)}
_OF_BODIES: Final = {str(kind.status): kind for kind in (TOO_LARGE, UNSUPPORTED_MEDIA)}
_PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}


class JsonDocument(JsonRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: _Document) -> bytes:
        return super().render(request, completed(request.app, openapi_schema))


class YamlDocument(YamlRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: _Document) -> bytes:
        return super().render(request, completed(request.app, openapi_schema))


def completed(app: Litestar, document: _Document) -> _Document:
    """The same document; completing it twice changes nothing."""
    document["components"].setdefault("securitySchemes", dict(_SCHEMES))
    for operation, rule, name in _operations(app, document):
        if rule in (Access.READ, Access.PUSH, Access.ADMIN):
            _tell_rule(operation, rule)
        _tell_problems(operation)
        _tell_forms(operation)
        _tell_files(operation, name)
        _show(operation, name)
    return document


def _operations(app: Litestar, document: _Document) -> Iterator[tuple[_Document, Access | None, str]]:
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            item = document["paths"].get(getattr(route, "path_format", ""))
            if item is not None and isinstance(handler, HTTPRouteHandler):
                for method in {name.lower() for name in handler.http_methods} & item.keys():
                    yield item[method], rule_of(handler), f"{method} {route.path_format}"


def _tell_rule(operation: _Document, rule: Access) -> None:
    """Reading may be open on this machine, so no token is an alternative there."""
    alternatives: list[_Document] = [{"token": []}, {"session": []}]
    operation.setdefault("security", [*alternatives, *([{}] if rule is Access.READ else [])])
    for status, words in _REFUSALS.items():
        operation["responses"].setdefault(status, {"description": words})


def _tell_problems(operation: _Document) -> None:
    """What any request may be answered with; and that a problem is one, also where the framework tells of its own."""
    responses = operation["responses"]
    for status, kind in _ANYWHERE.items():
        responses.setdefault(status, {"description": f"{kind.title}."})
    for status, kind in _OF_BODIES.items() if "requestBody" in operation else ():
        responses.setdefault(status, {"description": f"{kind.title}."})
    for status, answer in responses.items():
        is_report = status == "503" and "application/json" in answer.get("content", {})
        if int(status) >= 400 and not is_report:
            answer["content"] = {MEDIA_TYPE: {"schema": dict(_PROBLEM), "examples": _shown(int(status))}}


def _shown(status: int) -> _Document:
    """Each kind of problem of that status."""
    kinds = [kind for kind in CATALOGUE.values() if kind.status == status]
    return {kind.name: {"value": _example_of(kind)} for kind in kinds}


def _example_of(kind: Kind) -> _Document:
    told = {"type": kind.type, "title": kind.title, "status": kind.status, "detail": f"{kind.title}."}
    return told | {"hint": kind.hint, "request_id": "5f0c6a-1b"}


def _tell_forms(operation: _Document) -> None:
    """What a parameter must look like, where only words of our own refuse what does not."""
    for parameter in operation.get("parameters", ()):
        form = _FORMS.get(parameter["name"])
        if form is not None:
            parameter["schema"] = dict(form)


def _tell_files(operation: _Document, name: str) -> None:
    """An answer that comes as one of several kinds of files."""
    if files := _FILES_OF.get(name):
        operation["responses"]["200"]["content"] = {media: {"schema": dict(schema)} for media, schema in files.items()}


def _show(operation: _Document, name: str) -> None:
    """An answer as it looks: the usual one, or the one of that status."""
    for status, answer in operation["responses"].items():
        usual = examples().get(name) if status.startswith("2") else None
        example = examples().get(f"{name} {status}", usual)
        for media, content in answer.get("content", {}).items():
            of_media = examples().get(f"{name} {media}", example if media in _WITH_EXAMPLE else None)
            if of_media is not None:
                content.setdefault("examples", {"answer": {"value": of_media}})


@cache
def examples() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("examples.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
