"""Values that are each possible, but not together."""

import base64
import random

import pytest

from longstop.settings import Settings
from longstop.settings.check import NOT_ABOVE, TOGETHER, value_at
from longstop.settings.guessing import is_guessable
from longstop.settings.keys import catalog_of
from tests.unit.settings.conftest import Load, Refuse

CATALOG = catalog_of(Settings())


@pytest.mark.req("I5")
@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"MEMORY_SOFT_LIMIT_MB": "3000"}, "3000 is above hard_limit_mb, 2048 (default); lower it"),
        ({"MEMORY_HARD_LIMIT_MB": "1000"}, "1000 is below soft_limit_mb, 1536 (default); raise it"),
        ({"POLLING_INTERVAL_SECONDS": "301"}, "301 is above staleness_threshold, 300 (default)"),
        (
            {"POLLING_INTERVAL_SECONDS": "20", "STALENESS_THRESHOLD_SECONDS": "10"},
            "20 is above staleness_threshold, 10 (environment STALENESS_THRESHOLD_SECONDS)",
        ),
        ({"RETRY_BASE_DELAY_SECONDS": "17"}, "17 is above max_delay, 16 (default)"),
        ({"PAGE_TIMEOUT_SECONDS": "4"}, "4 is below selector, 5 (default)"),
        ({"SELECTOR_TIMEOUT_SECONDS": "31"}, "31 is above page, 30 (default)"),
        ({"PROMETHEUS_PORT": "8000"}, "prometheus.port and api.port are the same"),
        ({"LONGSTOP_API_PORT": "9090", "LONGSTOP_API_HOST": "0.0.0.0"}, "prometheus.port and api.port are the same"),
        ({"IPROYAL_HOST": "gate.test", "IPROYAL_PASSWORD": "hunter2"}, "password without username"),
        ({"IPROYAL_HOST": "gate.test", "IPROYAL_USERNAME": "hunter2"}, "username is given without password"),
    ],
)
def test_what_cannot_hold_together_is_refused(faults_of, environ, says) -> None:
    (fault,) = faults_of(environ=environ)
    assert says in str(fault)
    assert str(fault.origin).removeprefix("environment ") in environ


@pytest.mark.parametrize(
    "environ",
    [
        {"MEMORY_SOFT_LIMIT_MB": "2048"},
        {"LONGSTOP_API_PORT": "9090", "ENABLE_PROMETHEUS_METRICS": "false"},
        {"LONGSTOP_API_PORT": "0", "PROMETHEUS_PORT": "0"},
        {"LONGSTOP_API_PORT": "9090", "LONGSTOP_API_HOST": "127.0.0.2"},
        {"IPROYAL_HOST": "gate.test"},
        {"IPROYAL_HOST": "gate.test", "IPROYAL_USERNAME": "a", "IPROYAL_PASSWORD": "b"},
    ],
)
def test_what_can_hold_together_is_accepted(loaded, environ) -> None:
    loaded(environ=environ)


def test_a_refused_value_causes_no_second_fault(faults_of) -> None:
    assert len(faults_of(environ={"MEMORY_SOFT_LIMIT_MB": "9999999999", "MEMORY_HARD_LIMIT_MB": "1000"})) == 1


def test_a_combination_is_refused_beside_other_faults(faults_of) -> None:
    faults = faults_of(environ={"MEMORY_SOFT_LIMIT_MB": "3000", "LOG_LEVEL": "loud"})
    assert {fault.key for fault in faults} == {
        "scraper.resources.memory.soft_limit_mb",
        "scraper.monitoring.logging.level",
    }


@pytest.mark.parametrize(("low", "high"), NOT_ABOVE)
def test_every_order_can_fail(faults_of, low, high) -> None:
    least, most = CATALOG.keys[high].least, CATALOG.keys[low].most
    assert least is not None
    assert most is not None
    below = next(n for n in (least, 1, 2, 4, 16) if n >= least)
    above = next(n for n in (most, 100000, 500, 200) if below < n <= most)
    faults = faults_of(sets={low: f"{above:.15g}", high: f"{below:.15g}"})
    assert low in {fault.key for fault in faults}
    assert all(len(str(fault)) <= 200 for fault in faults)


def test_the_rules_name_real_keys_and_the_defaults_keep_them() -> None:
    assert {key for rule in TOGETHER for key in rule.keys} | {key for pair in NOT_ABOVE for key in pair} <= set(
        CATALOG.keys
    )
    for low, high in NOT_ABOVE:
        assert value_at(Settings(), low) <= value_at(Settings(), high)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("database.url", "mysql://a/b"),
        ("database.url", "sqlite://"),
        ("database.url", "sqlite:///"),
        ("database.url", "postgres://h/db"),
        ("database.url", "postgresql://h"),
        ("database.url", "postgresql://h:99999/db"),
        ("database.url", "postgresql://u:p@ss/w@h/db"),
        ("database.url", "postgresql://[::1/db"),
        ("redis.url", "http://h"),
        ("jobs.broker_url", "amqp:"),
        ("scraper.browser.cdp_url", ""),
        ("scraper.proxy.urls", "h:1"),
        ("sources.crex.base_url", "ftp://a"),
        ("sources.crex.base_url", "http://user:pw@a"),
        ("sources.crex.base_url", "http://a/?token=1"),
        ("sink.url", "a.test"),
        ("api.host", ""),
        ("api.host", "http://a"),
        ("scraper.proxy.iproyal.country", "Germany"),
        ("scraper.monitoring.alerts.webhook_url", "slack"),
        ("api.auth.jwt_secret", "short"),
        ("api.auth.jwt_secret", "a" * 64),
        ("api.auth.jwt_secret", "changeme-changeme-changeme-changeme"),
        ("api.auth.jwt_secret", "your-256-bit-secret-your-256-bit-secret"),
        ("api.auth.jwt_secret", "please_change_this_super_secret_jwt_signing_key"),
        ("api.auth.jwt_secret", "0123456789abcdef0123456789abcdef"),
        ("api.auth.jwt_secret", "fedcba98765432100123456789ABCDEF"),
        ("api.auth.jwt_secret", "qwertyuiopasdfghjklzxcvbnm1234567890"),
        ("api.auth.jwt_secret", "mnbvcxzlkjhgfdsapoiuytrewq0987654321"),
        ("api.auth.jwt_secret", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p"),
        ("api.auth.jwt_secret", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ("api.auth.jwt_secret", "zyxwvutsrqponmlkjihgfedcba9876543210"),
        ("api.auth.jwt_secret", "a-string-secret-at-least-256-bits-long"),
        ("api.auth.jwt_secret", "x7Kp2mQ9" * 5),
        ("api.auth.jwt_secret", "x7Kp2mQ99Qm2pK7x" * 3),
        ("api.auth.jwt_secret", "1a2b" * 9 + "c3d4"),
        ("api.auth.jwt_secret", "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"),
        ("api.auth.jwt_secret", "09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7"),
        ("api.limits.trusted_proxies", "10.0.0.1/8"),
        ("storage.root", ""),
        ("storage.root", "a?b"),
    ],
)
def test_an_impossible_text_is_refused(faults_of, path, text) -> None:
    (fault,) = faults_of(sets={path: text})
    assert fault.key == path
    assert str(fault).startswith(f"command line {path}: ")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("database.url", "sqlite:////data/longstop.db"),
        ("database.url", "postgresql://user:p%40ss@db.test:5432/longstop?sslmode=require"),
        ("database.url", "postgresql+asyncpg://[::1]/longstop"),
        ("database.url", "postgresql:///longstop?host=/run/postgresql"),
        ("redis.url", "rediss://:pw@h:6379/0"),
        ("jobs.broker_url", "amqp://guest:guest@h//"),
        ("scraper.proxy.urls", "socks5h://u:p@h:1080,http://h:1"),
        ("sources.crex.base_url", "http://127.0.0.1:8080"),
        ("sources.crex.base_url", "http://[::1]:8080/x"),
        ("api.host", "::"),
        ("api.limits.trusted_proxies", "10.0.0.0/8, ::1"),
        ("api.auth.jwt_secret", "9b1f6c0e2a7d4853b0c9e1f7a2d64835"),
        ("api.auth.jwt_secret", "f3a9c1e07b5d2846f3a9c1e07b5d2846a1b2c3d4"),
        ("api.auth.jwt_secret", "!$%&/()=?*+#';:,<>|{}[]~^°§@!$%&/()"),
    ],
)
def test_a_possible_text_is_accepted(loaded, path, text) -> None:
    assert str(loaded(sets={path: text}).origins[path]) == "command line"


@pytest.mark.parametrize(
    "url",
    ["http://hooks.example.com/x", "http://192.0.2.1/x", "http://127.0.0.1.example.com/x", "https:///x", "ftp://x/y"],
)
def test_a_webhook_that_others_could_read_on_its_way_is_refused_without_showing_it(faults_of: Refuse, url: str) -> None:
    (fault,) = faults_of(environ={"ALERT_WEBHOOK_URL": url})
    assert fault.key == "scraper.monitoring.alerts.webhook_url"
    assert url not in str(fault)


@pytest.mark.parametrize(
    "url", ["", "https://hooks.example.com/x", "http://127.0.0.1:9/x", "http://[::1]/x", "http://localhost:9/x"]
)
def test_a_webhook_on_this_machine_or_by_https_is_taken(loaded: Load, url: str) -> None:
    settings = loaded(environ={"ALERT_WEBHOOK_URL": url}).settings
    assert settings.scraper.monitoring.alerts.webhook_url.get_secret_value() == url


def test_a_secret_that_was_made_by_chance_is_never_taken_for_a_guess() -> None:
    chance = random.Random(6)
    for _ in range(500):
        made = chance.randbytes(32)
        assert not is_guessable(made.hex())
        assert not is_guessable(base64.b64encode(made).decode())
