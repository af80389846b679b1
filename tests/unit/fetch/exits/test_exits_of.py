"""Exits from the settings, and what of them may be seen."""

import copy
import pickle
import random

import msgspec
import pytest
from pydantic import SecretStr, ValidationError

from longstop.domain.errors import SettingsError
from longstop.fetch.browser.needs import Profile
from longstop.fetch.exits.exit import exit_at
from longstop.fetch.exits.from_settings import PARAMETERS, exits_of, manager_of
from longstop.fetch.exits.gateway import parameters
from longstop.fetch.exits.places import PLACES, profile_at
from longstop.fetch.identity import require_coherent
from longstop.settings.browsing import IproyalSettings, ProxySettings
from longstop.settings.masks import SecretUrl

pytestmark = pytest.mark.req("D6")
ACCOUNT = IproyalSettings(
    host="geo.example.net", username=SecretStr("the-user"), password=SecretStr("the-word"), country="DE", exits=3
)


def test_what_the_gateway_is_told_stands_behind_the_password() -> None:
    exits = exits_of(ProxySettings(iproyal=ACCOUNT), random.Random(1))
    assert len(exits) == 3
    addresses = {each.address.password for each in exits}
    assert len(addresses) == 3
    for each in exits:
        assert each.address.username == "the-user"
        assert each.address.password.startswith("the-word_country-de_session-")
        assert each.address.password.endswith("_lifetime-10m")


def test_it_may_stand_behind_the_user_name_instead() -> None:
    account = ACCOUNT.model_copy(
        update={"parameters_behind": "username", "parameters": "[-cc-{country}]-sessid-{session}"}
    )
    exits = exits_of(ProxySettings(iproyal=account), random.Random(1))
    assert exits[0].address.password == "the-word"
    assert exits[0].address.username.startswith("the-user-cc-de-sessid-")


def test_without_a_country_none_is_asked_for() -> None:
    assert parameters(PARAMETERS, "", "abcd1234", 601.0) == "_session-abcd1234_lifetime-11m"


@pytest.mark.parametrize("template", ["_lifetime-10m", "_session-{session}_{password}", "_{session", "{session}{"])
def test_parameters_that_name_no_session_are_a_fault(template: str) -> None:
    with pytest.raises(ValidationError):
        IproyalSettings(parameters=template)


def test_each_session_at_the_gateway_has_an_address_of_its_own() -> None:
    manager = manager_of("site", ProxySettings(iproyal=ACCOUNT), Profile(), random.Random(1))
    sessions = [manager.take(f"match {n}", 0.0) for n in range(5)]
    assert len({each.proxy_id for each in sessions}) == 5
    assert all(f"_session-{each.session_id}_" in each.exit.address.password for each in sessions)


def test_the_same_proxy_twice_is_one_exit() -> None:
    url = SecretUrl("socks5h://me:word@127.0.0.1:1080#BR")
    (found,) = exits_of(ProxySettings(urls=(url, url)), random.Random(1))
    assert found.country == "BR"
    assert found.address.looks_names_up


@pytest.mark.parametrize("url", ["ftp://secret-user:secret-word@host:21", "secret-user:secret-word", ""])
def test_what_is_no_proxy_is_told_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        exit_at(url)
    assert "secret" not in f"{caught.value!r} {caught.value}"


@pytest.mark.req("H2")
def test_an_exit_shows_neither_its_address_nor_its_account() -> None:
    found = exit_at("http://secret-user:secret-word@secret-host.example:8080")
    manager = manager_of(
        "site", ProxySettings(urls=(SecretUrl("http://secret-user:x@secret-host:1"),)), Profile(), random.Random(1)
    )
    session = manager.take("match", 0.0)
    for shown in (repr(found), str(found), repr(found.address), f"{found}", repr(session), repr(session.view)):
        assert "secret" not in shown
    for write in (msgspec.json.encode, pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            write(found)


@pytest.mark.req("D7")
@pytest.mark.parametrize("country", sorted(PLACES))
def test_a_visitor_fits_to_where_the_exit_is(country: str) -> None:
    plain = Profile(place=(0.0, 0.0), extra_headers=(("Accept-Language", "xx"), ("DNT", "1")))
    found = require_coherent(profile_at(country.lower(), plain))
    assert found.locale.endswith(country)
    assert found.place not in (None, (0.0, 0.0))
    assert found.extra_headers == (("DNT", "1"),)
    assert profile_at(country, Profile()).place is None, "whoever tells no page where it is goes on so"


def test_a_country_that_nobody_knows_changes_nothing() -> None:
    plain = Profile(locale="pt-BR", timezone_id="America/Sao_Paulo")
    assert profile_at("", plain) == profile_at("XX", plain) == plain
