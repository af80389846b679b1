import string
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.errors import EgressRefusedError, SettingsError
from longstop.fetch.egress.guard import check_authority, check_url, is_login, rules_for
from tests.unit.fetch.egress import hostile

RULES = rules_for("crex", hostile.BASE_URL, hostile.NAMED)
LOCAL = rules_for("crex", "http://127.0.0.1:9123")


def test_the_table_is_as_long_as_it_must_be() -> None:
    assert len({url for url, _ in hostile.TABLE}) >= 120


@pytest.mark.req("D3")
@pytest.mark.parametrize(("url", "reasons"), hostile.TABLE, ids=range(len(hostile.TABLE)))
def test_a_hostile_address_is_refused_with_its_reason(url: str, reasons: set[str]) -> None:
    with pytest.raises(EgressRefusedError) as thrown:
        check_url(url, RULES)
    assert thrown.value.reason in reasons, url
    assert not thrown.value.heals
    assert "crex" in str(thrown.value)
    assert len(str(thrown.value)) < 400
    assert str(thrown.value).isprintable()


@pytest.mark.parametrize("url", [url for url, _ in hostile.TABLE if url != "http://127.0.0.1/"])
def test_naming_the_loopback_origin_opens_nothing_else(url: str) -> None:
    with pytest.raises(EgressRefusedError):
        check_url(url, rules_for("crex", "http://127.0.0.1:9123", (hostile.SITE, *hostile.NAMED)))


ALLOWED = {
    "https://site.example": "https://site.example/",
    "https://site.example/": "https://site.example/",
    "HTTPS://SITE.Example/Path": "https://site.example/Path",
    "https://site.example:443/": "https://site.example/",
    "http://site.example:443/": "http://site.example:443/",
    "http://site.example/": "http://site.example/",
    "https://cdn.site.example/a?b=c&d=%2e%2e%2f": "https://cdn.site.example/a?b=c&d=%2e%2e%2f",
    "https://site.example?x=1": "https://site.example/?x=1",
    "https://site.example/a#b@evil.example": "https://site.example/a",
    "https://site.example/@evil.example": "https://site.example/@evil.example",
    "https://site.example//evil.example/": "https://site.example//evil.example/",
    "https://site.example/?u=http://127.0.0.1/": "https://site.example/?u=http://127.0.0.1/",
}


@pytest.mark.parametrize("url", ALLOWED)
def test_an_address_of_the_source_comes_out_in_its_plain_form(url: str) -> None:
    assert check_url(url, RULES).url == ALLOWED[url]


def test_only_the_origins_own_port_is_open_beside_the_usual_ones() -> None:
    assert check_url("http://127.0.0.1:9123/x", LOCAL).port == 9123
    rules = rules_for("crex", "http://127.0.0.1:9123", allowed_hosts=("127.0.0.2",))
    for url in ("http://127.0.0.1:9124/", "http://127.0.0.2:9123/"):
        with pytest.raises(EgressRefusedError) as thrown:
            check_url(url, rules)
        assert thrown.value.reason == "port"


def test_an_address_that_the_source_names_may_be_called_and_its_neighbour_may_not() -> None:
    rules = rules_for("crex", "", ("site.example",), ("10.1.2.3", "[fd00::7]"))
    assert check_url("http://10.1.2.3/", rules).host == "10.1.2.3"
    assert check_url("http://[fd00:0:0::7]/", rules).authority == "[fd00::7]"
    for url in ("http://10.1.2.4/", "http://[fd00::8]/", "http://[::ffff:10.1.2.3]/"):
        with pytest.raises(EgressRefusedError):
            check_url(url, rules)


def test_the_refusal_repeats_no_path_and_no_query() -> None:
    with pytest.raises(EgressRefusedError) as thrown:
        check_url("https://evil.example/secret-path?token=canary", RULES)
    assert "canary" not in str(thrown.value)
    assert "secret-path" not in str(thrown.value)
    assert "sources.crex.allowed_hosts" in thrown.value.hint


@pytest.mark.parametrize(
    "host", ["0177.1", "2130706433", "127.1", "site.example.", "*.site.example", "[::1%lo]", "exämple.org"]
)
def test_a_host_in_disguise_cannot_be_named(host: str) -> None:
    with pytest.raises(SettingsError, match="crex"):
        rules_for("crex", "", (), (host,))


def test_a_tunnel_is_held_to_host_and_port() -> None:
    assert check_authority("cdn.site.example:443", RULES).host == "cdn.site.example"
    for authority in (
        "site.example",
        "site.example:22",
        "evil.example:443",
        "127.0.0.1:443",
        "a@site.example:443",
        "",
        ":443",
    ):
        with pytest.raises(EgressRefusedError):
            check_authority(authority, RULES)


@pytest.mark.parametrize(
    "path",
    [
        "/login",
        "/Login?next=/x",
        "/users/sign-in",
        "/users/sign_in",
        "/log_in?x",
        "/sso/start",
        "/login.html",
        "/oauth2/authorize",
    ],
)
def test_a_login_page_is_known_by_its_path(path: str) -> None:
    assert is_login(path, RULES)


@pytest.mark.parametrize("path", ["/", "/loginov-b/player", "/teams/signings", "/live?then=/login"])
def test_a_path_that_only_looks_like_a_login_is_none(path: str) -> None:
    assert not is_login(path, RULES)


MESS = st.text(st.sampled_from(string.ascii_letters + string.digits + ":/?#[]@!\\%. \t\r\n\0-_*。１①é"), max_size=40)


@given(MESS, MESS)
def test_whatever_passes_leads_to_a_named_host(before: str, after: str) -> None:
    for url in (f"{before}https://site.example{after}", f"https://{before}site.example{after}", before + after):
        try:
            checked = check_url(url, RULES)
        except EgressRefusedError:
            continue
        parts = urlsplit(checked.url)
        assert parts.hostname in RULES.hosts
        assert parts.username is None
        assert checked.port in (80, 443)
        assert check_url(checked.url, RULES) == checked
