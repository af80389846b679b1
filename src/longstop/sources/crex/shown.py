"""What a page shows, and what it carried when it was loaded: together one live state, in the site's own notation.

The page shows only the latest innings of each team. Those before are in the carried state; they are over, so they do
not grow old. A page that carries no state must show every innings, and which of them came first.
"""

import re

import msgspec

from longstop.domain.cricket import PlayState
from longstop.domain.errors import MalformedPayloadError
from longstop.sources.crex import notation, shapes
from longstop.sources.crex.shown_innings import Score, begun, closed, is_next, rate_of, updated

_OVERS = re.compile(r"\d{1,4}(?:\.\d)?")
_OVER_FOR_NOW = frozenset({PlayState.INNINGS_BREAK, PlayState.ENDED})
_ALL_OUT = 10
# Of the words for a ball those that count no ball of the over.
_IS_NO_BALL = re.compile(r"wd|nb|wide|no", re.IGNORECASE)
# Balls an over, the most usual first.
_OVER_SIZES = (6, 5, 8, 4)
_NOT_BEGUN: Score = (0, 0, 0, 0)


class ShownTeam(msgspec.Struct, frozen=True):
    """`runs` as in `106/10`, `overs` as in `31.1`; both empty before the team has batted."""

    code: str
    runs: str
    overs: str

    def scores(self) -> list[Score]:
        """Of all innings that are shown; mostly that is one."""
        runs = self.runs.replace("-", "/").replace(" ", "")
        if not any(letter.isdecimal() for letter in runs):
            return []
        if "(" in runs:
            return notation.read_team_scores(runs)
        overs = _OVERS.search(self.overs)
        if overs is None:
            raise MalformedPayloadError(f"The page shows {runs[:20]!r}, but not in how many overs.")
        return notation.read_team_scores(f"{runs}({overs[0]}")


class ShownPage(msgspec.Struct, frozen=True):
    """`innings` is their number and `letter` the play state, where the markup tells them. None is not shown."""

    teams: tuple[ShownTeam, ShownTeam]
    words: str
    result: str = ""
    letter: str = ""
    innings: int | None = None
    rate: str | None = None
    announcement: str | None = None
    balls: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """A result goes before whatever the last ball was."""
        is_over = notation.read_play("", self.result) is PlayState.ENDED
        return self.result if is_over else self.words

    @property
    def play(self) -> PlayState:
        return notation.read_play(self.letter, self.headline)


def state_of(shown: ShownPage, carried: shapes.State | None) -> shapes.State:
    columns = [team.scores() for team in shown.teams]
    if carried is None:
        base = _state_alone(shown, columns)
    else:
        known = [notation.read_team_scores(text) for text in (carried.j, carried.k)]
        if _says_the_same(shown, columns, known, carried):
            return carried
        columns = _grown(shown, columns, known, carried)
        base = _without_moment(carried, _innings_after(carried, columns, shown))
    return msgspec.structs.replace(
        base,
        B=shown.headline,
        C=shown.announcement or "",
        j=_written(columns[0]),
        k=_written(columns[1]),
        ps=shown.letter,
    )


def _without_moment(carried: shapes.State, innings: tuple[shapes.Innings, ...] | None) -> shapes.State:
    """What stays true of a match for as long as a page is open."""
    return shapes.State(a=carried.a, fo=carried.fo, bpo=carried.bpo, ov=carried.ov, tt=carried.tt, innings=innings)


def _written(column: list[Score]) -> str:
    return "&".join(f"{runs}/{wickets}({overs}.{balls}" for runs, wickets, overs, balls in column)


def _says_the_same(
    shown: ShownPage, columns: list[list[Score]], known: list[list[Score]], carried: shapes.State
) -> bool:
    """Then the carried state is the one that is shown, clock and balls and all."""
    count = None if carried.innings is None else len(carried.innings)
    return (
        " ".join(str(carried.B).split()) == shown.headline
        and [column[-1:] or [_NOT_BEGUN] for column in columns] == [column[-1:] or [_NOT_BEGUN] for column in known]
        and shown.letter in ("", carried.ps)
        and (shown.innings is None or shown.innings == count)
        and shown.announcement in (None, " ".join(carried.C.split()))
        and (not shown.balls or not carried.rb or shown.balls == tuple(ball.u for ball in carried.rb[-1].b))
    )


def _grown(
    shown: ShownPage, columns: list[list[Score]], known: list[list[Score]], carried: shapes.State
) -> list[list[Score]]:
    """The one score of a team that is shown takes the place of its last that was known, or is its next."""
    count = None if carried.innings is None else len(carried.innings)
    may_begin = shown.innings is None or count is None or shown.innings > count
    return [_joined(before, now, carried.bpo, may_begin) for before, now in zip(known, columns, strict=True)]


def _joined(before: list[Score], now: list[Score], balls_per_over: int, may_begin: bool) -> list[Score]:
    if len(now) != 1 or not before:
        return now or before
    has_begun = may_begin and is_next(before[-1], now[0], balls_per_over)
    return [*before, *now] if has_begun else [*before[:-1], *now]


def _innings_after(
    carried: shapes.State, columns: list[list[Score]], shown: ShownPage
) -> tuple[shapes.Innings, ...] | None:
    if carried.innings is None:
        return None
    items = list(carried.innings)
    fresh: list[shapes.Innings] = []
    for team, column in zip(_batting_order(carried), _in_batting_order(carried, columns), strict=True):
        places = [place for place, item in enumerate(items) if item.c == team and not item.so]
        for place, score in zip(places, column, strict=False):
            items[place] = updated(items[place], score, carried.bpo)
        is_counted = shown.innings == len(items) + len(fresh) + 1 and (bool(items) or bool(carried.tt))
        fresh += [begun(team, score, carried.bpo) for score in column[len(places) :] if any(score) or is_counted]
    if len(fresh) > 1 and (items or not carried.tt):
        raise MalformedPayloadError(
            "The page has been open for more than an innings, and the order of those it shows is not known.",
            hint="Open the page anew.",
        )
    return _closed_but_last([*items, *fresh], shown.play)


def _batting_order(carried: shapes.State) -> tuple[str, str]:
    """By the toss. Where it is not told, the order is that of the teams, and nothing is made to hang on it."""
    first, second = notation.read_pair(carried.a)
    toss = notation.read_toss(carried.tt)
    is_turned = toss is not None and (toss.winner == first) != (toss.decision == "bat")
    return (second, first) if is_turned else (first, second)


def _in_batting_order(carried: shapes.State, columns: list[list[Score]]) -> list[list[Score]]:
    return columns if _batting_order(carried) == notation.read_pair(carried.a) else columns[::-1]


def _closed_but_last(items: list[shapes.Innings], play: PlayState) -> tuple[shapes.Innings, ...]:
    if not items:
        return ()
    is_over = play in _OVER_FOR_NOW or notation.read_total(items[-1].d)[1] == _ALL_OUT
    return (*map(closed, items[:-1]), closed(items[-1]) if is_over else items[-1])


def _state_alone(shown: ShownPage, columns: list[list[Score]]) -> shapes.State:
    """Of a page that carries nothing. One that does not count its innings is read like a capture of old."""
    first, second = shown.teams
    pairs = [(team.code, column[-1]) for team, column in zip(shown.teams, columns, strict=True) if column]
    size = _over_size(shown, pairs)
    innings = None if shown.innings is None else _innings_alone(shown, pairs, size)
    return shapes.State(a=f"{first.code}.{second.code}", bpo=size, innings=innings)


def _over_size(shown: ShownPage, pairs: list[tuple[str, Score]]) -> int:
    """By the run rate. At an over's end that is the same for every size; then the balls of that over are counted."""
    fitting = [size for size in _OVER_SIZES if _rated(pairs, size, shown.rate)]
    if not fitting:
        return _OVER_SIZES[0]
    is_between_overs = all(balls == 0 for _, (_, _, _, balls) in _rated(pairs, fitting[0], shown.rate))
    counted = sum(_IS_NO_BALL.search(ball) is None for ball in shown.balls)
    return counted if is_between_overs and counted in fitting else fitting[0]


def _innings_alone(shown: ShownPage, pairs: list[tuple[str, Score]], size: int) -> tuple[shapes.Innings, ...]:
    """An innings without a ball is known only when the other team has batted."""
    batted = [pair for pair in pairs if any(pair[1])]
    if shown.innings == 2 and len(batted) == 1:
        batted += [pair for pair in pairs if pair not in batted]
    elif shown.innings == 2 and shown.rate is not None:
        batted = _in_order(batted, size, shown.rate)
    if shown.innings != len(batted) and (batted or shown.innings != 1):
        raise MalformedPayloadError(
            f"The page shows {len(batted)} of {shown.innings} innings and carries no state with the others.",
            hint="This match can only be read on a rung above dom.",
        )
    return _closed_but_last([begun(code, score, size) for code, score in batted], shown.play)


def _in_order(batted: list[tuple[str, Score]], size: int, rate: str) -> list[tuple[str, Score]]:
    last = _rated(batted, size, rate)
    if len(batted) == 2 and len(last) != 1:
        raise MalformedPayloadError(
            "The page does not tell which of its two innings came first.", hint="The next ball may tell."
        )
    return [pair for pair in batted if pair not in last] + last


def _rated(pairs: list[tuple[str, Score]], size: int, rate: str | None) -> list[tuple[str, Score]]:
    """Those with the run rate that is shown, which is that of the innings under way."""
    return [pair for pair in pairs if rate is not None and rate_of(pair[1], size) == rate]
