"""The origin's own doors, beside those of the site: what is true, what was asked, and the clock held still."""

from collections.abc import Callable

import msgspec

from longstop_origin import wire
from longstop_origin.fixture import Fixture
from longstop_origin.guards import GuardError, Guards
from longstop_origin.judging import Account, judge
from longstop_origin.oracle import STATUS_WORDS, Counts, truth_of
from longstop_origin.site import Reply, Request, Site

PREFIX = "/_origin/"


def control(site: Site, request: Request, now: float) -> Reply:
    """Answers a request below /_origin/. It never fails on purpose."""
    doors: dict[tuple[str, str], Callable[[Site, Request, float], Reply]] = {
        ("GET", "matches"): _matches,
        ("GET", "truth"): _truth,
        ("GET", "stats"): _stats,
        ("POST", "compare"): _compare,
        ("POST", "freeze"): _freeze,
        ("POST", "unfreeze"): _unfreeze,
        ("GET", "guards"): _guards,
        ("POST", "guards"): _change_guards,
        ("DELETE", "guards"): _drop_guards,
    }
    door = doors.get((request.method, request.path.removeprefix(PREFIX)))
    return _json(404, {"error": "no such door"}) if door is None else door(site, request, now)


def _matches(site: Site, _request: Request, now: float) -> Reply:
    return _json(200, [_match_item(fixture, site.world.time(now)) for fixture in site.world.begun(now)])


def _match_item(fixture: Fixture, at: float) -> dict[str, object]:
    return {
        "key": fixture.key,
        "slug": fixture.slug,
        "format": fixture.script.format,
        "status": STATUS_WORDS[fixture.status(at)],
        "starts_at": fixture.starts_at,
        "ends_at": fixture.ends_at,
    }


def _truth(site: Site, request: Request, now: float) -> Reply:
    """One match with `key`, else all; without the balls when `balls=0`."""
    at, with_balls = site.world.time(now), request.query.get("balls") != "0"
    key = request.query.get("key")
    if key is None:
        truths = (truth_of(fixture, at).to_dict(with_balls=with_balls) for fixture in site.world.begun(now))
        return _json(200, {"at": at, "matches": list(truths)})
    fixture = site.world.fixture(key, now)
    if fixture is None:
        return _json(404, {"error": "match not found"})
    return _json(200, truth_of(fixture, at).to_dict(with_balls=with_balls))


def _compare(site: Site, request: Request, now: float) -> Reply:
    """What was kept, by match key, against the truth now. A match that was not handed in is lost whole."""
    try:
        kept = msgspec.json.decode(request.body, type=dict[str, Account])
    except msgspec.DecodeError as error:
        return _json(400, {"error": f"that is no account: {error}"})
    at = site.world.time(now)
    verdicts = {fixture.key: judge(fixture, at, kept.get(fixture.key, Account())) for fixture in site.world.begun(now)}
    total = sum((verdict.counts for verdict in verdicts.values()), Counts())
    strangers = sorted(set(kept) - set(verdicts))
    return _json(200, {"at": at, "total": total.to_dict(), "matches": verdicts, "strangers": strangers})


def _stats(site: Site, _request: Request, now: float) -> Reply:
    return _json(
        200,
        {
            "at": site.world.time(now),
            "speed": site.world.options.speed,
            "is_frozen": site.world.is_frozen,
            "requests": dict(site.requests),
            "bytes_sent": site.bytes_sent,
            "faults": dict(site.faults),
            "refused": dict(site.gate.refused),
            "page_loads": site.gate.page_loads,
            "token_grants": site.gate.token_grants,
            "user_agents": dict(site.gate.user_agents),
        },
    )


def _freeze(site: Site, _request: Request, now: float) -> Reply:
    site.world.freeze(now)
    return _json(200, {"at": site.world.time(now), "is_frozen": True})


def _unfreeze(site: Site, _request: Request, now: float) -> Reply:
    site.world.unfreeze(now)
    return _json(200, {"at": site.world.time(now), "is_frozen": False})


def _guards(site: Site, _request: Request, _now: float) -> Reply:
    return _json(200, site.gate.guards.shown())


def _change_guards(site: Site, request: Request, now: float) -> Reply:
    """The guards named in the body become what it says, the others stay; null or false takes one away."""
    try:
        site.gate.guards = site.gate.guards.changed(msgspec.json.decode(request.body, type=dict[str, object]))
    except msgspec.DecodeError as error:
        return _json(400, {"error": f'a JSON object is wanted, as {{"token": 30}}: {error}'})
    except GuardError as error:
        return _json(400, {"error": str(error)})
    return _guards(site, request, now)


def _drop_guards(site: Site, request: Request, now: float) -> Reply:
    site.gate.guards = Guards()
    return _guards(site, request, now)


def _json(status: int, content: object) -> Reply:
    return Reply(status, wire.encode(content), headers={"Content-Type": "application/json; charset=utf-8"})
