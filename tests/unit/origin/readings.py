"""What the site says, read back from its bodies: the wire format as a reader sees it, apart from how it is written."""

import re
from typing import Any

import msgspec

from longstop_origin.fixture import Fixture
from longstop_origin.site import Reply, Request, Site

EXTRA_NAMES = {"wd": "wides", "nb": "noballs", "b": "byes", "lb": "legbyes", "pn": "penalty"}


def get(site: Site, path: str, now: float, **query: object) -> Reply:
    return site.respond(Request("GET", path, {name: str(value) for name, value in query.items()}), now)


def state(site: Site, fixture: Fixture, now: float) -> dict[str, Any]:
    reply = get(site, "/api/v3/getSV3", now, key=fixture.key)
    assert reply.status == 200, reply
    return dict(msgspec.json.decode(reply.body))


def extras_of(text: str) -> dict[str, int]:
    parts = re.findall(r"([a-z]+)(\d+)", text)
    return {EXTRA_NAMES[code]: int(runs) for code, runs in parts}


def innings_totals(item: dict[str, Any]) -> dict[str, Any]:
    runs, wickets, balls = re.split(r"[/(]", item["d"])
    return {
        "team": item["c"],
        "runs": int(runs),
        "wickets": int(wickets),
        "legal_balls": int(balls),
        "extras": extras_of(item["x"]),
        "super_over": bool(item["so"]),
    }


def feed(site: Site, fixture: Fixture, inning: int, now: float) -> list[dict[str, Any]]:
    """All overs of an innings, asked for ten at a time."""
    overs: list[dict[str, Any]] = []
    first, last = 0, 0
    while first <= last:
        reply = get(
            site, "/commentary/getBallFeeds", now, key=fixture.key, inning=inning, **{"from": first, "to": first + 9}
        )
        assert reply.status == 200, reply
        body = msgspec.json.decode(reply.body)
        overs += body["rb"]
        last = body["last"]
        first += 10
    return overs


def canonical(inning: int, over: int, index: int, ball: dict[str, Any]) -> dict[str, Any]:
    """A ball of the wire as the oracle writes it."""
    extras = dict.fromkeys(EXTRA_NAMES.values(), 0) | extras_of(ball.get("e", ""))
    wickets = [{"player": each["p"], "kind": each["k"], "fielders": each.get("f", [])} for each in ball.get("w", [])]
    return {
        "innings": inning,
        "over": over,
        "position": index + 1,
        "batter": ball["p"],
        "non_striker": ball["np"],
        "bowler": ball["bf"],
        "runs_batter": ball["r"],
        "wickets": wickets,
        "replacements": [_replacement(each) for each in ball.get("x", [])],
        "non_boundary": bool(ball.get("nbd")),
    } | extras


def _replacement(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": item["t"],
        "in": item["in"],
        "out": item.get("out"),
        "team": item.get("tm"),
        "reason": item.get("y", ""),
        "role": item.get("ro"),
    }


def all_balls(site: Site, fixture: Fixture, now: float) -> list[dict[str, Any]]:
    """Every ball of the match as the feeds tell it."""
    return [
        canonical(inning, each["o"], index, ball)
        for inning in range(1, len(state(site, fixture, now)["in"]) + 1)
        for each in feed(site, fixture, inning, now)
        for index, ball in enumerate(each["b"])
    ]
