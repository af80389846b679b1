"""Which requests are made, and to whom."""

import pytest

from longstop.fetch.browser.needs import (
    NO_RULES,
    Allow,
    Asked,
    ContextNeed,
    ProxyAddress,
    RouteRules,
    host_matches,
    proxy_address,
    refusal,
)

PAGE = "https://crex.example/match/1"
RULES = RouteRules()
STRICT = RouteRules(
    allow=(
        Allow("crex.example", "/match/", ("document",)),
        Allow(".crex.example", "/api/", ("xhr", "fetch"), ("application/json",)),
    ),
)


@pytest.mark.parametrize(
    ("rules", "asked", "expected"),
    [
        (RULES, Asked(PAGE, "document", 1), None),
        (RULES, Asked(PAGE, "document", 2), "document"),
        (RouteRules(documents_max=0), Asked(PAGE, "document", 99), None),
        (RULES, Asked(PAGE, "document"), "frame"),
        (RouteRules(frames=True), Asked(PAGE, "document"), None),
        (RULES, Asked("https://crex.example/a.png", "image"), "image"),
        (RULES, Asked("https://crex.example/a.css", "stylesheet"), "stylesheet"),
        (RULES, Asked("https://crex.example/a.js", "script"), None),
        (RULES, Asked("https://www.google-analytics.com/collect", "xhr"), "tracker"),
        (RULES, Asked("https://google-analytics.com./collect", "xhr"), "tracker"),
        (RULES, Asked("https://notgoogle-analytics.com/collect", "xhr"), None),
        (STRICT, Asked(PAGE, "document", 1), None),
        (STRICT, Asked("https://elsewhere.example/match/1", "document", 1), "not allowed"),
        (STRICT, Asked("https://api.crex.example/api/score", "xhr"), None),
        (STRICT, Asked("https://API.CREX.EXAMPLE/api/score", "fetch"), None),
        (STRICT, Asked("https://api.crex.example/api/score", "script"), "not allowed"),
        (STRICT, Asked("https://api.crex.example/other", "xhr"), "not allowed"),
        (STRICT, Asked("https://evilcrex.example/api/score", "xhr"), "not allowed"),
        (STRICT, Asked("https://crex.example@evil.example/api/score", "xhr"), "not allowed"),
        (NO_RULES, Asked("https://doubleclick.net/x.png", "image"), None),
    ],
)
def test_a_request_is_made_or_refused_with_its_reason(rules: RouteRules, asked: Asked, expected: str | None) -> None:
    assert refusal(rules, asked) == expected


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [("application/json", True), ("Application/JSON; charset=utf-8", True), ("text/html", False), ("", False)],
)
def test_an_answer_is_kept_by_its_content_type(content_type: str, expected: bool) -> None:
    assert STRICT.is_wanted_answer("https://api.crex.example/api/score", content_type) is expected


@pytest.mark.parametrize(
    ("host", "wanted", "expected"),
    [
        ("a.example", "a.example", True),
        ("A.Example.", "a.example", True),
        ("b.a.example", "a.example", False),
        ("b.a.example", ".a.example", True),
        ("a.example", ".a.example", True),
        ("ba.example", ".a.example", False),
        ("anything", "", True),
    ],
)
def test_a_leading_dot_means_the_host_and_all_below_it(host: str, wanted: str, expected: bool) -> None:
    assert host_matches(host, wanted) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8080", ProxyAddress("http://127.0.0.1:8080")),
        ("127.0.0.1:8080", ProxyAddress("http://127.0.0.1:8080")),
        ("http://crex:a%40b@127.0.0.1:8080", ProxyAddress("http://127.0.0.1:8080", "crex", "a@b")),
        ("socks5://[::1]:1080", ProxyAddress("socks5://[::1]:1080")),
    ],
)
def test_credentials_are_taken_apart_from_the_address(url: str, expected: ProxyAddress) -> None:
    assert proxy_address(url) == expected


def test_equal_needs_are_one_need() -> None:
    assert hash(ContextNeed("crex")) == hash(ContextNeed("crex"))
