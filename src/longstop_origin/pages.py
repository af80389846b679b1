"""The HTML of the site: the list of matches, and the page of one that polls and renders its score."""

from collections.abc import Iterable
from html import escape
from string import Template

import msgspec
from msgspec import Struct

from longstop_origin.board import MatchBoard
from longstop_origin.fixture import Fixture
from longstop_origin.page_script import SCRIPT, PageOptions
from longstop_origin.score_part import score_part

# The site writes its state into the page with these in place of what HTML would read.
STATE_ESCAPES = (("&", "&a;"), ('"', "&q;"), ("'", "&s;"), ("<", "&l;"), (">", "&g;"))

HEAD = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>$title</title></head>
"""

LIST = Template(
    HEAD
    + """<body>
<h1>Live cricket scores</h1>
<ul class="live-matches">
$items
</ul>
</body>
</html>
"""
)

LIST_ITEM = Template(
    '<li><a href="$href"><span class="team-name">$first</span> v <span class="team-name">$second</span></a>'
    ' <span class="series">$series</span> <span class="match-state">$state</span></li>'
)

MATCH = Template(
    HEAD
    + """<body>
<app-root>
<h1>$title</h1>
$part
<div class="series">$series</div>
<div class="venue">$venue</div>
</app-root>
$state
<script id="page-options" type="application/json">$options</script>
<script>
$script
</script>
$trouble
</body>
</html>
"""
)

STATE = Template('<script id="app-root-state" type="application/json">$state</script>')

CHANGED = Template(
    HEAD
    + """<body>
<main class="x-$salt">
<section class="scoreline-$salt"><b>$first</b><i>$second</i><u>$headline</u></section>
</main>
</body>
</html>
"""
)

STATUS_WORDS = ("upcoming", "live", "finished")


class PageDress(Struct, frozen=True):
    """How a match page differs from another: what its script is told, its class names, and what was put into it."""

    options: PageOptions
    dom: str = "plain"
    trouble: str = ""


def match_path(fixture: Fixture) -> str:
    return f"/cricket-live-score/{fixture.slug}-match-updates-{fixture.key}"


def list_page(fixtures: Iterable[Fixture], at: float) -> bytes:
    items = "\n".join(_list_item(fixture, at) for fixture in fixtures)
    return LIST.substitute(title="Live cricket scores", items=items).encode()


def _list_item(fixture: Fixture, at: float) -> str:
    first, second = fixture.script.teams
    return LIST_ITEM.substitute(
        href=escape(match_path(fixture)),
        first=escape(first.name),
        second=escape(second.name),
        series=escape(fixture.script.series),
        state=STATUS_WORDS[fixture.status(at)],
    )


def match_page(fixture: Fixture, board: MatchBoard, state: bytes, dress: PageDress) -> bytes:
    """`state` is the body of getSV3. The page carries it and renders it once before its script takes over; one that is
    rendered by the server has the score only.
    """
    sv3 = msgspec.json.decode(state)
    is_served = bool(dress.options.part)
    return MATCH.substitute(
        title=escape(_title(fixture)),
        part=score_part(fixture, board, sv3, dress.dom),
        series=escape(fixture.script.series),
        venue=escape(fixture.script.venue),
        state="" if is_served else STATE.substitute(state=_root_state(fixture, sv3)),
        options=_in_script(dress.options),
        script=SCRIPT,
        trouble=dress.trouble,
    ).encode()


def _in_script(content: object) -> str:
    """JSON in which no text can close the script."""
    return msgspec.json.encode(content).decode().replace("<", "\\u003c")


def changed_page(fixture: Fixture, board: MatchBoard, salt: int) -> bytes:
    """The page after the site was rebuilt: the score is there, under names nobody knows."""
    first, second = fixture.script.teams
    return CHANGED.substitute(
        title=escape(_title(fixture)),
        salt=salt,
        first=escape(first.short),
        second=escape(second.short),
        headline=escape(board.headline),
    ).encode()


def _title(fixture: Fixture) -> str:
    first, second = fixture.script.teams
    parts = [f"{first.name} v {second.name}", fixture.script.match_name, fixture.script.series]
    return ", ".join(part for part in parts if part)


def _root_state(fixture: Fixture, sv3: dict[str, str]) -> str:
    """The state as the site embeds it: JSON with its own escapes, so that no text in it can close the script."""
    root = {"key": fixture.key, "slug": fixture.slug, "sv3": sv3, "names": _names(fixture)}
    text = msgspec.json.encode(root).decode()
    for plain, escaped in STATE_ESCAPES:
        text = text.replace(plain, escaped)
    return text


def _names(fixture: Fixture) -> dict[str, dict[str, str]]:
    """Names by code, as the site keeps them in the browser's storage."""
    return {
        "t": {fixture.codes.teams[team.name]: team.name for team in fixture.script.teams},
        "p": {code: name for name, code in fixture.codes.players.items()},
        "s": {fixture.codes.series: fixture.script.series},
    }
