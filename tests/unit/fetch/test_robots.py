import asyncio
import contextlib
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop import virtual_time
from longstop.clock import SystemClock
from longstop.domain.errors import (
    EgressRefusedError,
    FetchError,
    MatchGoneError,
    RobotsRefusedError,
    SourceFailingError,
    SourceRefusedError,
    SourceThrottledError,
    SourceTimeoutError,
    SourceUnreachableError,
    UnexpectedStatusError,
)
from longstop.fetch.politeness import PoliteFetcher
from longstop.fetch.robots import BYTES_MAX, RobotsGate, RobotsLimits, RobotsRules
from longstop.fetch.snapshot import FetchRequest, Snapshot

CLOCK = SystemClock()  # it reads the running loop, whose time is virtual here
SITE = "https://site.example"
DAY = 24 * 3600


def rules(text: bytes | str) -> RobotsRules:
    return RobotsRules.load(text if isinstance(text, bytes) else text.encode(), "longstop")


def request(path: str = "/api/live", site: str = SITE) -> FetchRequest:
    return FetchRequest("crex", f"{site}{path}", "state")


class Site:
    """Has a robots.txt, or fails in the way it is told to."""

    def __init__(self, *robots: bytes | FetchError) -> None:
        self.robots = list(robots)
        self.asked: list[str] = []

    async def fetch(self, request: FetchRequest) -> Snapshot:
        self.asked.append(request.url)
        await CLOCK.sleep(0.1)
        if not request.url.endswith("/robots.txt"):
            return Snapshot(request, 200, b"{}", CLOCK.now(), CLOCK.now())
        assert request.head_bytes_max == BYTES_MAX
        answer = self.robots.pop(0) if len(self.robots) > 1 else self.robots[0]
        if isinstance(answer, FetchError):
            raise answer
        return Snapshot(request, 200, answer, CLOCK.now(), CLOCK.now())

    async def close(self) -> None:
        return None


def gate_to(site: Site) -> RobotsGate:
    return RobotsGate(site, CLOCK, "longstop")


# ---- the rules ----


def test_our_own_group_counts_before_the_one_for_all() -> None:
    found = rules(
        "User-agent: *\nDisallow: /\n\nUser-agent: Longstop\nAllow: /api\nDisallow: /api/private\nDisallow: /x$\n"
    )
    assert found.is_allowed(f"{SITE}/api/live?key=1")
    assert not found.is_allowed(f"{SITE}/api/private/1")
    assert not found.is_allowed(f"{SITE}/x")
    assert found.is_allowed(f"{SITE}/xy")


def test_our_name_with_a_version_is_our_name() -> None:
    rules = RobotsRules.load(b"User-agent: Longstop/0.1\nDisallow: /\n\nUser-agent: *\nAllow: /\n", "Longstop")
    assert not rules.is_allowed("https://site.example/live")
    other = RobotsRules.load(b"User-agent: Shortstop/0.1\nDisallow: /\n\nUser-agent: *\nAllow: /\n", "Longstop")
    assert other.is_allowed("https://site.example/live")


def test_the_group_for_all_counts_where_none_is_ours() -> None:
    found = rules("User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /*.json$\nCrawl-delay: 3\n")
    assert found.is_allowed(f"{SITE}/api")
    assert not found.is_allowed(f"{SITE}/a.json")
    assert found.interval_seconds == 3.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Crawl-delay: 10\nRequest-rate: 1/20", 20),
        ("Request-rate: 30/1m", 2),
        ("Crawl-delay: x", 0),
        ("Crawl-delay: -1", 0),
    ]
    + [(f"Crawl-delay: {word}", 0) for word in ("nan", "inf", "1e999")],
)
def test_the_slower_of_delay_and_rate_is_kept(text: str, seconds: float) -> None:
    assert rules(f"User-agent: *\n{text}\n").interval_seconds == seconds


def test_real_ones_are_read_without_a_complaint(shared_data: Path) -> None:
    files = sorted((shared_data / "robots").glob("*.txt"))
    assert len(files) >= 20
    found = {file.name: rules(file.read_bytes()) for file in files}
    assert all(each.is_allowed(f"{SITE}/") for each in found.values())
    assert not found["www.espn.com.robots.txt"].is_allowed("https://www.espn.com/search?q=1")
    assert not found["store.usps.com.robots.txt"].is_allowed("https://store.usps.com/store/ajax/1")  # UTF-16
    assert not found["cdbaby.com.robots.txt"].is_allowed("https://cdbaby.com/applemusicartist")  # CR alone
    assert found["www.nic.ir.robots.txt"].interval_seconds == 10.0
    assert found["www.visa.com.robots.txt"].is_allowed("https://www.visa.com/anything")  # a web page


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, b"\xff\xfe", b"\xff\xfed", b"<html>Disallow: /</html>", b"\xef\xbb\xbf <!doctype html>"]
)
def test_what_is_no_robots_file_has_no_rules(data: bytes) -> None:
    assert rules(data).is_allowed(f"{SITE}/")


@given(st.binary(max_size=400), st.sampled_from([b"", b"User-agent: *\n", b"User-agent: longstop\nDisallow: "]))
def test_no_bytes_make_it_fail(noise: bytes, before: bytes) -> None:
    found = rules(before + noise)
    found.is_allowed(f"{SITE}/a%zz?b=[")
    assert found.interval_seconds >= 0.0


def test_a_rule_cut_at_the_bound_does_not_forbid_more_than_it_says() -> None:
    filler = b"# " + b"x" * 997 + b"\n"
    head = b"User-agent: *\n" + filler * ((BYTES_MAX - 100) // 1000)
    text = head + b"#" * (BYTES_MAX - len(head) - 12) + b"\nDisallow: /private\n"
    assert text[:BYTES_MAX].endswith(b"Disallow: /")
    assert rules(text).is_allowed(f"{SITE}/api")


HEAVY = {
    "agents before rules": b"".join(b"User-agent: a%d\n" % n for n in range(16000)) + b"Disallow: /x\n" * 20000,
    "ours again and again": b"User-agent: l*\nUser-agent: *\nUser-agent: longstop\n" * 5000 + b"Disallow: /x\n" * 20000,
    "stars": b"User-agent: *\n" + (b"Disallow: /" + b"*a" * 900 + b"\n") * 300,
    "one long line": b"User-agent: *\nDisallow: /" + b"*a" * 250_000,
    "escapes": b"User-agent: *\n" + b"".join(b"Disallow: /%%%02x%d\xff\n" % (n % 256, n) for n in range(30000)),
}


@pytest.mark.req("D3")
@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_file_costs_a_moment(name: str) -> None:
    began = time.process_time()
    found = rules(HEAVY[name])
    for number in range(50):
        found.is_allowed(f"{SITE}/{'a' * 2000}{number % 2}")
    assert time.process_time() - began < 1.0


# ---- the gate ----


def test_the_file_is_read_once_a_day_for_all_who_ask() -> None:
    async def scene() -> None:
        site = Site(b"User-agent: *\nDisallow: /private\nCrawl-delay: 2")
        gate = gate_to(site)
        assert await asyncio.gather(*(gate.require_allowed(request()) for _ in range(20))) == [2.0] * 20
        with pytest.raises(RobotsRefusedError) as thrown:
            await gate.require_allowed(request("/private?token=canary"))
        assert "sources.crex.respect_robots" in str(thrown.value)
        assert "canary" not in str(thrown.value)
        assert not thrown.value.heals
        assert site.asked == [f"{SITE}/robots.txt"]
        await asyncio.sleep(DAY)
        await gate.require_allowed(request())
        assert len(site.asked) == 2

    virtual_time.run(scene())


@pytest.mark.parametrize("kind", [MatchGoneError, SourceRefusedError, UnexpectedStatusError])
def test_a_site_without_the_file_allows_all(kind: type[FetchError]) -> None:
    async def scene() -> None:
        gate = gate_to(Site(kind("The source answered 4xx.")))
        assert await gate.require_allowed(request()) == 0.0

    virtual_time.run(scene())


@pytest.mark.parametrize("kind", [SourceFailingError, SourceTimeoutError, SourceUnreachableError, EgressRefusedError])
def test_while_the_file_cannot_be_read_nothing_is_asked_and_it_is_tried_again(kind: type[FetchError]) -> None:
    async def scene() -> None:
        site = Site(*[kind("No.")] * 4, b"")
        gate = gate_to(site)
        with pytest.raises(SourceUnreachableError) as thrown:
            await gate.require_allowed(request())
        assert thrown.value.heals
        assert "respect_robots" in thrown.value.hint
        while len(site.asked) < 5:
            with contextlib.suppress(SourceUnreachableError):
                await gate.require_allowed(request())
            await asyncio.sleep(0.5)
        assert len(site.asked) == 5
        assert 28.0 < CLOCK.monotonic() < 35.0  # 2 + 4 + 8 + 16 s

    virtual_time.run(scene())


def test_the_wait_between_two_tries_is_bounded_and_a_pause_is_obeyed() -> None:
    async def scene() -> None:
        site = Site(SourceFailingError("No."))
        gate = RobotsGate(site, CLOCK, "longstop", RobotsLimits(retry_seconds_max=60.0))
        while CLOCK.monotonic() < 3600:
            with pytest.raises(SourceUnreachableError):
                await gate.require_allowed(request())
            await asyncio.sleep(1.0)
        assert 55 <= len(site.asked) <= 70
        site = Site(SourceThrottledError("Wait.", retry_after_seconds=900.0))
        gate = gate_to(site)
        began = CLOCK.monotonic()
        while CLOCK.monotonic() < began + 850:
            with pytest.raises(SourceUnreachableError):
                await gate.require_allowed(request())
            await asyncio.sleep(10.0)
        assert len(site.asked) == 1

    virtual_time.run(scene())


def test_an_old_copy_serves_while_the_new_one_cannot_be_had() -> None:
    async def scene() -> None:
        site = Site(b"User-agent: *\nDisallow: /private", SourceFailingError("No."))
        gate = gate_to(site)
        await gate.require_allowed(request())
        await asyncio.sleep(DAY + 1)
        await gate.require_allowed(request())
        with pytest.raises(RobotsRefusedError):
            await gate.require_allowed(request("/private"))
        assert len(site.asked) == 2

    virtual_time.run(scene())


def test_nobody_waits_for_a_look_that_only_refreshes() -> None:
    async def scene() -> None:
        site = Site(b"")
        gate = gate_to(site)
        await gate.require_allowed(request())
        await asyncio.sleep(DAY + 1)
        looking = asyncio.create_task(gate.require_allowed(request()))
        await asyncio.sleep(0.01)
        began = CLOCK.monotonic()
        await gate.require_allowed(request())
        assert CLOCK.monotonic() == began
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        await gate.require_allowed(request())
        assert len(site.asked) == 3

    virtual_time.run(scene())


def test_the_file_itself_may_always_be_read_and_sites_are_told_apart() -> None:
    async def scene() -> None:
        site = Site(b"User-agent: *\nDisallow: /", b"")
        gate = RobotsGate(site, CLOCK, "longstop", RobotsLimits(sites_max=1))
        assert await gate.require_allowed(request("/robots.txt")) == 0.0
        with pytest.raises(RobotsRefusedError):
            await gate.require_allowed(request())
        assert await gate.require_allowed(request(site="https://site.example:8443")) == 0.0
        assert len(gate._copies) == 1
        assert len(gate._looking) == 1

    virtual_time.run(scene())


@pytest.mark.req("D7")
def test_a_polite_fetcher_keeps_to_what_the_file_wants() -> None:
    async def scene() -> None:
        site = Site(b"User-agent: *\nDisallow: /private\nCrawl-delay: 2")
        fetcher = PoliteFetcher(site, CLOCK, max_concurrent=9, permission=gate_to(site))
        with pytest.raises(RobotsRefusedError):
            await fetcher.fetch(request("/private"))
        await asyncio.gather(*(fetcher.fetch(request(f"/{number}")) for number in range(4)))
        assert CLOCK.monotonic() == pytest.approx(6.2, abs=0.15)
        assert f"{SITE}/private" not in site.asked

    virtual_time.run(scene())
