"""The HTML of the site: the list of matches, and the page of one that polls and renders its score."""

from collections.abc import Iterable
from html import escape
from string import Template

import msgspec

from longstop_origin.board import MatchBoard
from longstop_origin.fixture import Fixture

# The site writes its state into the page with these in place of what HTML would read.
STATE_ESCAPES = (("&", "&a;"), ('"', "&q;"), ("'", "&s;"), ("<", "&l;"), (">", "&g;"))
POLL_MILLISECONDS = 2000

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
<div class="live-score-card">
$teams
<div class="result-box"><span>$headline</span></div>
<div class="team-run-rate"><span class="title">CRR</span><span class="data">$rate</span></div>
<div class="final-result m-none">$result</div>
</div>
<div id="slideOver"><div class="overs-slide">$balls</div></div>
<div class="series">$series</div>
<div class="venue">$venue</div>
</app-root>
<script id="app-root-state" type="application/json">$state</script>
<script>
$script
</script>
</body>
</html>
"""
)

TEAM = Template(
    '<div class="team-content" data-code="$code"><div class="team-name">$short</div>'
    '<div class="runs"><span>$runs</span> <span>$overs</span></div></div>'
)

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

# Renders what getSV3 says. Texts go in as texts, never as markup.
SCRIPT = """
(function () {
  "use strict";
  var key = document.location.pathname.split("-").pop();
  function put(node, text) { if (node && node.textContent !== text) { node.textContent = text; } }
  function split(score) {
    var latest = String(score || "").split("&").pop().split("(");
    return [latest[0] || "", latest[1] || ""];
  }
  function balls(state) {
    var box = document.querySelector("#slideOver .overs-slide");
    var over = (state.rb || []).slice(-1)[0];
    var shown = (over ? over.b : []).map(function (ball) { return ball.u; });
    while (box.firstChild) { box.removeChild(box.firstChild); }
    shown.forEach(function (text) {
      var node = document.createElement("span");
      node.className = "over-ball";
      node.textContent = text;
      box.appendChild(node);
    });
  }
  function rate(state) {
    var innings = (state["in"] || []).slice(-1)[0];
    var parts = innings ? innings.d.split(/[\\/(]/) : [];
    return parts.length === 3 && parts[2] > 0 ? (parts[0] * state.bpo / parts[2]).toFixed(2) : "";
  }
  function render(state) {
    var codes = String(state.a || "").split(".");
    [state.j, state.k].forEach(function (score, place) {
      var spans = document.querySelectorAll('.team-content[data-code="' + codes[place] + '"] .runs span');
      put(spans[0], split(score)[0]);
      put(spans[1], split(score)[1]);
    });
    put(document.querySelector(".result-box span"), String(state.B || ""));
    put(document.querySelector(".team-run-rate .data"), rate(state));
    put(document.querySelector(".final-result.m-none"), state.ps === "E" ? String(state.B || "") : "");
    balls(state);
  }
  function poll() {
    fetch("/api/v3/getSV3?key=" + encodeURIComponent(key), { cache: "no-store" })
      .then(function (answer) { if (!answer.ok) { throw new Error(String(answer.status)); } return answer.json(); })
      .then(render)
      .catch(function () { return undefined; })
      .then(function () { window.setTimeout(poll, $milliseconds); });
  }
  poll();
}());
""".replace("$milliseconds", str(POLL_MILLISECONDS))

STATUS_WORDS = ("upcoming", "live", "finished")


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


def match_page(fixture: Fixture, board: MatchBoard, state: bytes) -> bytes:
    """`state` is the body of getSV3; the page carries it, and renders it once before its script takes over."""
    sv3 = msgspec.json.decode(state)
    last_over = sv3["rb"][-1]["b"] if sv3["rb"] else []
    balls = "".join(f'<span class="over-ball">{escape(ball["u"])}</span>' for ball in last_over)
    return MATCH.substitute(
        title=escape(_title(fixture)),
        teams="\n".join(_teams(fixture, sv3)),
        headline=escape(board.headline),
        rate=_rate(board),
        result=escape(board.headline if board.state == "E" else ""),
        balls=balls,
        series=escape(fixture.script.series),
        venue=escape(fixture.script.venue),
        state=_root_state(fixture, sv3),
        script=SCRIPT,
    ).encode()


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


def _teams(fixture: Fixture, sv3: dict[str, str]) -> Iterable[str]:
    for team, score in zip(fixture.script.teams, (sv3["j"], sv3["k"]), strict=True):
        runs, _, overs = score.rpartition("&")[2].partition("(")
        code = fixture.codes.teams[team.name]
        yield TEAM.substitute(code=code, short=escape(team.short), runs=escape(runs), overs=escape(overs))


def _rate(board: MatchBoard) -> str:
    innings = board.innings[-1] if board.innings else None
    if innings is None or not innings.legal_balls:
        return ""
    return f"{innings.runs * innings.balls_per_over / innings.legal_balls:.2f}"


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
