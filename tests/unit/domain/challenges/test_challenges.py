"""Challenges are known by their structure: each of them, and nothing that only looks or speaks like one."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longstop.domain.challenges import challenge_in
from tests.unit.domain.challenges.pages import CHALLENGES, HEALTHY, TEXT, page

pytestmark = pytest.mark.req("D7", "F0")
ROOT = Path(__file__).resolve().parents[4]
DATA = Path(os.environ.get("LONGSTOP_SHARED_DATA", ROOT.parent / "shared" / "data"))
CPU_SECONDS_MAX = 0.05
MEGABYTE = 1024 * 1024


@pytest.mark.parametrize("name", CHALLENGES)
def test_a_challenge_is_known_and_whose_it_is(name: str) -> None:
    guard, body = CHALLENGES[name]
    found = challenge_in(body)
    assert found is not None
    assert found.guard == guard


@pytest.mark.parametrize("name", HEALTHY)
def test_what_only_looks_like_one_is_none(name: str) -> None:
    assert challenge_in(HEALTHY[name]) is None
    assert challenge_in(HEALTHY[name], {"Server": "cloudflare", "CF-RAY": "1", "X-DataDome": "protected"}, 200) is None


@pytest.mark.parametrize(
    ("headers", "status", "guard"),
    [
        ({"cf-mitigated": "challenge"}, 403, "cloudflare"),
        ({"CF-Mitigated": "Challenge", "Server": "cloudflare"}, 200, "cloudflare"),
        ({"x-vercel-mitigated": "challenge"}, 429, "vercel"),
        ({"x-amzn-waf-action": "captcha"}, 405, "aws_waf"),
        ({"X-DataDome": "protected"}, 403, "datadome"),
        ({"Server": "DataDome"}, 403, "datadome"),
    ],
)
def test_a_header_says_it_whatever_the_body_is(headers: dict[str, str], status: int, guard: str) -> None:
    found = challenge_in(b"", headers, status)
    assert found is not None
    assert (found.guard, found.known_by) == (guard, "header")


def test_a_page_that_would_pass_may_be_one_when_we_were_refused() -> None:
    """An app's own scripts will bring nothing more then."""
    walled = page('<div class="h-captcha" data-sitekey="1"></div><script src="/wall.js"></script>')
    assert challenge_in(walled, {}, 200) is None
    assert challenge_in(walled, {}, 403) is not None


@pytest.mark.req("B10")
def test_every_real_challenge_is_known() -> None:
    bodies = [(path.name, path.read_bytes()) for path in sorted((DATA / "antibot").glob("**/*.html"))]
    if not bodies:
        pytest.skip(f"no challenges below {DATA}; they are no part of the project")
    assert [name for name, body in bodies if challenge_in(body) is None] == []


def test_no_real_answer_is_taken_for_one() -> None:
    """Among the files of robots.txt is one that is a refusal of Akamai's in truth."""
    known = {"403_challenge.json", "www.visa.com.robots.txt"}
    paths = [path for path in sorted(DATA.glob("**/*.*")) if "antibot" not in path.parts and path.is_file()]
    if not paths:
        pytest.skip(f"no answers below {DATA}; they are no part of the project")
    assert {path.name for path in paths if challenge_in(path.read_bytes()) is not None} <= known


UNIT = [
    "<", "<a ", "<a>", '<a b="', "<a b='", "<script>", "<script", "<!--", "<!-", "<a b=c ", "</", "<p>x</p>",
    "captcha ", '<div class="g-recaptcha">', "<input name=", '<a href="x">', "<textarea>", "<style>",
    "_cf_chl_opt  ",
    "reference # 1.", "&#35;", '<x id="px', "<script>/cdn-cgi/challenge-platform/aaaa",
    "\x00", "<title>", " = ", "__cf$cv$params",
    '<script type="application/json">', "<noscript>",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNIT)
def test_a_hostile_megabyte_is_looked_through_at_once(unit: str) -> None:
    """Processor time, the best of three: others use the machine too."""
    for start in ("<html>captcha", "<html><script>", '<html captcha="'):
        body = (start + unit * (MEGABYTE // len(unit))).encode()
        assert min(_cpu_seconds(body) for _ in range(3)) < CPU_SECONDS_MAX


def _cpu_seconds(body: bytes) -> float:
    began = time.process_time()
    challenge_in(body, {}, 403)
    return time.process_time() - began


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*UNIT, "</script>", "-->", '"', ">", TEXT[:40]]), max_size=60))
def test_no_page_however_broken_breaks_it(parts: list[str]) -> None:
    for status in (0, 200, 403):
        challenge_in(("<html>" + "".join(parts)).encode(), {}, status)
        challenge_in("".join(parts).encode(), {}, status)
