"""A header as it was sent, without taking all the others apart first."""

from typing import Any


def sent(scope: Any, name: bytes) -> str | None:
    """The first of this name, which is given in small letters as ASGI has them."""
    for each, value in scope["headers"]:
        if each == name:
            return str(value, "latin-1")
    return None
