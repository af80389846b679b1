"""What a page is made of, as far as a challenge can be told from it: its parts, and how much there is for people.

One pass over the first 64 KB, with a bound on everything. Text, comments and data that a page carries are not its
parts: an article about challenges quotes them there.
"""

import re
from typing import Final

import msgspec

WINDOW: Final = 64 * 1024
_TAGS_MAX: Final = 2000
_TAG_MAX: Final = 4096
_ATTRIBUTES_MAX: Final = 40
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
_ATTRIBUTE: Final = re.compile(r"""([a-z][a-z-]{0,40})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CLOSED_BY_NAME: Final = frozenset({"script", "style", "textarea", "title", "template", "noscript"})
_CONTENT: Final = frozenset({"article", "table", "video", "picture", "nav", "aside", "section"})
_FIELDS: Final = frozenset({"", "text", "email", "password", "search", "tel", "url", "number", "date", "file"})
_CODE_TYPES: Final = frozenset({"", "text/javascript", "application/javascript", "module"})

Attributes = dict[str, str]


class Element(msgspec.Struct, frozen=True):
    name: str
    attributes: Attributes

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")


class Outline(msgspec.Struct):
    """All in small letters. `code` is what inline scripts run; `words` counts letters for people to read."""

    elements: list[Element]
    code: list[str]
    words: int = 0
    data_bytes: int = 0
    is_whole: bool = True
    texts: dict[str, str] = {}

    def of(self, *names: str) -> list[Element]:
        return [each for each in self.elements if each.name in names]

    def text(self, where: str) -> str:
        """All that stands at one place of all elements, a line each; `code`, `tag.attribute` or `*.attribute`."""
        if where not in self.texts:
            self.texts[where] = "\n".join(self.code if where == "code" else self._values(*where.split(".")))
        return self.texts[where]

    def _values(self, tag: str, attribute: str) -> list[str]:
        elements = self.elements if tag == "*" else self.of(tag)
        return [each.attributes[attribute] for each in elements if attribute in each.attributes]

    @property
    def links(self) -> int:
        return sum(bool(each.get("href")) for each in self.of("a"))

    @property
    def fields(self) -> int:
        """What a visitor would write into."""
        inputs = [each for each in self.of("input") if each.get("type") in _FIELDS]
        return len(inputs) + len(self.of("textarea", "select"))

    @property
    def contents(self) -> int:
        return sum(each.name in _CONTENT for each in self.elements)

    @property
    def is_rich(self) -> bool:
        """A page that people came for."""
        return not self.is_whole or self.words > 4000 or self.links > 40 or self.data_bytes > 8000


def is_markup(body: bytes) -> bool:
    return body[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def outline_of(body: bytes) -> Outline:
    text = body[:WINDOW].decode("latin-1").lower()
    found = Outline([], [], is_whole=len(body) <= WINDOW)
    at = 0
    while len(found.elements) < _TAGS_MAX:
        start = text.find("<", at)
        found.words += len(text[at : start if start >= 0 else None].split()) * 5
        if start < 0:
            return found
        at = _step(text, start, found)
    found.is_whole = False
    return found


def _step(text: str, start: int, found: Outline) -> int:
    """Reads one tag or comment and says where to go on."""
    if text.startswith("<!--", start):
        return _comment_end(text, start)
    name = _NAME.match(text, start + 1)
    if name is None:
        return _closing_end(text, start)
    end = text.find(">", name.end(), name.end() + _TAG_MAX)
    if end < 0:
        return name.end()
    element = Element(name[0], _attributes(text, name.end(), end))
    found.elements.append(element)
    return _inside(text, end + 1, element, found) if name[0] in _CLOSED_BY_NAME else end + 1


def _comment_end(text: str, start: int) -> int:
    """What old browsers alone hide (`<!--[if lt IE 9]>`) is a comment too."""
    end = text.find("-->", start + 4)
    return end + 3 if end >= 0 else len(text)


def _closing_end(text: str, start: int) -> int:
    end = text.find(">", start, start + _TAG_MAX) if text[start + 1 : start + 2] in ("/", "!", "?") else -1
    return end + 1 if end >= 0 else start + 1


def _attributes(text: str, start: int, end: int) -> Attributes:
    found: Attributes = {}
    for each in _ATTRIBUTE.finditer(text, start, end):
        found.setdefault(each[1], (each[2] or each[3] or each[4] or "").strip())
        if len(found) >= _ATTRIBUTES_MAX:
            break
    return found


def _inside(text: str, start: int, element: Element, found: Outline) -> int:
    """What stands between is no markup. Of it only what a script runs is looked at."""
    end = text.find(f"</{element.name}", start)
    end = len(text) if end < 0 else end
    if element.name == "script":
        if element.get("type") in _CODE_TYPES:
            found.code.append(text[start:end])
        else:
            found.data_bytes += end - start
    return end
