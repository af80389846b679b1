import pytest

from longstop.domain.errors import InputError
from longstop.sources import registry
from longstop.sources.crex import CrexSource

OURS = CrexSource("http://127.0.0.1:8080")

KNOWN = {
    "https://crex.com/cricket-live-score/usa-vs-uae-32nd-match-cwc-league-2-match-updates-QUY": "QUY",
    "https://crex.com/cricket-live-score/usa-vs-uae-32nd-match-cwc-league-2-match-updates-QUY/": "QUY",
    "https://www.crex.com/cricket-live-score/ind-vs-aus-3rd-t20i-match-updates-1AB": "1AB",
    "https://crex.com/cricket-live-score/IND-vs-AUS-match-updates-UX1": "UX1",
    "https://crex.com/cricket-live-score/match-updates-QUY": "QUY",
    "http://crex.com/cricket-live-score/a-match-updates-match-updates-QUY": "QUY",
    "https://crex.com/cricket-live-score/a-vs-b-match-updates-QUY?utm_source=x#top": "QUY",
    "HTTPS://CREX.COM/cricket-live-score/a-vs-b-match-updates-QUY": "QUY",
    "https://crex.live/scoreboard/QUY/1JK/32nd-Match/CD/11/usa-vs-uae-32nd-match/live": "QUY",
    "https://crex.live/scoreboard/QUY/1JK/3/CD/11/usa-vs-uae/live?x=1": "QUY",
    "http://127.0.0.1:8080/cricket-live-score/a-vs-b-match-updates-AB1": "AB1",
}

HOSTILE = [
    "",
    " ",
    "QUY",
    "crex.com/cricket-live-score/a-match-updates-QUY",
    "//crex.com/cricket-live-score/a-match-updates-QUY",
    "ftp://crex.com/cricket-live-score/a-match-updates-QUY",
    "file:///cricket-live-score/a-match-updates-QUY",
    "javascript:/cricket-live-score/a-match-updates-QUY",
    "data:text/html,/cricket-live-score/a-match-updates-QUY",
    "http:///cricket-live-score/a-match-updates-QUY",
    "http://evil.example/cricket-live-score/a-match-updates-QUY",
    "http://crex.com.evil.example/cricket-live-score/a-match-updates-QUY",
    "http://evilcrex.com/cricket-live-score/a-match-updates-QUY",
    "http://www.www.crex.com/cricket-live-score/a-match-updates-QUY",
    "http://crex.com@evil.example/cricket-live-score/a-match-updates-QUY",
    "http://user:secret@crex.com/cricket-live-score/a-match-updates-QUY",
    "http://169.254.169.254/cricket-live-score/a-match-updates-QUY",
    "http://[::1/cricket-live-score/a-match-updates-QUY",
    "http://[::1]/cricket-live-score/a-match-updates-QUY",
    "http://0177.0.0.1/cricket-live-score/a-match-updates-QUY",
    "http://2130706433/cricket-live-score/a-match-updates-QUY",
    "http://ｃrex.com/cricket-live-score/a-match-updates-QUY",
    "http://crex.com\u2100/cricket-live-score/a-match-updates-QUY",
    "http://crex.com\\@evil.example/cricket-live-score/a-match-updates-QUY",
    "https://crex.com/",
    "https://crex.com/cricket-live-score",
    "https://crex.com/cricket-live-score/a-vs-b",
    "https://crex.com/cricket-live-score/a-match-updates-",
    "https://crex.com/cricket-live-score/a-match-updates-../../etc/passwd",
    "https://crex.com/cricket-live-score/a-match-updates-QUY/../../admin",
    "https://crex.com/cricket-live-score/a-match-updates-QU%59",
    "https://crex.com/cricket-live-score/a-match-updates-QUY%00",
    "https://crex.com/cricket-live-score/a-match-updates-ＱＵＹ",
    "https://crex.com/cricket-live-score/a/b-match-updates-QUY",
    "https://crex.com/x/cricket-live-score/a-match-updates-QUY",
    "https://crex.com/cricket-live-score/a-match-updates-" + "A" * 65,
    "https://crex.com/cricket-live-score/" + "a-" * 100_000 + "match-updates-QUY",
    "https://crex.com/scoreboard/QUY",
    "https://crex.com/scoreboard/../QUY/live",
    "https://crex.com/?next=/cricket-live-score/a-match-updates-QUY",
    "https://crex.com/#/cricket-live-score/a-match-updates-QUY",
    "http://crex.com/cricket-live-score/a b-match-updates-QUY",
    "http://crex.com/cricket-live-score/\ud800-match-updates-QUY",
]


@pytest.mark.parametrize("url", KNOWN)
def test_old_and_new_addresses_of_a_match_are_known(url: str) -> None:
    assert OURS.match_for_url(url).match_id == f"crex_{KNOWN[url]}"


@pytest.mark.parametrize("url", HOSTILE, ids=lambda url: ascii(url)[:70])
def test_any_other_address_is_refused_in_one_sentence(url: str) -> None:
    with pytest.raises(InputError) as refused:
        OURS.match_for_url(url)
    assert len(refused.value.message) < 250
    assert refused.value.message.isprintable()
    assert "match-updates-<KEY>" in refused.value.hint or "1 to 64" in refused.value.hint


def test_what_stands_behind_the_path_is_not_kept() -> None:
    ref = OURS.match_for_url("https://crex.com/cricket-live-score/a-match-updates-QUY?token=secret#x")
    assert ref.url == "https://crex.com/cricket-live-score/a-match-updates-QUY"


def test_line_breaks_do_not_come_through_an_address() -> None:
    ref = OURS.match_for_url("https://crex.com/cricket-live-score/a-\r\nmatch-updates-QUY\n")
    assert ref.url.isprintable()


def test_the_registry_asks_every_source_and_names_them_when_none_knows() -> None:
    url = "https://crex.com/cricket-live-score/a-match-updates-QUY"
    assert registry.match_for_url((OURS,), url).key == "QUY"
    with pytest.raises(InputError, match="crex"):
        registry.match_for_url((OURS,), "https://example.org/")
    with pytest.raises(InputError, match="none"):
        registry.match_for_url((), url)


@pytest.mark.parametrize("port", ["", ":22", ":80", ":8081", ":99999", ":x"])
def test_behind_another_port_of_the_same_machine_is_another_site(port: str) -> None:
    source = CrexSource("http://127.0.0.1:8080")
    assert source.match_for_url("http://127.0.0.1:8080/cricket-live-score/a-match-updates-QUY").key == "QUY"
    with pytest.raises(InputError):
        source.match_for_url(f"http://127.0.0.1{port}/cricket-live-score/a-match-updates-QUY")


@pytest.mark.parametrize("address", ["https://crex.com:22", "http://crex.com:443", "https://crex.com:80"])
def test_a_site_is_asked_on_its_own_ports_only(address: str) -> None:
    with pytest.raises(InputError):
        OURS.match_for_url(f"{address}/cricket-live-score/a-match-updates-QUY")
