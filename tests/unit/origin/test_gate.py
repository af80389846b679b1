"""What a plain client meets at each guard, and what opens it."""

import base64
import hmac
from typing import Any

import msgspec
import pytest

from longstop_origin.guards import Guards
from longstop_origin.pages import match_path
from longstop_origin.sessions import PROOF_ROUNDS, WALL_COOKIE, mix
from tests.unit.origin.callers import EPOCH, Caller, a_site, error_of, first

JSON = "application/json; charset=utf-8"


def claims_of(token: str) -> dict[str, Any]:
    return dict(msgspec.json.decode(base64.urlsafe_b64decode(token.split(".")[1] + "==")))


def test_without_guards_everybody_is_let_in() -> None:
    caller = Caller(a_site())
    assert {reply.status for reply in caller.match_calls(first(caller.site).key)} == {200}
    assert "Set-Cookie" not in caller.get(match_path(first(caller.site))).headers


# token


def test_without_a_token_no_call_of_a_match_is_answered() -> None:
    caller = Caller(a_site("token=30"))
    replies = list(caller.match_calls(first(caller.site).key))
    assert [reply.status for reply in replies] == [401] * 4
    assert {error_of(reply) for reply in replies} == {"token missing"}
    assert {reply.headers["Content-Type"] for reply in replies} == {JSON}
    assert {reply.headers["WWW-Authenticate"] for reply in replies} == {"Bearer"}
    assert caller.get("/fixture/getFixture").status == 200
    assert caller.site.gate.refused == {"token": 4}


def test_a_page_and_its_sum_give_a_token_for_every_match() -> None:
    caller = Caller(a_site("token=30"))
    claims = claims_of(caller.take_token())
    assert claims["exp"] - claims["iat"] == 30
    for fixture in caller.site.world.listed(EPOCH):
        assert {reply.status for reply in caller.match_calls(fixture.key)} == {200}
    assert (caller.site.gate.token_grants, caller.site.gate.page_loads) == (1, 1)


def test_the_cookie_of_the_session_is_out_of_reach_of_scripts() -> None:
    site = a_site("token=30")
    said = Caller(site).get(match_path(first(site))).headers["Set-Cookie"]
    assert "HttpOnly" in said
    assert said.startswith("sid=")


def test_a_token_ends_and_the_same_page_gets_the_next() -> None:
    caller = Caller(a_site("token=30"))
    page = caller.open_page()
    token = caller.take_token()
    caller.now += 29
    assert caller.state().status == 200
    caller.now += 1
    assert (caller.state().status, error_of(caller.state())) == (401, "token expired")
    granted = msgspec.json.decode(caller.knock(page).body)
    assert (granted["token"] != token, granted["expires_in"], granted["nonce"] != page["nonce"]) == (True, 30, True)


def test_a_token_opens_nothing_without_the_cookie_that_it_came_with() -> None:
    site = a_site("token=30")
    caller, other = Caller(site), Caller(site)
    caller.headers["Authorization"] = f"Bearer {other.take_token()}"
    assert (caller.state().status, error_of(caller.state())) == (401, "token of another session")
    caller.open_page()
    assert error_of(caller.state()) == "token of another session"


@pytest.mark.parametrize("change", ["payload", "signature", "none", "garbage", "other secret", "bytes"])
def test_an_altered_token_is_refused(change: str) -> None:
    caller = Caller(a_site("token=30"))
    head, payload, signature = caller.take_token().split(".")
    claims = claims_of(f".{payload}.") | {"exp": EPOCH + 10**6}
    forged = base64.urlsafe_b64encode(msgspec.json.encode(claims)).rstrip(b"=").decode()
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    other = base64.urlsafe_b64encode(hmac.digest(b"guess", f"{head}.{forged}".encode(), "sha256")).rstrip(b"=").decode()
    altered = {
        "payload": f"{head}.{forged}.{signature}",
        "signature": f"{head}.{payload}.{signature[::-1]}",
        "none": f"{unsigned}.{forged}.",
        "garbage": "a.b",
        "other secret": f"{head}.{forged}.{other}",
        "bytes": "\udcff.\udcfe.é",
    }[change]
    caller.headers["Authorization"] = f"Bearer {altered}"
    assert (caller.state().status, error_of(caller.state())) == (401, "bad token")


def test_a_token_can_be_bound_to_its_match() -> None:
    caller = Caller(a_site("token=30", "token-scope=match"))
    own, other, *_ = caller.site.world.listed(EPOCH)
    caller.take_token(own)
    assert {reply.status for reply in caller.match_calls(own.key)} == {200}
    assert error_of(caller.state(other.key)) == "token of another match"


@pytest.mark.parametrize("otherwise", [{"proof": "00000000"}, {"nonce": "1.2"}, {"key": "NOPE"}, {"proof": "\x00é"}])
def test_who_has_not_done_the_sum_gets_no_token(otherwise: dict[str, str]) -> None:
    caller = Caller(a_site("token=30"))
    reply = caller.knock(caller.open_page(), **otherwise)
    assert (reply.status, error_of(reply)) == (403, "bad proof")
    assert (caller.site.gate.token_grants, caller.site.gate.refused) == (0, {"proof": 1})


def test_the_number_of_a_page_serves_its_own_session_only() -> None:
    site = a_site("token=30")
    caller, other = Caller(site), Caller(site)
    caller.open_page()
    assert error_of(caller.knock(other.open_page())) == "bad proof"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"key":1}'])
def test_a_knock_that_is_none_is_told_so(body: bytes) -> None:
    caller = Caller(a_site("token=30"))
    caller.open_page()
    assert caller.send("POST", "/auth/session", body).status == 400


def test_without_a_session_there_is_no_token() -> None:
    caller = Caller(a_site("token=30"))
    page = caller.open_page()
    for cookie in (None, "", "a:b:c", "\udcff"):
        caller.cookies = {} if cookie is None else {"sid": cookie}
        assert error_of(caller.knock(page)) == "no session"


def test_a_session_lasts_over_many_page_loads() -> None:
    caller = Caller(a_site("token=30"))
    caller.open_page()
    before = dict(caller.cookies)
    caller.open_page()
    assert caller.cookies == before


def test_another_site_does_not_know_our_sessions() -> None:
    caller = Caller(a_site("token=30"))
    caller.take_token()
    caller.site = type(caller.site)(type(caller.site.world)(
        msgspec.structs.replace(caller.site.world.options, seed=10)
    ), guards=caller.site.gate.guards)  # fmt: skip
    assert caller.state().status == 401


# cookie


def test_the_wall_lets_nobody_through_without_its_cookie() -> None:
    caller = Caller(a_site("cookie"))
    replies = list(caller.match_calls(first(caller.site).key))
    assert [reply.status for reply in replies] == [403] * 4
    for path in ("/", match_path(first(caller.site))):
        page = caller.get(path)
        assert (page.status, b"document.cookie" in page.body, b"team-name" in page.body) == (200, True, False)
    assert caller.site.gate.refused == {"cookie": 6}


def riddle_of(caller: Caller) -> str:
    return caller.get("/").body.decode().partition('riddle = "')[2].partition('"')[0]


def test_the_solved_riddle_is_the_cookie_and_it_ends() -> None:
    caller = Caller(a_site("cookie=60"))
    riddle = riddle_of(caller)
    caller.cookies[WALL_COOKIE] = f"{riddle}.{mix(riddle, PROOF_ROUNDS)}"
    assert caller.state().status == 200
    assert b"team-name" in caller.get("/").body
    caller.now += 60
    assert caller.state().status == 403


@pytest.mark.parametrize("cookie", ["", "x", "1700000000-ffff.00000000", "\udcff-\udcff.\udcff"])
def test_a_guessed_cookie_does_not_open_the_wall(cookie: str) -> None:
    caller = Caller(a_site("cookie"))
    caller.cookies[WALL_COOKIE] = cookie
    assert caller.state().status == 403
    caller.cookies[WALL_COOKIE] = f"{riddle_of(caller)}.00000000"
    assert caller.state().status == 403


# page-only, refuse-every, login, challenge, server-rendered


@pytest.mark.parametrize(
    ("site", "mode", "status"),
    [
        ("same-origin", "cors", 200),
        ("same-origin", "same-origin", 200),
        ("same-origin", "navigate", 403),
        ("cross-site", "cors", 403),
        ("none", "cors", 403),
    ],
)
def test_only_a_page_of_our_own_is_answered(site: str, mode: str, status: int) -> None:
    caller = Caller(a_site("page-only"), Sec_Fetch_Site=site, Sec_Fetch_Mode=mode)
    assert caller.state().status == status


def test_a_plain_call_is_no_call_of_a_page() -> None:
    caller = Caller(a_site("page-only"))
    assert {reply.status for reply in caller.match_calls(first(caller.site).key)} == {403}
    assert b"team-name" in caller.get(match_path(first(caller.site))).body


def test_every_nth_call_over_all_is_refused() -> None:
    caller = Caller(a_site("refuse-every=4"))
    one, two, _ = (fixture.key for fixture in caller.site.world.listed(EPOCH))
    statuses = [reply.status for _ in range(3) for key in (one, two) for reply in caller.match_calls(key)]
    assert statuses == [200, 200, 200, 403] * 6
    statuses = [caller.get("/fixture/getFixture").status for _ in range(8)]
    assert statuses == [200, 200, 200, 403] * 2
    assert caller.site.gate.refused == {"refuse-every": 8}


def test_pages_are_not_counted_as_calls() -> None:
    caller = Caller(a_site("refuse-every=1"))
    assert caller.get(match_path(first(caller.site))).status == 200


def test_who_has_no_session_is_sent_to_the_login() -> None:
    caller = Caller(a_site("login=60"))
    refused = caller.state()
    assert (refused.status, refused.headers["Location"]) == (302, "/login?next=/api/v3/getSV3")
    assert b'id="login-form"' in caller.get(refused.headers["Location"]).body
    caller.open_page()
    assert caller.state().status == 200
    caller.now += 60
    assert caller.state().status == 302
    caller.open_page()
    assert caller.state().status == 200


def test_the_login_page_takes_no_markup() -> None:
    body = Caller(a_site("login=60")).get('/login?next="><script>alert(1)</script>').body
    assert b"<script>alert" not in body


@pytest.mark.parametrize("status", [200, 403, 503])
def test_a_challenge_stands_before_everything(status: int) -> None:
    caller = Caller(a_site(f"challenge={status}"))
    for path in ("/", match_path(first(caller.site)), "/fixture/getFixture", "/api/v3/getSV3?key=A"):
        reply = caller.get(path)
        assert (reply.status, reply.headers["cf-mitigated"]) == (status, "challenge")
        assert reply.headers["Content-Type"].startswith("text/html")
        assert all(mark in reply.body for mark in (b"<noscript>", b"<form", b"challenge-form"))
    assert caller.get("/robots.txt").headers.get("cf-mitigated") is None


def test_a_challenge_may_come_now_and_then() -> None:
    caller = Caller(a_site("challenge=403", "challenge-share=25"))
    met = [caller.state().status == 403 for _ in range(400)]
    again = Caller(a_site("challenge=403", "challenge-share=25"))
    assert 60 < sum(met) < 140
    assert met == [again.state().status == 403 for _ in range(400)]


def test_a_page_from_the_server_has_no_json_to_live_on() -> None:
    caller = Caller(a_site("server-rendered"))
    key = first(caller.site).key
    assert [reply.status for reply in caller.match_calls(key)] == [404, 404, 404, 200]
    page = caller.get(match_path(first(caller.site))).body
    part = caller.get(f"/partial/score/{key}")
    assert (part.status, part.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert part.body in page
    assert b'<script id="app-root-state"' not in page
    assert caller.get("/partial/score/NOPE").status == 404


def test_without_the_guard_there_is_no_part() -> None:
    caller = Caller(a_site())
    assert caller.get(f"/partial/score/{first(caller.site).key}").status == 404


@pytest.mark.parametrize("dom", ["shifted", "alien"])
def test_another_dom_shares_no_class_name_with_todays(dom: str) -> None:
    plain, other = (Caller(a_site("server-rendered", f"dom={name}")) for name in ("plain", dom))
    path = f"/partial/score/{first(plain.site).key}"
    names = [set(_classes(caller.get(path).body.decode())) for caller in (plain, other)]
    assert all(len(each) > 15 for each in names)
    assert not names[0] & names[1]


def _classes(html: str) -> list[str]:
    values = [piece.partition('"')[0] for mark in ('class="', 'id="') for piece in html.split(mark)[1:]]
    return [name for value in values for name in value.split()]


# The rest


def test_the_calls_of_a_match_may_be_a_trap() -> None:
    caller = Caller(a_site("trap=redirect?to=http://169.254.169.254/"))
    assert {reply.headers["Location"] for reply in caller.match_calls("A")} == {"http://169.254.169.254/"}
    assert caller.get("/fixture/getFixture").status == 200


def test_guards_may_change_while_the_site_runs() -> None:
    caller = Caller(a_site())
    statuses = []
    for words in ([], ["page-only"], [], ["token=5"], []):
        caller.site.gate.guards = Guards.from_words(words)
        statuses.append(caller.state().status)
    assert statuses == [200, 403, 200, 401, 200]


def test_user_agents_are_counted_and_bounded() -> None:
    caller = Caller(a_site(), User_Agent="Longstop/1")
    caller.state()
    caller.state()
    caller.headers = {}
    caller.state()
    assert caller.site.gate.user_agents == {"Longstop/1": 2, "none": 1}
    for number in range(400):
        caller.headers = {"user-agent": f"x{number}\udcff" + "y" * 1000}
        caller.state()
    counted = caller.site.gate.user_agents
    assert (len(counted) <= 201, counted["others"] > 100, msgspec.json.encode(counted) != b"") == (True, True, True)


def test_an_unchanged_state_need_not_be_sent_again_under_guards() -> None:
    caller = Caller(a_site("token=30", "refuse-every=50"))
    caller.take_token()
    caller.headers["If-None-Match"] = caller.state().headers["ETag"]
    assert (caller.state().status, caller.state().body) == (304, b"")
    caller.cookies.clear()
    assert caller.state().status == 401
