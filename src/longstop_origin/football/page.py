"""The documents: a match page that fills itself by its script, a home page, and one for what is not there."""

from collections.abc import Sequence
from functools import cache
from html import escape
from string import Template

from longstop_origin.football.assets import FRAMEWORK, MATCH, PAGE_CSS, PAGE_FONTS, PIXELS, TRACKERS
from longstop_origin.football.fixture import Fixture
from longstop_origin.football.people import TOWNS
from longstop_origin.football.wire import encode

PICTURES = 16
MENU_ROWS = 180

_DOCUMENT = Template("""<!DOCTYPE html>
<html lang="en" dir="ltr" class="dark">
<head><meta charset="utf-8"><title>$title</title>
<link rel="icon" href="data:,">
$head
<style>
$faces
body { font-family: "Pitch Regular", "Pitch Medium", sans-serif; }
strong { font-family: "Pitch Medium", sans-serif; font-weight: 400; }
h1 { font-family: "Pitch Bold", sans-serif; font-weight: 400; }
</style>
</head>
<body>
<nav>$menu</nav>
<main><h1 id="teams">$title</h1>
<p>Now: <strong id="status"></strong>; line-ups: <span id="lineups"></span></p>
<p id="incidents"></p><p id="statistics"></p><div id="portraits"></div>
$links
</main>
<aside>$pictures</aside>
<script id="__NEXT_DATA__" type="application/json">$state</script>
$scripts
</body>
</html>
""")


def match_page(fixture: Fixture, given: str) -> bytes:
    story = fixture.story
    return _document(f"{story.home.name} vs {story.away.name} live score", fixture, given)


def home_page(live: Sequence[Fixture], given: str) -> bytes:
    links = "\n".join(
        f'<a href="{each.story.page}">{escape(each.story.home.name)} - {escape(each.story.away.name)}</a>'
        for each in live
    )
    return _document("Football live scores", None, given, links)


def missing() -> bytes:
    return b"<!DOCTYPE html><html lang=en><title>404</title><h1>This page does not exist.</h1></html>\n"


def _document(title: str, fixture: Fixture | None, given: str, links: str = "") -> bytes:
    properties = {"pass": given, "eventId": fixture.id if fixture else None, "locale": "en"}
    state = {"props": {"pageProps": properties}, "page": "/football/match", "buildId": "pitch-1"}
    scripts = (FRAMEWORK, *((MATCH,) if fixture else ()), *TRACKERS)
    text = _DOCUMENT.substitute(
        title=escape(title),
        head=_head(),
        faces=_faces(),
        menu=_menu(),
        pictures=_pictures(fixture),
        links=links,
        state=encode(state).decode().replace("</", "<\\/"),
        scripts="\n".join(f'<script src="/{path}" defer></script>' for path in scripts),
    )
    return text.encode()


@cache
def _head() -> str:
    return "\n".join(f'<link rel="stylesheet" href="/{path}">' for path in PAGE_CSS)


@cache
def _faces() -> str:
    names = [path.rpartition("/")[2].partition(".")[0].replace("-", " ") for path in PAGE_FONTS]
    return "\n".join(
        f'@font-face {{ font-family: "{name}"; src: url("/{path}") format("woff2"); }}'
        for name, path in zip(names, PAGE_FONTS, strict=True)
    )


@cache
def _menu() -> str:
    """Hundreds of links, as such sites have them in each of their documents."""
    rows = (
        f'<a class="menu-row menu-row--competition" href="/football/tournament/{number}" data-testid="menu-{number}"'
        f' aria-label="{TOWNS[number % len(TOWNS)]}"><span class="menu-row__name">{TOWNS[number % len(TOWNS)]}'
        f" League {number}</span></a>"
        for number in range(MENU_ROWS)
    )
    return "\n".join(rows)


def _pictures(fixture: Fixture | None) -> str:
    teams = (fixture.story.home.id, fixture.story.away.id) if fixture else ()
    crests = [f"/img/api/v1/team/{team}/image" for team in teams]
    news = ["/img/news/hero.png", *(f"/img/news/{number}.png" for number in range(PICTURES))]
    return "\n".join(
        f'<img src="{path}" width="60" alt="">' for path in (*crests, *news, *(f"/{path}" for path in PIXELS))
    )
