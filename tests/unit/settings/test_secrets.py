"""No secret in anything that is shown."""

import json

import pytest

from longstop.settings import Settings, SettingsError, mask_address, show
from longstop.settings.keys import catalog_of

CANARY = "hunter2-canary-vQ3nT8zK1xW6pL0rY5"
CATALOG = catalog_of(Settings())
SECRET_TEXTS = {
    "database.url": f"postgresql://user:{CANARY}@db.test/longstop",
    "redis.url": f"redis://:{CANARY}@cache.test/0",
    "jobs.broker_url": f"amqp://user:{CANARY}@broker.test//",
    "scraper.browser.cdp_url": f"ws://127.0.0.1:9222/devtools?token={CANARY}",
    "scraper.proxy.urls": f"http://user:{CANARY}@a.test:1,socks5://{CANARY}@b.test:2",
    "scraper.monitoring.alerts.webhook_url": f"https://hooks.test/{CANARY}",
    "scraper.monitoring.alerts.sentry_dsn": f"https://{CANARY}@sentry.test/1",
}
# What may stand before and after a secret that is not what it should be.
WRONG = [
    ("", ""),
    ("", "\n"),
    ("", "://"),
    ("http://u:", "@"),
    ("postgres://u:", "@h"),
    ("postgresql://u:", ""),
    ("x", "\0"),
]
BROKEN = [(mark, "") for mark in ("", "&", "*", "!", "%", "'", '"', "[", "{", "|", "@", "`", "- ", "? ")]
BROKEN += [("", ": x"), ("'", "': x"), ('"\\q', '"'), ("", "\n  - x"), ("<<: ", "")]
SECRET_PATHS = [path for path, key in CATALOG.keys.items() if key.is_secret]


def everything_said(loaded, sets: dict[str, str]) -> str:
    try:
        result = loaded(sets=sets)
    except SettingsError as error:
        return f"{error}{error!r}{error.faults!r}{error.__cause__!r}"
    settings = result.settings
    return "".join([show(result, False), show(result, True), repr(result), str(settings), settings.model_dump_json()])


@pytest.mark.parametrize("path", SECRET_PATHS)
def test_a_secret_is_kept_and_never_shown(loaded, path) -> None:
    text = SECRET_TEXTS.get(path, CANARY)
    assert CANARY not in everything_said(loaded, {path: text})
    found: object = loaded(sets={path: text}).settings
    for name in path.split("."):
        found = getattr(found, name)
    whole = found if isinstance(found, tuple) else (found,)
    assert CANARY in "".join(secret.get_secret_value() for secret in whole)


@pytest.mark.parametrize("path", SECRET_PATHS)
def test_a_wrong_secret_is_refused_without_being_shown(loaded, path) -> None:
    for before, after in WRONG:
        assert CANARY not in everything_said(loaded, {path: before + CANARY + after})


@pytest.mark.parametrize("path", SECRET_PATHS)
def test_a_secret_in_a_broken_file_is_not_shown(loaded, path) -> None:
    *groups, name = path.split(".")
    lines = ["  " * depth + f"{group}:" for depth, group in enumerate(groups)]
    for before, after in BROKEN:
        # Without the space after the colon name and value are one word.
        for colon in (": ", ":"):
            text = "\n".join([*lines, "  " * len(groups) + name + colon + before + CANARY + after])
            assert CANARY not in everything_said(lambda text=text, **_: loaded(text), {})


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("", ""),
        ("sqlite:///var/longstop.db", "sqlite:///var/longstop.db"),
        ("postgresql://h/db?sslmode=require", "postgresql://h/db?sslmode=require"),
        ("postgresql://u:p@h:5432/db", "postgresql://***@h:5432/db"),
        ("postgresql://u:p@ss/w#rd@h/db", "postgresql://***@h/db"),
        ("http://h/?password=p&x=1&api_key=q", "http://h/?password=***&x=1&api_key=***"),
        ("u:p@h", "***"),
        ("hunter2", "***"),
    ],
)
def test_an_address_is_masked(address, shown) -> None:
    assert mask_address(address) == shown


def test_the_shown_json_holds_every_value_and_its_origin(loaded) -> None:
    told = json.loads(
        show(loaded("api: {port: 8100}", {"POLLING_INTERVAL_SECONDS": "3", "IPROYAL_PASSWORD": CANARY}), True)
    )
    assert set(told) == {"settings", "origins"}
    assert told["settings"]["api"]["port"] == 8100
    assert told["settings"]["scraper"]["proxy"]["iproyal"] == {
        "host": "",
        "port": 12321,
        "username": "",
        "password": "***",
        "country": "",
        "scheme": "http",
        "exits": 10,
        "parameters": "",
        "parameters_behind": "password",
    }
    assert told["origins"]["scraper.lifecycle.polling_interval"] == "environment POLLING_INTERVAL_SECONDS"
    assert told["origins"]["api.port"].endswith("given.yaml:1")
    assert told["origins"]["api.host"] == "default"
    assert set(told["origins"]) == set(CATALOG.keys)


def test_the_shown_text_has_a_line_for_every_key(loaded) -> None:
    lines = show(loaded(sets={"api.port": "1"}), False).splitlines()
    assert [line.split()[0] for line in lines] == list(CATALOG.keys)
    (line,) = [line for line in lines if line.startswith("api.port ")]
    assert line.split() == ["api.port", "1", "command", "line"]
