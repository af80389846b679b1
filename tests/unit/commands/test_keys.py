"""`longstop keys` and `longstop access`, as a person and as a program use them."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from longstop.cli import app
from longstop.clock import SystemClock
from longstop.domain.access import AccessEntry
from longstop.serve.entry.keys import hash_of
from longstop.store.entry.access import access_store

pytestmark = pytest.mark.req("G2")


class Office:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def says(self, *words: str) -> str:
        done = CliRunner().invoke(app, [*words, "--set", f"storage.root={self.folder}"])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.output

    def answers(self, *words: str) -> dict[str, Any]:
        return dict(json.loads(self.says(*words, "--json")))


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_key_is_shown_once_and_kept_as_a_hash(office: Office) -> None:
    made = office.answers("keys", "create", "acme", "--scope", "read", "--scope", "push", "--tier", "premium")
    assert made["key"].startswith(f"lsk_{made['key_id']}_")
    assert (made["tier"], made["scopes"], made["state"]) == ("premium", ["push", "read"], "active")
    (listed,) = office.answers("keys", "list")["keys"]
    assert "key" not in listed
    content = (office.folder / "access" / "access.db").read_bytes()
    assert made["key"].encode() not in content
    assert made["key"].rpartition("_")[2].encode() not in content
    assert hash_of(made["key"]).encode() in content


def test_a_further_key_leaves_its_consumer_in_its_tier(office: Office) -> None:
    office.says("keys", "create", "acme", "--tier", "premium")
    assert office.answers("keys", "create", "acme")["tier"] == "premium"
    assert office.answers("keys", "create", "other")["tier"] == "standard"


def test_a_token_is_revoked_by_its_jti_and_what_is_none_is_refused(office: Office) -> None:
    assert office.answers("keys", "revoke-token", "5f" * 16)["jti"] == "5f" * 16
    with pytest.raises(Exception, match="is no jti"):
        office.says("keys", "revoke-token", "lsk_something")
    store = access_store("sqlite:///unused.db", office.folder / "access", SystemClock())

    async def revoked() -> list[str]:
        try:
            standing = await store.standing()
            return [] if standing is None else [each.jti for each in standing.revocations]
        finally:
            await store.close()

    assert asyncio.run(revoked()) == ["5f" * 16]


def test_a_revoked_key_has_ended_and_ends_once(office: Office) -> None:
    key_id = office.answers("keys", "create", "acme")["key_id"]
    assert office.answers("keys", "revoke", key_id) == {"key_id": key_id, "changed": True}
    assert office.answers("keys", "revoke", key_id)["changed"] is False
    assert office.answers("keys", "list")["keys"][0]["state"] == "revoked"


def test_a_rotated_key_stays_good_for_its_overlap(office: Office) -> None:
    old = office.answers("keys", "create", "acme", "--scope", "push")
    new = office.answers("keys", "rotate", old["key_id"], "--overlap", "2h")
    assert (new["replaces"], new["scopes"]) == (old["key_id"], ["push"])
    before, after = office.answers("keys", "list")["keys"]
    assert (before["state"], before["replaced_by"], after["state"]) == ("active", new["key_id"], "active")
    office.says("keys", "rotate", new["key_id"], "--overlap", "0")
    assert [each["state"] for each in office.answers("keys", "list")["keys"]] == ["active", "revoked", "active"]


def test_what_is_wrong_is_told(office: Office) -> None:
    for words, said in (
        (("create", "Acme Inc"), "cannot be the name"),
        (("create", "a" * 65), "cannot be the name"),
        (("create", "acme", "--expires", "soon"), "no duration"),
        (("create", "acme", "--label", "two\nlines"), "one line"),
        (("revoke", "nobodys"), "There is no key"),
        (("rotate", "nobodys"), "There is no key"),
    ):
        with pytest.raises(Exception, match=said):
            office.says("keys", *words)
    assert office.says("keys", "list") == "There are no keys.\n"


def test_the_signing_key_is_changed_in_its_file_only(office: Office) -> None:
    first = office.answers("keys", "rotate-signing")["kid"]
    second = office.answers("keys", "rotate-signing")["kid"]
    file = office.folder / "access" / "signing-keys.json"
    assert [key["kid"] for key in json.loads(file.read_bytes())] == [first, second]
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Exception, match="given by the settings"):
        office.says("keys", "rotate-signing", "--set", "api.auth.jwt_secret=vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA")


def test_the_access_log_is_asked_by_consumer_and_day(office: Office) -> None:
    now = SystemClock().now()

    async def fill() -> None:
        store = access_store("sqlite:///x.db", office.folder / "access", SystemClock())
        rows = [("acme", now), ("acme", now - timedelta(days=1)), ("other", now)]
        await store.write(
            [
                AccessEntry(n, at, who, "k", "GET", "/cricket-data/matches", 200, 1.5, f"r{n}", 3.0)
                for n, (who, at) in enumerate(rows)
            ]
        )
        await store.close()

    asyncio.run(fill())
    assert [each["request_id"] for each in office.answers("access", "--consumer", "acme")["entries"]] == ["r0"]
    yesterday = f"{now - timedelta(days=1):%Y-%m-%d}"
    assert [each["request_id"] for each in office.answers("access", "--day", yesterday)["entries"]] == ["r1"]
    assert "GET /cricket-data/matches  200  1.5 ms  data 3 s old" in office.says("access", "--consumer", "acme")
    (told,) = office.answers("access", "--consumer", "acme", "--summary")["endpoints"]
    assert (told["endpoint"], told["requests"]) == ("/cricket-data/matches", 1)
    assert office.says("access", "--day", "2001-01-01") == "Nobody asked.\n"
    with pytest.raises(Exception, match="is no day"):
        office.says("access", "--day", "tomorrow")
