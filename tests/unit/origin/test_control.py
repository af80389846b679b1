"""The origin's own doors: the truth, the counts, and the clock."""

from typing import Any

import msgspec
import pytest

from longstop_origin.control import control
from longstop_origin.faults import FaultPlan
from longstop_origin.site import Request, Site
from longstop_origin.world import World, WorldOptions
from tests.unit.origin import readings

EPOCH = 1_700_000_000.0


@pytest.fixture
def site() -> Site:
    return Site(World(WorldOptions(epoch=EPOCH, seed=1, matches=3, speed=20.0)), FaultPlan("storm", seed=1))


def ask(site: Site, path: str, now: float = EPOCH, method: str = "GET", **query: str) -> Any:
    reply = control(site, Request(method, f"/_origin/{path}", query), now)
    assert reply.headers["Content-Type"].startswith("application/json")
    decoded = msgspec.json.decode(reply.body)
    return decoded | {"status_code": reply.status} if isinstance(decoded, dict) else decoded


def test_the_matches_that_have_begun_are_listed(site: Site) -> None:
    items = ask(site, "matches")
    assert {item["status"] for item in items} == {"live"}
    assert {item["key"] for item in items} == {fixture.key for fixture in site.world.begun(EPOCH)}


def test_the_truth_of_one_match_or_of_all_can_be_asked(site: Site) -> None:
    key = site.world.listed(EPOCH)[0].key
    one = ask(site, "truth", key=key)
    every = ask(site, "truth")
    assert one["key"] == key
    assert len(one["balls"]) > 0
    assert next(match for match in every["matches"] if match["key"] == key)["balls"] == one["balls"]
    assert isinstance(ask(site, "truth", key=key, balls="0")["balls"], int)


def test_the_truth_of_nobody_is_not_found(site: Site) -> None:
    assert ask(site, "truth", key="NOPE")["status_code"] == 404


def test_freezing_holds_every_match_still(site: Site) -> None:
    assert ask(site, "freeze", EPOCH + 5, "POST") == {"at": EPOCH + 5, "is_frozen": True, "status_code": 200}
    early, late = (ask(site, "truth", now, balls="0")["matches"] for now in (EPOCH + 6, EPOCH + 60))
    assert early == late
    assert ask(site, "unfreeze", EPOCH + 60, "POST")["is_frozen"] is False
    assert ask(site, "truth", EPOCH + 90, balls="0")["matches"] != late


def test_the_clock_is_not_stopped_by_reading(site: Site) -> None:
    assert ask(site, "freeze")["status_code"] == 404
    assert site.world.is_frozen is False


def test_the_counts_name_requests_and_faults(site: Site) -> None:
    for step in range(200):
        readings.get(site, "/fixture/getFixture", EPOCH + step)
    stats = ask(site, "stats")
    assert sum(stats["requests"].values()) == 200
    assert stats["requests"]["/fixture/getFixture 200"] > 100
    assert sum(stats["faults"].values()) > 10


def post_guards(site: Site, body: bytes) -> Any:
    return msgspec.json.decode(control(site, Request("POST", "/_origin/guards", {}, {}, body), EPOCH).body)


def test_guards_are_shown_changed_and_dropped(site: Site) -> None:
    assert ask(site, "guards") == {"status_code": 200}
    assert post_guards(site, b'{"token":30,"page-only":true}') == {"token": 30, "page-only": True}
    assert post_guards(site, b'{"page-only":false,"refuse-every":40}') == {"token": 30, "refuse-every": 40}
    assert ask(site, "guards") == {"token": 30, "refuse-every": 40, "status_code": 200}
    assert ask(site, "guards", method="DELETE") == {"status_code": 200}
    assert ask(site, "guards") == {"status_code": 200}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"tokens":1}', b'{"token":"x"}', b'{"token":[1]}'])
def test_guards_that_are_none_change_nothing(site: Site, body: bytes) -> None:
    post_guards(site, b'{"token":30}')
    assert "error" in post_guards(site, body)
    assert ask(site, "guards") == {"token": 30, "status_code": 200}


def test_an_unknown_door_is_not_found(site: Site) -> None:
    assert ask(site, "cellar")["status_code"] == 404
