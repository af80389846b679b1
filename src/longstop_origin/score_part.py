"""The part of a match page that shows the score, under the class names of today, of another day, or of nobody."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from html import escape
from string import Template
from typing import Any

from longstop_origin.board import MatchBoard
from longstop_origin.fixture import Fixture

# The names of the page by what they show. `part` and `overs` are ids.
PLAIN = {
    "part": "score-part",
    "card": "live-score-card",
    "team": "team-content",
    "name": "team-name",
    "runs": "runs",
    "headline": "result-box",
    "rate": "team-run-rate",
    "rate_title": "title",
    "rate_data": "data",
    "result": "final-result m-none",
    "announcement": "announcement",
    "crease": "at-crease",
    "batter": "batsmen-info",
    "batter_name": "batsmen-name",
    "batter_figures": "batsmen-score",
    "strike": "batsmen-strike",
    "bowler": "bowler-info",
    "bowler_name": "bowler-name",
    "bowler_figures": "bowler-score",
    "overs": "slideOver",
    "over": "overs-slide",
    "label": "over-label",
    "ball": "over-ball",
}
SHIFTED = {
    "part": "scorePart",
    "card": "score-card",
    "team": "score-team",
    "name": "score-team-name",
    "runs": "score-figures",
    "headline": "score-headline",
    "rate": "score-rate",
    "rate_title": "score-rate-title",
    "rate_data": "score-rate-data",
    "result": "score-result",
    "announcement": "score-announcement",
    "crease": "score-crease",
    "batter": "score-batter",
    "batter_name": "score-batter-name",
    "batter_figures": "score-batter-figures",
    "strike": "score-strike",
    "bowler": "score-bowler",
    "bowler_name": "score-bowler-name",
    "bowler_figures": "score-bowler-figures",
    "overs": "recentOvers",
    "over": "recent-over",
    "label": "recent-over-label",
    "ball": "recent-ball",
}

PART = Template("""<div id="$part"$marks>
<div class="$card">
$teams
<div class="$headline"><span>$said</span></div>
<div class="$rate"><span class="$rate_title">CRR</span><span class="$rate_data">$figure</span></div>
<div class="$result">$outcome</div>
<div class="$announcement">$announced</div>
<div class="$crease">$players</div>
</div>
<div id="$overs">$slides</div>
</div>""")

TEAM = Template(
    '<div class="$team"$mark><div class="$name">$short</div>'
    '<div class="$runs"><span>$score</span> <span>$bowled</span></div></div>'
)

BATTER = Template(
    '<div class="$batter"$mark><span class="$batter_name">$who</span><span class="$strike">$star</span>'
    '<span class="$batter_figures">$made ($faced)</span></div>'
)

BOWLER = Template(
    '<div class="$bowler"$mark><span class="$bowler_name">$who</span>'
    '<span class="$bowler_figures">$taken-$conceded ($sent)</span></div>'
)

SLIDE = Template('<div class="$over"$mark><span class="$label">Over $number</span>$balls</div>')


def score_part(fixture: Fixture, board: MatchBoard, sv3: Mapping[str, Any], dom: str) -> str:
    """`dom` is plain, shifted or alien; the last has no mark that anybody could know."""
    names = names_of(dom, fixture.key)
    innings, state = str(len(board.innings)), board.state
    return PART.substitute(
        names,
        marks=_marks(dom, innings=innings, state=state),
        teams="\n".join(_teams(fixture, sv3, names, dom)),
        said=escape(board.headline),
        figure=_rate(board),
        outcome=escape(board.headline if board.state == "E" else ""),
        announced=escape(board.announcement),
        players="".join(_players(fixture, sv3, names, dom)),
        slides="".join(_slides(sv3["rb"], names, dom)),
    )


def names_of(dom: str, key: str) -> Mapping[str, str]:
    if dom == "alien":
        return {name: "x" + blake2b(f"{key}:{name}".encode(), digest_size=4).hexdigest() for name in PLAIN}
    return SHIFTED if dom == "shifted" else PLAIN


def _marks(dom: str, **marks: str) -> str:
    if dom == "alien":
        return ""
    return "".join(f' data-{name}="{escape(text)}"' for name, text in marks.items())


def _teams(fixture: Fixture, sv3: Mapping[str, Any], names: Mapping[str, str], dom: str) -> Iterator[str]:
    for team, score in zip(fixture.script.teams, (sv3["j"], sv3["k"]), strict=True):
        runs, _, overs = score.rpartition("&")[2].partition("(")
        mark = _marks(dom, code=fixture.codes.teams[team.name])
        yield TEAM.substitute(names, mark=mark, short=escape(team.short), score=escape(runs), bowled=escape(overs))


def _players(fixture: Fixture, sv3: Mapping[str, Any], names: Mapping[str, str], dom: str) -> Iterator[str]:
    """Who bats and who bowls, with their figures."""
    known = {code: name for name, code in fixture.codes.players.items()}
    for figures in filter(None, (sv3["p1"], sv3["p2"])):
        code, runs, balls, *_ = figures.rstrip("*").split(".")
        yield BATTER.substitute(
            names,
            mark=_marks(dom, code=code),
            who=escape(known[code]),
            star="*" if figures.endswith("*") else "",
            made=runs,
            faced=balls,
        )
    if sv3["bw"]:
        code, runs, balls, _, wickets = sv3["bw"].split(".")
        sent = "{}.{}".format(*divmod(int(balls), sv3["bpo"]))
        mark, who = _marks(dom, code=code), escape(known[code])
        yield BOWLER.substitute(names, mark=mark, who=who, taken=wickets, conceded=runs, sent=sent)


def _slides(overs: Iterable[Mapping[str, Any]], names: Mapping[str, str], dom: str) -> Iterator[str]:
    """The over under way first, then those before it."""
    for over in list(overs)[::-1]:
        balls = "".join(f'<span class="{names["ball"]}">{escape(ball["u"])}</span>' for ball in over["b"])
        yield SLIDE.substitute(names, mark=_marks(dom, over=str(over["o"])), number=over["o"] + 1, balls=balls)


def _rate(board: MatchBoard) -> str:
    innings = board.innings[-1] if board.innings else None
    if innings is None or not innings.legal_balls:
        return ""
    return f"{innings.runs * innings.balls_per_over / innings.legal_balls:.2f}"
