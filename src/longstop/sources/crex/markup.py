"""Is a page's markup tame enough to be built into a tree?

The tree builder runs in one call that nothing can interrupt, and some markup makes it quadratic: a megabyte of open
`div` takes a minute and a half, forty kilobytes of unclosed `b` a gigabyte. So its effort is estimated first, in one
pass that is linear whatever the page says. Where the estimate cannot tell, it is too high rather than too low. What a
browser has written down closes all its tags and comes nowhere near the limit.
"""

import re

from longstop.domain.errors import MalformedPayloadError

PAGE_BYTES_MAX = 8 << 20
ATTRIBUTES_MAX = 256
# In steps up the tree, about 5 ns each: a quarter of a second, or a hundred megabytes.
EFFORT_MAX = 50_000_000
_EFFORT_A_TAG = 200
# Each <b> or <a> that is left open is built anew in every paragraph that follows.
_EFFORT_A_COPY = 170

# As the standard reads tags: a quote means something only after an equals sign, and \v is no space. A tag or comment
# that never ends takes the rest of the page, so that nothing is looked at twice.
_ATTRIBUTE = rb"""
    [^\t\n\f\r\ />] [^\t\n\f\r\ />=]*+
    (?: [\t\n\f\r\ ]*+ = [\t\n\f\r\ ]*+ (?: "[^"]*+" | '[^']*+' | [^\t\n\f\r\ >"'] [^\t\n\f\r\ >]*+ )? )?"""
_ATTRIBUTES = re.compile(_ATTRIBUTE, re.VERBOSE)
_TAG = re.compile(
    rb"<(?: (/?) ([a-zA-Z][^\t\n\f\r\ />]*+) ((?: [\t\n\f\r\ /]++ | " + _ATTRIBUTE + rb" )*+) >?"
    rb"| !-- (?: -?> | .*? (?: --!?> | \Z ) ) )",
    re.DOTALL | re.VERBOSE,
)
_CLOSED_AT_ONCE = re.compile(rb"(?:\s+[\w:.-]+=\"[^\"]*\")*\s*/")
_VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_FORMATTING = frozenset(b"a b big code em font i nobr s small strike strong tt u".split())
_FOREIGN = frozenset({b"svg", b"math"})
_SHAPES = frozenset(b"circle defs ellipse g line path polygon polyline rect stop svg use".split())
_RAW_ENDS = {
    name: re.compile(b"</" + name, re.IGNORECASE)
    for name in (b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes")
}


def require_tame(body: bytes) -> None:
    """Raises MalformedPayloadError for a page that nobody should try to build."""
    if len(body) > PAGE_BYTES_MAX:
        raise _refusal(f"it has {len(body)} bytes, at most {PAGE_BYTES_MAX} are read")
    estimate = _Estimate()
    place: int | None = 0
    while place is not None:
        place = estimate.read(body, place)


class _Estimate:
    """The open elements so far. An end closes the innermost or nothing: what else it might close is not guessed."""

    def __init__(self) -> None:
        self._open: list[bytes] = [b""]
        self._effort = 0
        self._formatting = 0
        self._foreign = 0
        self._is_drawing = False

    def read(self, body: bytes, place: int) -> int | None:
        """Up to the next text in which tags are no tags; returns where to go on, None at the end of the page."""
        opened = self._open
        for found in _TAG.finditer(body, place):
            slash, name, rest = found.groups()
            self._effort += _EFFORT_A_TAG + len(opened) + _EFFORT_A_COPY * self._formatting
            if self._effort > EFFORT_MAX:
                raise _refusal("its tags are too many, too deeply nested or not closed")
            if slash:
                self._close(name.lower())
            elif name:
                self._begin(name.lower(), rest)
                if not self._foreign and name.lower() in _RAW_ENDS:
                    end = _RAW_ENDS[name.lower()].search(body, found.end())
                    return end.start() if end else None
        return None

    def _close(self, name: bytes) -> None:
        if self._open[-1] != name:
            self._is_drawing = False
            return
        self._open.pop()
        self._formatting -= name in _FORMATTING
        self._foreign -= name in _FOREIGN

    def _begin(self, name: bytes, rest: bytes) -> None:
        if len(rest) > ATTRIBUTES_MAX and len(_ATTRIBUTES.findall(rest)) > ATTRIBUTES_MAX:
            raise _refusal(f"a tag has more than {ATTRIBUTES_MAX} attributes")
        if name in _VOID or self._is_closed_at_once(name, rest):
            return
        self._open.append(name)
        self._formatting += name in _FORMATTING
        self._foreign += name in _FOREIGN

    def _is_closed_at_once(self, name: bytes, rest: bytes) -> bool:
        """`<path d=""/>` means that only in a drawing, which ends at the first tag that is none of its own."""
        goes_on = self._is_drawing and self._foreign > 0
        self._is_drawing = name in _SHAPES and (goes_on or name == b"svg")
        return self._is_drawing and rest.endswith(b"/") and _CLOSED_AT_ONCE.fullmatch(rest) is not None


def _refusal(reason: str) -> MalformedPayloadError:
    return MalformedPayloadError(f"The page is not read: {reason}.")
