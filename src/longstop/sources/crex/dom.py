"""The dom rung: a rendered page → Observation. Pure, and the last resort.

What the page shows is written in the site's own notation and handed to the parser, so that every rung is read alike.
The page carries a state in a script, from the moment it was loaded. What it shows may be newer. Where both say the
same, the state is taken whole, with its clock; else only its past innings are, and what is shown goes before.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from longstop.domain.errors import MalformedPayloadError, SettingsError
from longstop.domain.match import MatchRef, Names
from longstop.fetch.snapshot import Snapshot
from longstop.sources.contract import PageReading
from longstop.sources.crex import notation, parser
from longstop.sources.crex.markup import require_tame
from longstop.sources.crex.page_state import PageState, read_page_state
from longstop.sources.crex.shown import ShownPage, ShownTeam, state_of

Selectors = Mapping[str, Sequence[str]]

REQUIRED = ("team", "runs", "state")
FIELDS = (*REQUIRED, "part", "team_name", "overs", "rate", "result", "announcement", "ball", "page_state")
_CODE_ATTRIBUTE = "data-code"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SELECTOR_LENGTH_MAX = 300
_NO_NAMES = Names()


def is_page(body: bytes) -> bool:
    return body[:1024].removeprefix(_BYTE_ORDER_MARK).lstrip()[:1] == b"<"


def require_selectors(selectors: Selectors) -> None:
    """Raises SettingsError with every fault at once: a bad selector is found here, not when the ladder falls."""
    faults = [*_field_faults(selectors), *_selector_faults(selectors)]
    if faults:
        raise SettingsError(
            f"The selectors of the dom rung are wrong: {'; '.join(faults)}.",
            hint="Correct them under [dom] in the source's manifest.toml.",
        )


def _field_faults(selectors: Selectors) -> Iterable[str]:
    for field in REQUIRED:
        if not selectors.get(field):
            yield f"{field} has no selector"
    for field in sorted(set(selectors) - set(FIELDS)):
        close = get_close_matches(field, FIELDS, 1)
        yield f"there is no field {field[:40]!r}" + (f", did you mean {close[0]}?" if close else "")


def _selector_faults(selectors: Selectors) -> Iterable[str]:
    nothing = LexborHTMLParser("<p></p>")
    for field, tried in selectors.items():
        for selector in tried:
            try:
                nothing.css(selector if len(selector) <= _SELECTOR_LENGTH_MAX and "\0" not in selector else "")
            except SelectolaxError:
                yield f"{field} has {selector[:60]!r}, which is no CSS selector"


def parse_page(ref: MatchRef, snapshot: Snapshot, selectors: Selectors, names: Names = _NO_NAMES) -> PageReading:
    require_tame(snapshot.body)
    text = snapshot.body.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace")
    finder = _Finder(LexborHTMLParser(text), selectors)
    told = read_page_state(finder.raw("page_state"))
    if told.key and ref.key and told.key != ref.key:
        raise MalformedPayloadError(f"The page is of match {told.key[:40]!r}, not of {ref.key}.")
    state = state_of(_read_shown(finder, told, names), told.state)
    plain = msgspec.structs.replace(snapshot, body=msgspec.json.encode(state))
    observation = parser.parse_state(ref, plain)
    provenance = msgspec.structs.replace(observation.provenance, payload_sha256=snapshot.sha256())
    return PageReading(msgspec.structs.replace(observation, provenance=provenance), finder.matched)


class _Finder:
    """Tries the selectors of a field in their order and notes which it was that helped."""

    def __init__(self, page: LexborHTMLParser, selectors: Selectors) -> None:
        self._page = page
        self._selectors = selectors
        self.matched: dict[str, int] = {}

    def nodes(self, field: str, inside: LexborNode | None = None, at_least: int = 1) -> list[LexborNode]:
        """Of the first selector that finds text; failing that, of the first that finds an element."""
        scope = self._page if inside is None else inside
        empty: tuple[int, list[LexborNode]] | None = None
        for index, selector in enumerate(self._selectors.get(field, ())):
            nodes = scope.css(selector)
            if len(nodes) < at_least:
                continue
            if any(_text(node) for node in nodes):
                return self._note(field, index, nodes)
            empty = empty or (index, nodes)
        return self._note(field, *empty) if empty else self._missing(field)

    def _note(self, field: str, index: int, nodes: list[LexborNode]) -> list[LexborNode]:
        self.matched[field] = max(index, self.matched.get(field, 0))
        return nodes

    def _missing(self, field: str) -> list[LexborNode]:
        if field not in REQUIRED:
            return []
        tried = ", ".join(self._selectors.get(field, ()))
        raise MalformedPayloadError(
            f"The page shows no {field}: no selector for it matches.",
            hint=f"Tried: {tried[:300]}. If it stays, the site was rebuilt: save a page, look at it with "
            "`longstop read`, and add the new selector under [dom] in the manifest.",
        )

    def text(self, field: str, inside: LexborNode | None = None) -> str:
        return next(filter(None, map(_text, self.nodes(field, inside))), "")

    def text_if_there(self, field: str) -> str | None:
        nodes = self.nodes(field)
        return _text(nodes[0]) if nodes else None

    def raw(self, field: str) -> str:
        nodes = self.nodes(field)
        return nodes[0].text() if nodes else ""


def _text(node: LexborNode) -> str:
    return " ".join(node.text().split())


def _read_shown(finder: _Finder, told: PageState, names: Names) -> ShownPage:
    pair = notation.read_pair(told.state.a) if told.state else None
    nodes = _team_nodes(finder.nodes("team", at_least=2), pair)
    labels = [finder.text("team_name", node) for node in nodes]
    known = _codes_by_label((told.teams, names.teams, names.teams_short))
    found = [_code(node) or known.get(label.casefold(), "") for node, label in zip(nodes, labels, strict=True)]
    teams = [
        ShownTeam(code, finder.text("runs", node), finder.text("overs", node))
        for code, node in zip(_require_codes(found, labels, pair), nodes, strict=True)
    ]
    if pair is not None:
        teams.sort(key=lambda team: pair.index(team.code))
    marks = next((node.attributes for node in finder.nodes("part")), {})
    return ShownPage(
        teams=(teams[0], teams[1]),
        words=finder.text("state"),
        result=finder.text("result"),
        letter=(marks.get("data-state") or "").strip(),
        innings=_count(marks.get("data-innings")),
        rate=finder.text_if_there("rate"),
        announcement=finder.text_if_there("announcement"),
        balls=tuple(_text(node) for node in finder.nodes("ball")),
    )


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= 2 else None


def _team_nodes(nodes: list[LexborNode], pair: tuple[str, str] | None) -> list[LexborNode]:
    """A page may show other matches beside its own; the codes tell which two are meant, else the first two are."""
    ours = [node for node in nodes if pair is not None and _code(node) in pair]
    return (ours if len(ours) >= len(nodes[:2]) else nodes)[:2]


def _code(node: LexborNode) -> str:
    return (node.attributes.get(_CODE_ATTRIBUTE) or "").strip()


def _codes_by_label(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """A name that two teams share tells nothing."""
    found: dict[str, set[str]] = {}
    for table in tables:
        for code, name in table.items():
            found.setdefault(" ".join(name.split()).casefold(), set()).add(code)
    return {name: codes.pop() for name, codes in found.items() if name and len(codes) == 1}


def _require_codes(found: list[str], labels: list[str], pair: tuple[str, str] | None) -> list[str]:
    """Where markup and names are silent, the teams stand in the order in which the page's state names them."""
    codes = found
    if pair is not None and not all(found):
        other = {pair[0]: pair[1], pair[1]: pair[0]}
        codes = [found[0] or other.get(found[1], pair[0]), found[1] or other.get(found[0], pair[1])]
    if not all(codes) or codes[0] == codes[1] or (pair is not None and set(codes) != set(pair)):
        raise MalformedPayloadError(
            f"The page does not tell the codes of its teams {' and '.join(label[:40] for label in labels)!r}.",
            hint=f"It needs {_CODE_ATTRIBUTE} on both teams, its own state, or names that are known already.",
        )
    return codes
