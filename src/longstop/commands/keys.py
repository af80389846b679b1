"""`longstop keys`: who may use the API. Works beside a running Longstop, which knows of each change within seconds.

The database's parts are imported where they are used: no other command should wait for them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import orjson
import typer

from longstop.clock import Clock, SystemClock
from longstop.commands.durations import read_duration
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.domain.access import ApiKey, Revocation, Scope, Tier
from longstop.domain.errors import InputError
from longstop.settings import Settings

if TYPE_CHECKING:
    from longstop.store.entry.access import AccessStore

T = TypeVar("T")

app = typer.Typer(help="Makes, lists, revokes and rotates the keys of the API's consumers.", no_args_is_help=True)
KeyId = Annotated[str, typer.Argument(help="The key's id, as `longstop keys list` shows it.")]


@app.command("create")
def create(
    consumer: Annotated[str, typer.Argument(help="Who will use it, as in acme-website.")],
    scope: Annotated[list[Scope] | None, typer.Option(help="What it may do; may be given again.")] = None,
    tier: Annotated[Tier | None, typer.Option(help="How often the consumer may ask, with all its keys.")] = None,
    expires: Annotated[str | None, typer.Option(help="Ends by itself after this time, as 90d.")] = None,
    label: Annotated[str, typer.Option(help="A note to recognise it by.")] = "",
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, once. It is kept as a hash only."""
    from longstop.serve.entry.keys import make_key

    async def work(store: "AccessStore", now: datetime) -> dict[str, Any]:
        made = make_key(
            consumer,
            frozenset(scope or [Scope.READ]),
            now,
            tier=tier or await _tier_of(store, consumer),
            label=_one_line(label),
            expires_at=None if expires is None else now + timedelta(seconds=read_duration(expires)),
        )
        await store.add_key(made.key)
        return _facts(made.key, now) | {"key": made.plain}

    facts = _run(config, overrides, work)
    _say(as_json, facts, f"{facts['key']}\n{_about(facts)}\nIt is not shown again.")


@app.command("list")
def list_keys(
    consumer: Annotated[str | None, typer.Option(help="Only this one's.")] = None,
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """List the keys that there are and were, never the keys themselves."""

    async def work(store: "AccessStore", now: datetime) -> dict[str, Any]:
        found = [key for key in await store.keys() if consumer in (None, key.consumer)]
        return {"keys": [_facts(key, now) for key in found]}

    facts = _run(config, overrides, work)
    _say(as_json, facts, "\n".join(map(_about, facts["keys"])) or "There are no keys.")


@app.command("revoke")
def revoke(key_id: KeyId, config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """End a key now, and every token that was given for it. Takes effect within seconds."""

    async def work(store: "AccessStore", now: datetime) -> dict[str, Any]:
        await _require(store, key_id)
        return {"key_id": key_id, "changed": await store.end_key(key_id, now)}

    facts = _run(config, overrides, work)
    _say(as_json, facts, f"{key_id} is revoked." if facts["changed"] else f"{key_id} had ended before.")


@app.command("revoke-token")
def revoke_token(
    jti: Annotated[str, typer.Argument(help="What the token has under `jti`.")],
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """End one token or login now, and no other. Takes effect within seconds."""
    from longstop.serve.entry.revoking import LIFE_MAX, require_jti

    async def work(store: "AccessStore", now: datetime) -> dict[str, Any]:
        revocation = Revocation(require_jti(jti), now, now + LIFE_MAX)
        await store.revoke(revocation)
        return {"jti": jti, "until": revocation.expires_at.isoformat()}

    facts = _run(config, overrides, work)
    _say(as_json, facts, f"The token {jti} is revoked.")


@app.command("rotate")
def rotate(
    key_id: KeyId,
    overlap: Annotated[str, typer.Option(help="How long the old key stays good, as 24h; 0 ends it now.")] = "24h",
    config: ConfigFile = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Make a key that takes another's place, with the same rights, and show it, once."""
    from longstop.serve.entry.keys import make_key

    async def work(store: "AccessStore", now: datetime) -> dict[str, Any]:
        old = await _require(store, key_id)
        if not old.is_usable(now):
            raise InputError(f"The key {key_id} has ended.", hint="Make a new one: `longstop keys create`.")
        ends = now if overlap == "0" else now + timedelta(seconds=read_duration(overlap))
        made = make_key(old.consumer, old.scopes, now, tier=old.tier, label=old.label)
        await store.add_key(made.key)
        await store.end_key(key_id, ends, replaced_by=made.key.key_id)
        return _facts(made.key, now) | {"key": made.plain, "replaces": key_id, "old_ends_at": ends.isoformat()}

    facts = _run(config, overrides, work)
    said = f"{facts['key']}\n{_about(facts)}\nIt is not shown again. {key_id} ends at {facts['old_ends_at']}."
    _say(as_json, facts, said)


@app.command("rotate-signing")
def rotate_signing(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Give the tokens a new signing key. What the old one signed is believed until it runs out."""
    from longstop.serve.entry.hall import signing_file

    settings, clock = load_settings(config, overrides).settings, SystemClock()
    file = signing_file(settings)
    if file is None:
        raise InputError(
            "The signing key is given by the settings.",
            hint="Move api.auth.jwt_secret to api.auth.jwt_secret_before, set a new one, and restart.",
        )
    auth = settings.api.auth
    added = file.rotate(clock.now(), timedelta(hours=max(auth.token_ttl_hours, auth.session_ttl_hours)))
    facts = {"kid": added.kid, "signs_from": added.active_from.isoformat()}
    _say(as_json, facts, f"The key {added.kid} signs from {facts['signs_from']} on.")


def _run(
    config: Path | None, overrides: list[str] | None, work: "Callable[[AccessStore, datetime], Awaitable[T]]"
) -> T:
    settings = load_settings(config, overrides).settings
    return asyncio.run(_worked(settings, SystemClock(), work))


async def _worked(settings: Settings, clock: Clock, work: "Callable[[AccessStore, datetime], Awaitable[T]]") -> T:
    from longstop.serve.entry.hall import store_of

    store = store_of(settings, clock)
    try:
        return await work(store, clock.now())
    finally:
        await store.close()


async def _require(store: "AccessStore", key_id: str) -> ApiKey:
    found = await store.key(key_id)
    if found is None:
        raise InputError(f"There is no key {key_id[:40]!r}.", hint="`longstop keys list` shows their ids.")
    return found


async def _tier_of(store: "AccessStore", consumer: str) -> Tier:
    """A further key leaves its consumer in the tier that it has."""
    known = [key.tier for key in await store.keys() if key.consumer == consumer]
    return known[-1] if known else Tier.STANDARD


def _one_line(label: str) -> str:
    if not label.isprintable() or len(label) > 200:
        raise InputError("A label is one line of 200 characters at most.", hint="Shorten it.")
    return label


def _facts(key: ApiKey, now: datetime) -> dict[str, Any]:
    def shown(moment: datetime | None) -> str | None:
        return None if moment is None else moment.isoformat()

    return {
        "key_id": key.key_id,
        "consumer": key.consumer,
        "tier": key.tier.value,
        "scopes": sorted(key.scopes),
        "label": key.label,
        "state": key.state(now),
        "created_at": shown(key.created_at),
        "expires_at": shown(key.expires_at),
        "revoked_at": shown(key.revoked_at),
        "replaced_by": key.replaced_by,
    }


def _about(facts: dict[str, Any]) -> str:
    ends = facts["revoked_at"] or facts["expires_at"]
    more = "".join((f"  ends {ends}" if ends else "", f"  {facts['label']}" if facts["label"] else ""))
    scopes = ",".join(facts["scopes"])
    return f"{facts['key_id']}  {facts['consumer']}  {facts['tier']}  {scopes}  {facts['state']}{more}"


def _say(as_json: bool, facts: dict[str, Any], sentence: str) -> None:
    typer.echo(orjson.dumps(facts).decode() if as_json else sentence)
