"""The kinds of value a setting can have, and how each is read from text and from YAML.

Reading is strict. Text (environment, command line) has no types, so `2.5` is a number where a number is expected.
YAML has types, so a quoted number is text there and refused, and `true` is never a number. The words are those of
YAML 1.2: `NO` is a country, not false; `010` is refused instead of being 8.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args, get_origin

import msgspec
from pydantic import SecretStr

from longstop.settings.masks import SecretUrl

TEXT_MAX = 4096
NUMBER_MAX = 40

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)
_LOOKS_LIKE_NUMBER = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    re.ASCII,
)
_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_DIGIT_TRUTHS = {"1": True, "0": False}
_SYNONYMS = {"WARN": "WARNING"}
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


class Unusable(Exception):  # noqa: N818 - it never leaves this package; the reader turns it into a fault
    """This value cannot be used. The sentence never holds the value of a secret."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value. `name` is whole, decimal, truth, choice, text, path, secret, address or list."""

    name: str
    expects: str
    choices: tuple[str, ...] = ()
    item: "Kind | None" = None

    @property
    def is_secret(self) -> bool:
        return self.name in {"secret", "address"} or (self.item is not None and self.item.is_secret)

    @property
    def is_text(self) -> bool:
        return self.name not in {"whole", "decimal", "truth"}


_PLAIN_KINDS: dict[object, Kind] = {
    int: Kind("whole", "a whole number"),
    float: Kind("decimal", "a number"),
    bool: Kind("truth", "true or false"),
    str: Kind("text", "text"),
    Path: Kind("path", "a path"),
    SecretStr: Kind("secret", "text"),
    SecretUrl: Kind("address", "an address"),
}


def kind_of(annotation: object) -> Kind:
    """The kind for a field's type; a type nobody planned for is a mistake in the tree."""
    if get_origin(annotation) is Literal:
        choices = tuple(str(choice) for choice in get_args(annotation))
        return Kind("choice", f"one of {', '.join(choices)}", choices=choices)
    if get_origin(annotation) is tuple:
        item = kind_of(get_args(annotation)[0])
        return Kind("list", f"a list of {_plural(item)}", item=item)
    return _PLAIN_KINDS[annotation]


def _plural(item: Kind) -> str:
    return {"whole": "whole numbers", "decimal": "numbers", "text": "texts", "address": "addresses"}[item.name]


def read_text(kind: Kind, text: str) -> object:
    """A value from text without types: environment and command line."""
    if kind.item is not None:
        return tuple(read_text(kind.item, part) for part in _parts(text.strip()))
    clean = text if kind.is_secret else text.strip()
    match kind.name:
        case "whole":
            return _whole(clean)
        case "decimal":
            return _decimal(clean)
        case "truth":
            return _truth(clean, _TRUTHS | _DIGIT_TRUTHS)
        case "choice":
            return _choice(kind, clean)
        case "path":
            return Path(_text(clean, is_secret=False))
        case _:
            return _text(clean, is_secret=kind.is_secret)


def _parts(text: str) -> list[str]:
    """A list is parted by commas; whoever is used to JSON may write it so."""
    if text.startswith("["):
        try:
            return [str(part) for part in msgspec.json.decode(text, type=list[str | int | float])]
        except msgspec.DecodeError:
            raise Unusable("is not a list", 'give it as a,b or as ["a", "b"]') from None
    return [part.strip() for part in text.split(",")] if text else []


def read_plain(kind: Kind, text: str, *, is_quoted: bool) -> object:
    """A value from one YAML scalar."""
    if not is_quoted and text in _NOTHING:
        raise Unusable("has no value", "or leave the line out")
    if kind.name == "choice":
        return _choice(kind, text)
    if kind.is_text:
        return read_text(kind, _typed_text(text, is_quoted=is_quoted))
    if is_quoted:
        raise Unusable("is text in quotes", "without quotes")
    return _truth(text, _TRUTHS) if kind.name == "truth" else read_text(kind, text)


def _typed_text(text: str, *, is_quoted: bool) -> str:
    if is_quoted:
        return text
    if _LOOKS_LIKE_NUMBER.fullmatch(text) or text.lower() in {"true", "false"}:
        raise Unusable("is a number or a truth value, not text", "in quotes")
    return text


def _whole(text: str) -> int:
    if len(text) > NUMBER_MAX or not _WHOLE.fullmatch(text):
        raise Unusable(f"{shown(text)} is not a whole number")
    return int(text)


def _decimal(text: str) -> float:
    if len(text) > NUMBER_MAX or not _DECIMAL.fullmatch(text):
        raise Unusable(f"{shown(text)} is not a number")
    value = float(text)
    if not math.isfinite(value):
        raise Unusable(f"{shown(text)} is too large")
    return value


def _truth(text: str, words: dict[str, bool]) -> bool:
    value = words.get(text.lower())
    if value is None:
        raise Unusable(f"{shown(text)} is neither true nor false")
    return value


def _choice(kind: Kind, text: str) -> str:
    wanted = _SYNONYMS.get(text.upper(), text)
    for choice in kind.choices:
        if choice.casefold() == wanted.casefold():
            return choice
    raise Unusable(f"{shown(text)} is not one of its words")


def _text(text: str, *, is_secret: bool) -> str:
    if len(text) > TEXT_MAX:
        raise Unusable(f"has more than {TEXT_MAX} characters", "shorter")
    if any(ord(c) < 32 or ord(c) == 127 or "\ud800" <= c <= "\udfff" or c in "\x85\u2028\u2029" for c in text):
        what = "holds" if is_secret else f"{shown(text)} holds"
        raise Unusable(f"{what} a line break or a character that cannot be printed", "on one line")
    return text


def shown(text: str) -> str:
    """A value as a fault may quote it: short, on one line, nothing that steers a terminal."""
    return ascii(text if len(text) <= NUMBER_MAX else text[:NUMBER_MAX] + "...")
