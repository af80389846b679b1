"""A small, strict reading of YAML: groups, lists and single values, each with its line. Nothing is typed yet.

Aliases, anchors, tags, second documents, deep nesting and repeated keys are refused: a configuration needs none of
them, and each is a way to say something else than what is seen (or to fill the memory).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

DEPTH_MAX = 16
NODES_MAX = 5000


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    is_quoted: bool
    line: int


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple["Node", ...]
    line: int


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    value: "Node"
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[Entry, ...]
    line: int


Node = Scalar | Listing | Mapping


class BadYaml(Exception):  # noqa: N818 - it never leaves this package; the reader turns it into a fault
    """The text cannot be read. The sentence quotes nothing from it."""

    def __init__(self, line: int, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.remedy = remedy


def read_yaml(text: str) -> Node | None:
    """The one document in the text, or None when it holds nothing."""
    reader = _Reader(text)
    try:
        return reader.document()
    except yaml.YAMLError as error:
        raise _bad_syntax(error, text) from None


class _Reader:
    """Takes the parser's events one by one, so that it can stop before anything grows."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        self._nodes = 0

    def document(self) -> Node | None:
        root: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise BadYaml(_line(event), "a second document begins here", "keep one document in the file")
                root = self._node(next(self._events), 0)
        return root

    def _node(self, event: Any, depth: int) -> Node:
        self._count(event, depth)
        line = _line(event)
        match event:
            case yaml.ScalarEvent():
                return Scalar(event.value, is_quoted=event.style not in {None, ""}, line=line)
            case yaml.SequenceStartEvent():
                return Listing(tuple(self._items(depth)), line)
            case _:
                return Mapping(tuple(self._entries(depth)), line)

    def _count(self, event: Any, depth: int) -> None:
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise BadYaml(
                line, "aliases and anchors (* and &) are not read", "write the value out, text that begins so in quotes"
            )
        if event.tag is not None:
            raise BadYaml(line, "tags (!) are not read", "write the plain value, text that begins so in quotes")
        self._nodes += 1
        if self._nodes > NODES_MAX or depth > DEPTH_MAX:
            raise BadYaml(
                line, "there are more entries or levels than any configuration has", "look whether it is the right file"
            )

    def _items(self, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._node(event, depth + 1)

    def _entries(self, depth: int) -> Iterator[Entry]:
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            name = self._node(event, depth + 1)
            if not isinstance(name, Scalar):
                raise BadYaml(name.line, "a group or list stands where a name belongs", "write name: value")
            yield Entry(name.text, self._node(next(self._events), depth + 1), name.line)


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _bad_syntax(error: yaml.YAMLError, text: str) -> BadYaml:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else 0
    rows = text.split("\n")
    if 0 < line <= len(rows) and "\t" in rows[line - 1][: len(rows[line - 1]) - len(rows[line - 1].lstrip())]:
        return BadYaml(line, "the line is indented with a tab", "indent with spaces")
    # What stands behind a quotation mark may be the value of a secret.
    reason = str(getattr(error, "problem", None) or "it cannot be read").split("'")[0].split('"')[0].strip()[:80]
    return BadYaml(line, f"this is not YAML ({reason})", "check indentation, colons and quotes here and one line above")
