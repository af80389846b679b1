import pytest

from longstop import __version__
from longstop.domain.errors import ExtraMissingError, SettingsError
from longstop.fetch.browser.needs import Profile
from longstop.fetch.identity import (
    accept_language,
    product_token,
    require_coherent,
    require_extra,
    require_stealth,
    user_agent,
)


@pytest.mark.req("D7")
def test_by_default_we_say_who_we_are() -> None:
    assert user_agent() == f"Longstop/{__version__} (+resilient score watcher)"
    assert user_agent("  ") == user_agent()


@pytest.mark.parametrize("contact", ["ops@example.org", "https://example.org/bot", "call us"])
def test_a_contact_goes_into_our_own_user_agent(contact: str) -> None:
    assert user_agent(contact) == f"Longstop/{__version__} (+{contact})"


def test_a_whole_user_agent_is_taken_as_it_is() -> None:
    assert user_agent("ScoreBot/2.0 (+ops@example.org)") == "ScoreBot/2.0 (+ops@example.org)"


@pytest.mark.parametrize("bad", ["a\r\nX: 1", "é", "a" * 301, "\0"])
def test_a_user_agent_that_is_no_header_is_refused(bad: str) -> None:
    with pytest.raises(SettingsError, match=r"scraper\.fetch\.user_agent"):
        user_agent(bad)


@pytest.mark.parametrize(
    ("agent", "token"), [("Longstop/0.1 (+x)", "Longstop"), ("longstop", "longstop"), ("", "Longstop")]
)
def test_robots_files_call_us_by_our_first_word(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_languages_follow_the_locale() -> None:
    assert accept_language("pt-BR") == "pt-BR,pt;q=0.9"
    assert accept_language("en") == "en"


def test_a_profile_that_fits_together_is_let_through() -> None:
    profile = Profile(
        locale="pt-BR", timezone_id="America/Sao_Paulo", extra_headers=(("Accept-Language", "pt-BR,pt;q=0.9"),)
    )
    assert require_coherent(profile) is profile
    require_coherent(Profile())


IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148"
MISFITS = {
    "locale": Profile(locale="english"),
    "time zone": Profile(timezone_id="Mars/Base"),
    "../": Profile(timezone_id="../../etc/passwd"),
    "telephone": Profile(user_agent=IPHONE, viewport=(1920, 1080)),
    "screen": Profile(viewport=(0, 10)),
    "Accept-Language": Profile(locale="pt-BR", extra_headers=(("accept-language", "en-GB"),)),
    "set twice": Profile(extra_headers=(("User-Agent", "x"),)),
    "user agent": Profile(user_agent="a\r\nb"),
}


@pytest.mark.req("D7")
@pytest.mark.parametrize("word", MISFITS)
def test_a_profile_that_contradicts_itself_is_refused(word: str) -> None:
    with pytest.raises(SettingsError, match=word.replace(".", r"\.")):
        require_coherent(MISFITS[word])


def test_a_part_that_is_not_installed_is_asked_for_by_name() -> None:
    with pytest.raises(ExtraMissingError) as thrown:
        require_extra("longstop_no_such_part", "coherent", "sources.crex.coherent_tls")
    assert str(thrown.value) == (
        "sources.crex.coherent_tls is on, and its part is not installed. "
        "Run `.venv/bin/pip install -e '.[coherent]'` in Longstop's folder, or switch sources.crex.coherent_tls off."
    )


def test_stealth_without_its_part_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ExtraMissingError, match=r"\[stealth\]"):
        require_stealth("crex")
