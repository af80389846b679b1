"""What the site says at any moment agrees with itself, with its feeds and with the oracle."""

from random import Random
from typing import Any

import msgspec
import pytest

from longstop_origin.fixture import Fixture
from longstop_origin.oracle import compare, truth_of
from longstop_origin.pages import match_path
from longstop_origin.site import Request, Site
from longstop_origin.world import World, WorldOptions
from tests.unit.origin import readings
from tests.unit.origin.documents import BLUES, REDS, delivery, document, innings, over
from tests.unit.origin.test_cricsheet_odd import read

EPOCH = 1_700_000_000.0


def a_site(corrections: str = "storm", matches: int = 10) -> Site:
    return Site(World(WorldOptions(epoch=EPOCH, seed=9, matches=matches, speed=40.0, corrections=corrections)))


@pytest.fixture(scope="module")
def site() -> Site:
    return a_site()


def moments(count: int) -> list[float]:
    rng = Random(3)
    return sorted(EPOCH + rng.uniform(0, 600) for _ in range(count))


def test_the_scoreboard_is_the_sum_of_the_balls(site: Site) -> None:
    for now in moments(4):
        for fixture in site.world.listed(now):
            shown = readings.state(site, fixture, now)
            balls = readings.all_balls(site, fixture, now)
            for number, item in enumerate(shown["in"], 1):
                own = [ball for ball in balls if ball["innings"] == number]
                total = readings.innings_totals(item)
                assert total["runs"] == sum(map(_runs, own)) + item["pp"] + item["pq"]
                assert total["legal_balls"] == sum(not (ball["wides"] or ball["noballs"]) for ball in own)
                assert total["wickets"] == sum(_wickets(ball) for ball in own)
                assert total["extras"]["wides"] == sum(ball["wides"] for ball in own)


def _runs(ball: dict[str, Any]) -> int:
    return sum(int(ball[kind]) for kind in ("runs_batter", "wides", "noballs", "byes", "legbyes", "penalty"))


def _wickets(ball: dict[str, Any]) -> int:
    return sum(each["kind"] not in ("retired hurt", "retired not out") for each in ball["wickets"])


def test_the_site_and_the_oracle_agree_at_any_moment(site: Site) -> None:
    for now in moments(6):
        for fixture in site.world.listed(now):
            truth = truth_of(fixture, now)
            shown = readings.state(site, fixture, now)
            expected = [
                (each.runs, each.wickets, each.legal_balls, each.overs, each.extras, each.super_over)
                for each in truth.innings
            ]
            told = [
                (*(readings.innings_totals(item)[name] for name in ("runs", "wickets", "legal_balls")), item["ov"],
                 readings.extras_of(item["x"]), bool(item["so"]))
                for item in shown["in"]
            ]  # fmt: skip
            assert told == expected
            assert compare(truth.balls, readings.all_balls(site, fixture, now)).is_clean


def test_recent_overs_are_the_last_of_the_feed(site: Site) -> None:
    for now in moments(3):
        for fixture in site.world.listed(now):
            shown = readings.state(site, fixture, now)
            if shown["in"]:
                assert shown["rb"] == readings.feed(site, fixture, len(shown["in"]), now)[-4:]


def test_the_sequence_rises_with_every_change_and_only_then() -> None:
    site = a_site()
    fixture = site.world.listed(EPOCH)[0]
    last = (0, b"")
    for step in range(400):
        body = readings.get(site, "/api/v3/getSV3", EPOCH + step * 0.5, key=fixture.key).body
        version = msgspec.json.decode(body)["sq"]
        assert (version > last[0]) == (body != last[1])
        assert version >= last[0]
        last = (version, body)
    assert last[0] > 20


def test_a_body_made_afresh_has_the_same_bytes(site: Site) -> None:
    now = EPOCH + 77.0
    other = a_site()
    for fixture in site.world.listed(now):
        one, two = (readings.get(each, "/api/v3/getSV3", now, key=fixture.key).body for each in (site, other))
        assert one == two


def test_batters_and_bowler_carry_their_figures(site: Site) -> None:
    now = EPOCH + 30.0
    for fixture in site.world.listed(now):
        shown = readings.state(site, fixture, now)
        balls = [ball for ball in readings.all_balls(site, fixture, now) if ball["innings"] == len(shown["in"])]
        for figures in filter(None, (shown["p1"], shown["p2"])):
            code, runs, faced, *_ = figures.rstrip("*").split(".")
            own = [ball for ball in balls if ball["batter"] == code]
            assert int(runs) == sum(ball["runs_batter"] for ball in own)
            assert int(faced) == sum(not ball["wides"] for ball in own)
        assert sum("*" in shown[name] for name in ("p1", "p2")) <= 1


def test_the_card_adds_up_to_the_score(site: Site) -> None:
    now = EPOCH + 45.0
    for fixture in site.world.listed(now):
        for item in msgspec.json.decode(readings.get(site, "/api/v3/getSC4", now, key=fixture.key).body):
            total = readings.innings_totals(item)
            batted = sum(int(line.partition("/")[0].split(".")[1]) for line in item["b"])
            assert batted + sum(total["extras"].values()) == total["runs"]
            assert sum(int(line.split(".")[2]) for line in item["a"]) == total["legal_balls"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"inning": 1, "from": 0, "to": 9}, 200),
        ({"inning": 9, "from": 0, "to": 9}, 404),
        ({"inning": 0, "from": 0, "to": 9}, 400),
        ({"inning": 1, "from": 5, "to": 4}, 400),
        ({"inning": "x", "from": 0, "to": 9}, 400),
        ({"inning": 1}, 400),
        ({"inning": "٣", "from": 0, "to": 9}, 400),
    ],
)
def test_the_feed_answers_what_is_asked_rightly(site: Site, query: dict[str, object], status: int) -> None:
    fixture = site.world.listed(EPOCH)[1]
    assert readings.get(site, "/commentary/getBallFeeds", EPOCH, key=fixture.key, **query).status == status


def test_a_feed_holds_ten_overs_at_most(site: Site) -> None:
    fixture = next(each for each in site.world.listed(EPOCH) if each.script.format == "Test")
    query = {"key": fixture.key, "inning": 1, "from": 0, "to": 500}
    body = msgspec.json.decode(readings.get(site, "/commentary/getBallFeeds", EPOCH, **query).body)
    assert [each["o"] for each in body["rb"]] == list(range(10))
    assert body["to"] == 9
    assert body["last"] > 9


def test_names_come_by_code_and_unknown_codes_are_left_out(site: Site) -> None:
    fixture = site.world.listed(EPOCH)[0]
    name, code = next(iter(fixture.codes.players.items()))
    reply = readings.get(site, "/mapping/getHomeMapData", EPOCH, p=f"{code},nobody", t="ZZ", s=fixture.codes.series)
    body = msgspec.json.decode(reply.body)
    assert body["p"] == [{"f_key": code, "n": name}]
    assert body["t"] == []
    assert body["s"][0]["n"] == fixture.script.series


def test_more_than_two_hundred_codes_are_refused(site: Site) -> None:
    codes = ",".join(["AB"] * 201)
    assert readings.get(site, "/mapping/getHomeMapData", EPOCH, p=codes).status == 400
    assert readings.get(site, "/mapping/getHomeMapData", EPOCH, p=codes[:-3]).status == 200


@pytest.mark.parametrize("path", ["/api/v3/getSV3", "/api/v3/getSC4", "/commentary/getBallFeeds"])
def test_an_unknown_match_is_not_found(site: Site, path: str) -> None:
    reply = readings.get(site, path, EPOCH, key="NOPE", inning=1, **{"from": 0, "to": 1})
    assert (reply.status, msgspec.json.decode(reply.body)) == (404, {"error": "match not found"})


@pytest.mark.parametrize("path", ["/nothing", "/cricket-live-score/no-such-match-updates-NOPE", "/api/v3"])
def test_an_unknown_page_is_not_found(site: Site, path: str) -> None:
    assert readings.get(site, path, EPOCH).status == 404


def test_only_reading_is_allowed(site: Site) -> None:
    assert site.respond(Request("POST", "/fixture/getFixture"), EPOCH).status == 405


def test_robots_may_read_the_site(site: Site) -> None:
    reply = readings.get(site, "/robots.txt", EPOCH)
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert b"Allow: /" in reply.body


def test_the_list_names_every_match_with_its_status(site: Site) -> None:
    items = msgspec.json.decode(readings.get(site, "/fixture/getFixture", EPOCH).body)
    assert len(items) == 10
    assert {item["st"] for item in items} == {1}
    assert set(items[0]) == {"key", "slug", "t1", "t2", "s", "fo", "mn", "v", "ti", "st"}


def test_what_has_not_changed_need_not_be_sent_again(site: Site) -> None:
    fixture = site.world.listed(EPOCH)[0]
    first = readings.get(site, "/api/v3/getSV3", EPOCH, key=fixture.key)
    asked = Request("GET", "/api/v3/getSV3", {"key": fixture.key}, {"if-none-match": first.headers["ETag"]})
    assert (site.respond(asked, EPOCH).status, site.respond(asked, EPOCH).body) == (304, b"")
    assert site.respond(asked, EPOCH + 120.0).status == 200
    assert first.headers["Cache-Control"] == "no-cache"


def test_a_match_to_come_has_an_empty_state() -> None:
    world = World(WorldOptions(epoch=EPOCH, scripts=[read(document())] * 2, stagger_seconds=500.0))
    site = Site(world)
    shown = readings.state(site, world.listed(EPOCH)[1], EPOCH)
    assert (shown["ps"], shown["j"], shown["k"], shown["in"], shown["rb"]) == ("N", "0/0(0.0", "0/0(0.0", [], [])


def test_stumps_are_told_as_a_break_and_not_as_an_end(site: Site) -> None:
    fixture = next(each for each in site.world.listed(EPOCH) if each.script.format == "Test")
    night = next(span for span in fixture.script.spans if span.state == "S")
    now = fixture.starts_at + (night.from_seconds + 100) / fixture.speed
    shown = readings.state(a_site(), fixture, now)
    assert (shown["ps"], shown["B"]) == ("S", "Stumps")
    assert "rs" not in shown


def test_a_finished_match_tells_its_result(site: Site) -> None:
    fixture = _first(site, "T20")
    shown = readings.state(site, fixture, fixture.ends_at + 0.1)
    assert shown["ps"] == "E"
    assert shown["B"] == truth_of(fixture, fixture.ends_at + 0.1).result_text
    assert shown["rs"]


def _first(site: Site, name: str) -> Fixture:
    return next(each for each in site.world.listed(EPOCH) if each.script.format == name)


def test_the_match_page_carries_its_state_escaped(site: Site) -> None:
    fixture = site.world.listed(EPOCH)[0]
    html = readings.get(site, match_path(fixture), EPOCH).body.decode()
    _, _, after = html.partition('<script id="app-root-state" type="application/json">')
    escaped, _, _ = after.partition("</script>")
    assert not {'"', "<", ">", "'"} & set(escaped)
    for sign, mark in (("<", "&l;"), (">", "&g;"), ("'", "&s;"), ('"', "&q;"), ("&", "&a;")):
        escaped = escaped.replace(mark, sign)
    assert msgspec.json.decode(escaped)["sv3"] == readings.state(site, fixture, EPOCH)


def test_the_list_page_links_to_every_match(site: Site) -> None:
    html = readings.get(site, "/cricket-live-score", EPOCH).body.decode()
    assert all(f'href="{match_path(fixture)}"' in html for fixture in site.world.listed(EPOCH))
    assert html == readings.get(site, "/", EPOCH).body.decode()


def test_hostile_names_cannot_leave_their_place() -> None:
    evil = '</script><script>alert("1")</script>'
    whole = document(
        innings(REDS, over(0, delivery(1, batter=evil))),
        innings(BLUES),
        venue=evil,
        event={"name": evil, "stage": evil},
    )
    site = Site(World.from_scripts([read(whole)], epoch=EPOCH, speed=100.0))
    fixture = site.world.listed(EPOCH)[0]
    pages = [readings.get(site, path, EPOCH + 1.0).body.decode() for path in ("/", match_path(fixture))]
    assert all("alert" in page for page in pages)
    assert not any(evil in page or "<script>alert" in page for page in pages)


def test_requests_are_counted_by_path_and_status() -> None:
    site = a_site(matches=3)
    readings.get(site, "/fixture/getFixture", EPOCH)
    readings.get(site, "/api/v3/getSV3", EPOCH, key="NOPE")
    readings.get(site, match_path(site.world.listed(EPOCH)[0]), EPOCH)
    assert site.requests == {"/fixture/getFixture 200": 1, "/api/v3/getSV3 404": 1, "page 200": 1}
