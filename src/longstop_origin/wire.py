"""The bodies of the JSON calls, as docs/sources/crex.md draws them."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from longstop_origin.board import InningsBoard, MatchBoard, Shown, ball_text
from longstop_origin.fixture import Fixture, MatchCodes
from longstop_origin.script import Delivery, Outcome, Replacement, Wicket

RECENT_OVERS = 4
OVERS_A_FEED = 10
NO_SCORE = "0/0(0.0"
EXTRA_CODES = (("wd", "wides"), ("nb", "noballs"), ("b", "byes"), ("lb", "legbyes"), ("pn", "penalty"))
HOW_OUT = {
    "caught": "c {} b",
    "stumped": "st {} b",
    "bowled": "b",
    "caught and bowled": "c & b",
    "lbw": "lbw b",
    "hit wicket": "hit wicket b",
}

encode = msgspec.json.Encoder().encode
Item = dict[str, Any]


def list_item(fixture: Fixture, at: float) -> Item:
    script, teams = fixture.script, fixture.codes.teams
    return {
        "key": fixture.key,
        "slug": fixture.slug,
        "t1": teams[script.teams[0].name],
        "t2": teams[script.teams[1].name],
        "s": fixture.codes.series,
        "fo": script.format,
        "mn": script.match_name,
        "v": script.venue,
        "ti": int(fixture.starts_at * 1000),
        "st": fixture.status(at),
    }


def live_state(fixture: Fixture, board: MatchBoard, world_begins: float) -> bytes:
    """The body of getSV3. Equal states have equal bytes: its clock is that of the last change."""
    version, body = board.bodies.get("state", (0, b""))
    if version != board.version:
        body = encode(state_item(fixture, board, world_begins))
        board.bodies["state"] = (board.version, body)
    return body


def state_item(fixture: Fixture, board: MatchBoard, world_begins: float) -> Item:
    script, codes = fixture.script, fixture.codes
    begun = board.changed_seconds
    state: Item = {
        "a": ".".join(codes.teams[team.name] for team in script.teams),
        "B": board.headline,
        "C": board.announcement,
        "fo": script.format,
        "ts": int(world_begins * 1000) if begun is None else fixture.milliseconds(begun),
        "sq": board.version,
        "ps": board.state,
        "bpo": script.balls_per_over,
        "ov": script.overs_limit,
        "in": [innings_item(innings, codes) for innings in board.innings],
    }
    state["j"], state["k"] = (team_score(board.innings, team.name) for team in script.teams)
    if script.toss is not None:
        state["tt"] = f"{codes.teams[script.toss.winner]}.{script.toss.decision}"
    if board.state == "E" and script.outcome.is_known:
        state["rs"] = result_item(script.outcome, codes)
    return state | _play(fixture, board)


def _play(fixture: Fixture, board: MatchBoard) -> Item:
    """Who is at it and what the last overs were, of the innings under way."""
    if not board.innings:
        return {"A": "", "l": "", "n": "", "m": "", "i": "", "g": "", "rb": [], "p1": "", "p2": "", "bw": ""}
    innings, codes = board.innings[-1], fixture.codes.players
    recent = innings.recent_overs(RECENT_OVERS)
    current = _over_text(recent.pop()[1]) if recent and not innings.is_over_complete else ""
    older = [f"{over + 1}:{_over_text(balls)}" for over, balls in recent[::-1]] + ["", "", ""]
    batters, bowler = _batters(innings, codes), _bowler(innings, codes)
    return {
        "A": current,
        "l": older[0],
        "n": older[1],
        "m": older[2],
        "i": ".".join(f"{each.split('.')[1]}/{each.split('.')[2]}" for each in batters if each),
        "g": ".".join(codes[name] for name in list(innings.bowling)[-2:]),
        "rb": [over_item(over, balls, fixture) for over, balls in innings.recent_overs(RECENT_OVERS)],
        "p1": batters[0],
        "p2": batters[1],
        "bw": bowler,
    }


def ball_feed(fixture: Fixture, board: MatchBoard, number: int, first: int, last: int) -> bytes:
    """The body of getBallFeeds: at most ten overs of an innings, counted from 1."""
    innings = board.innings[number - 1]
    last = min(last, first + OVERS_A_FEED - 1)
    overs = sorted(over for over in innings.overs if first <= over <= last)
    feed = {
        "key": fixture.key,
        "inning": number,
        "from": first,
        "to": last,
        "last": max(innings.overs, default=-1),
        "sq": board.version,
        "ts": fixture.milliseconds(board.changed_seconds or 0.0),
        "rb": [over_item(over, innings.overs[over], fixture) for over in overs],
    }
    return encode(feed)


def scorecard(fixture: Fixture, board: MatchBoard) -> bytes:
    """The body of getSC4."""
    return encode([_card(innings, fixture.codes) for innings in board.innings])


def _card(innings: InningsBoard, codes: MatchCodes) -> Item:
    players = codes.players
    batting = [
        f"{players[name]}.{'.'.join(map(str, figures))}/{_how_out(innings, name, players)}"
        for name, figures in innings.batting.items()
    ]
    bowling = [f"{players[name]}.{'.'.join(map(str, figures))}" for name, figures in innings.bowling.items()]
    return innings_item(innings, codes) | {"st": int(not innings.is_closed), "b": batting, "a": bowling}


def _how_out(innings: InningsBoard, name: str, players: Any) -> str:
    if name not in innings.out:
        return ""
    wicket, bowler = innings.out[name]
    fielders = "/".join(players[each] for each in wicket.fielders)
    if wicket.kind in HOW_OUT:
        return f"{HOW_OUT[wicket.kind].format(fielders)} {players[bowler]}".replace("  ", " ")
    return f"{wicket.kind} ({fielders})" if fielders else wicket.kind


def innings_item(board: InningsBoard, codes: MatchCodes) -> Item:
    innings = board.innings
    return {
        "c": codes.teams[innings.team],
        "d": f"{board.runs}/{board.wickets}({board.legal_balls}",
        "ov": board.overs_text,
        "x": f"wd{board.wides}.nb{board.noballs}.b{board.byes}.lb{board.legbyes}.pn{board.penalty}",
        "so": int(innings.super_over),
        "z": _innings_state(board),
        "pp": innings.penalty_pre,
        "pq": innings.penalty_post if board.is_closed else 0,
        "ab": [codes.players[name] for name in innings.absent_hurt] if board.is_closed else [],
        "tg": innings.target_runs,
        "to": innings.target_overs,
    }


def _innings_state(board: InningsBoard) -> str:
    if board.innings.forfeited:
        return "forfeited"
    if not board.is_closed:
        return "live"
    return "declared" if board.innings.declared else "closed"


def team_score(boards: Sequence[InningsBoard], team: str) -> str:
    """A team's scores, super overs left out: "234/10(80.1&50/2(10.0"."""
    own = [each for each in boards if each.innings.team == team and not each.innings.super_over]
    return "&".join(f"{each.runs}/{each.wickets}({each.overs_text}" for each in own) or NO_SCORE


def over_item(over: int, balls: Iterable[Shown], fixture: Fixture) -> Item:
    return {"o": over, "b": [_encoded(shown, fixture) for shown in balls]}


def _encoded(shown: Shown, fixture: Fixture) -> msgspec.Raw:
    """A board belongs to one match, so one encoding is enough."""
    if shown.encoded is None:
        shown.encoded = msgspec.Raw(encode(ball_item(shown, fixture)))
    return shown.encoded


def ball_item(shown: Shown, fixture: Fixture) -> Item:
    delivery, codes = shown.delivery, fixture.codes
    item: Item = {
        "u": ball_text(delivery),
        "p": codes.players[delivery.batter],
        "np": codes.players[delivery.non_striker],
        "bf": codes.players[delivery.bowler],
        "r": delivery.runs_batter,
        "ts": fixture.milliseconds(shown.at_seconds),
    }
    if delivery.extras.total:
        item["e"] = extras_text(delivery)
    if delivery.wickets:
        item["w"] = [_wicket_item(wicket, codes) for wicket in delivery.wickets]
    if delivery.replacements:
        item["x"] = [_replacement_item(each, codes) for each in delivery.replacements]
    if delivery.non_boundary:
        item["nbd"] = 1
    return item


def extras_text(delivery: Delivery) -> str:
    counts = ((code, getattr(delivery.extras, kind)) for code, kind in EXTRA_CODES)
    return ".".join(f"{code}{runs}" for code, runs in counts if runs)


def _wicket_item(wicket: Wicket, codes: MatchCodes) -> Item:
    item: Item = {"p": codes.players[wicket.player], "k": wicket.kind}
    if wicket.fielders:
        item["f"] = [codes.players[name] for name in wicket.fielders]
    return item


def _replacement_item(replacement: Replacement, codes: MatchCodes) -> Item:
    out, team = replacement.player_out, replacement.team
    fields = {
        "t": replacement.scope,
        "in": codes.players[replacement.player_in],
        "out": None if out is None else codes.players[out],
        "tm": None if team is None else codes.teams[team],
        "y": replacement.reason,
        "ro": replacement.role,
    }
    return {name: value for name, value in fields.items() if value}


def result_item(outcome: Outcome, codes: MatchCodes) -> Item:
    def team(name: str | None) -> str | None:
        return None if name is None else codes.teams[name]

    fields = {
        "w": team(outcome.winner),
        "by": outcome.by,
        "m": outcome.method,
        "res": outcome.result,
        "el": team(outcome.eliminator),
        "bo": team(outcome.bowl_out),
    }
    return {name: value for name, value in fields.items() if value}


def _over_text(balls: Iterable[Shown]) -> str:
    return ".".join(ball_text(shown.delivery) for shown in balls)


def _batters(innings: InningsBoard, codes: Any) -> tuple[str, str]:
    """Who bats, with a star on strike; whoever is just out leaves his place empty."""
    last = innings.last
    if last is None:
        return "", ""
    gone = {wicket.player for wicket in last.wickets}
    striker = last.batter
    if _swaps(last) != innings.is_over_complete:
        striker = last.non_striker
    first, second = (
        "" if name in gone else _batter_text(innings, name, codes, name == striker)
        for name in (last.batter, last.non_striker)
    )
    return first, second


def _swaps(delivery: Delivery) -> bool:
    extras = delivery.extras
    ran = delivery.runs_batter + extras.byes + extras.legbyes + max(extras.wides - 1, 0)
    return ran % 2 == 1


def _batter_text(innings: InningsBoard, name: str, codes: Any, is_on_strike: bool) -> str:
    return f"{codes[name]}.{'.'.join(map(str, innings.batting[name]))}{'*' if is_on_strike else ''}"


def _bowler(innings: InningsBoard, codes: Any) -> str:
    last = innings.last
    return "" if last is None else f"{codes[last.bowler]}.{'.'.join(map(str, innings.bowling[last.bowler]))}"
