"""The football site's own doors: what is true, who called, what goes wrong from now on."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from longstop_origin.exchange import Reply, Request
from longstop_origin.football.fixture import CANCELLED, POSTPONED, Fixture
from longstop_origin.football.guards import FootballGuards
from longstop_origin.football.oracle import KeptLineUps, judged, truth_of
from longstop_origin.football.site import FootballSite
from longstop_origin.football.standing import standing
from longstop_origin.football.wire import encode
from longstop_origin.guards import GuardError

PREFIX = "/_origin/"
BAN_SECONDS = 900.0


class DoorError(ValueError):
    """What was asked of a door makes no sense; its text is one sentence."""


class Ban(Struct, frozen=True, forbid_unknown_fields=True):
    """Of these addresses, or of a share of those who have come so far."""

    addresses: tuple[str, ...] = ()
    share: float | None = None
    seconds: float = BAN_SECONDS


class Move(Struct, frozen=True, forbid_unknown_fields=True):
    """By so many minutes, or to a moment."""

    key: str
    minutes: float | None = None
    kickoff: float | None = None


class Named(Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    fate: str = POSTPONED


def control(site: FootballSite, request: Request, now: float) -> Reply:
    """Answers a request below /_origin/. It never fails on purpose."""
    door = _DOORS.get((request.method, request.path.removeprefix(PREFIX)))
    if door is None:
        known = ", ".join(sorted({f"{method} {name}" for method, name in _DOORS}))
        return _json(404, {"error": f"no such door. There are {known}."})
    try:
        return _json(200, door(site, request, now))
    except (DoorError, GuardError, msgspec.DecodeError) as error:
        return _json(400, {"error": str(error)})


def _matches(site: FootballSite, _request: Request, now: float) -> object:
    return [
        {
            "key": str(fixture.id),
            "page": fixture.story.page,
            "kickoff": fixture.kickoff(now),
            "phase": standing(fixture, now).phase,
            "shown": fixture.lineup_kind(now),
        }
        for fixture in site.world.fixtures
    ]


def _truth(site: FootballSite, request: Request, now: float) -> object:
    """One match with `key`, else all."""
    key = request.query.get("key")
    if key is not None:
        return truth_of(_fixture(site, key), now)
    return {"at": now, "matches": [truth_of(fixture, now) for fixture in site.world.fixtures]}


def _compare(site: FootballSite, request: Request, now: float) -> object:
    kept = msgspec.json.decode(request.body, type=list[KeptLineUps])
    return {"at": now, **msgspec.to_builtins(judged(site.world, kept, now))}


def _stats(site: FootballSite, _request: Request, now: float) -> object:
    callers = site.gate.callers
    return {
        "at": now,
        "requests": callers.numbered,
        "bytes_sent": site.bytes_sent,
        "addresses": {address: msgspec.to_builtins(caller) for address, caller in callers.known.items()},
        "sessions": dict(callers.sessions),
    }


def _requests(site: FootballSite, request: Request, _now: float) -> object:
    """The journal after number `since`."""
    since = request.query.get("since", "0")
    if not since.isdecimal():
        raise DoorError("since is the number of a request")
    return [msgspec.to_builtins(entry) for entry in site.gate.callers.journal if entry.number > int(since)]


def _guards(site: FootballSite, _request: Request, _now: float) -> object:
    return site.gate.guards.shown()


def _change_guards(site: FootballSite, request: Request, now: float) -> object:
    """Those named in the body become what it says, the others stay; null or false takes one away."""
    site.gate.guards = site.gate.guards.changed(msgspec.json.decode(request.body, type=dict[str, Any]))
    return _guards(site, request, now)


def _drop_guards(site: FootballSite, request: Request, now: float) -> object:
    site.gate.guards = FootballGuards()
    return _guards(site, request, now)


def _ban(site: FootballSite, request: Request, now: float) -> object:
    wanted = msgspec.json.decode(request.body, type=Ban)
    callers = site.gate.callers
    addresses = list(wanted.addresses)
    if wanted.share is not None:
        addresses += callers.share_of(callers.known, wanted.share, str(site.world.options.seed))
    callers.ban(addresses, now + wanted.seconds)
    return {"banned": addresses, "until": now + wanted.seconds}


def _unban(site: FootballSite, _request: Request, now: float) -> object:
    site.gate.callers.ban(list(site.gate.callers.known), 0.0)
    return {"banned": [], "until": now}


def _move(site: FootballSite, request: Request, now: float) -> object:
    wanted = msgspec.json.decode(request.body, type=Move)
    fixture = _fixture(site, wanted.key)
    if (wanted.minutes is None) == (wanted.kickoff is None):
        raise DoorError("give minutes, or a kickoff")
    kickoff = wanted.kickoff if wanted.kickoff is not None else fixture.kickoff(now) + 60 * (wanted.minutes or 0)
    return _told(fixture, lambda: fixture.move(kickoff, now), now)


def _publish(site: FootballSite, request: Request, now: float) -> object:
    fixture = _fixture(site, msgspec.json.decode(request.body, type=Named).key)
    return _told(fixture, lambda: fixture.publish(now), now)


def _call_off(site: FootballSite, request: Request, now: float) -> object:
    wanted = msgspec.json.decode(request.body, type=Named)
    if wanted.fate not in (POSTPONED, CANCELLED):
        raise DoorError(f"fate is {POSTPONED} or {CANCELLED}")
    fixture = _fixture(site, wanted.key)
    return _told(fixture, lambda: fixture.call_off(wanted.fate, now), now)


def _told(fixture: Fixture, change: Callable[[], None], now: float) -> object:
    try:
        change()
    except ValueError as error:
        raise DoorError(str(error)) from error
    return truth_of(fixture, now)


def _fixture(site: FootballSite, key: str) -> Fixture:
    fixture = site.world.fixture(key)
    if fixture is None:
        raise DoorError(f"there is no match {key[:20]}")
    return fixture


def _json(status: int, content: object) -> Reply:
    return Reply(status, encode(content))


Door = Callable[[FootballSite, Request, float], object]
_DOORS: dict[tuple[str, str], Door] = {
    ("GET", "matches"): _matches,
    ("GET", "truth"): _truth,
    ("POST", "compare"): _compare,
    ("GET", "stats"): _stats,
    ("GET", "requests"): _requests,
    ("GET", "guards"): _guards,
    ("POST", "guards"): _change_guards,
    ("DELETE", "guards"): _drop_guards,
    ("POST", "ban"): _ban,
    ("DELETE", "ban"): _unban,
    ("POST", "move"): _move,
    ("POST", "publish"): _publish,
    ("POST", "call-off"): _call_off,
}
