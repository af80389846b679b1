"""`longstop db`: the schema of the database, looked at and brought to this version's.

The database's parts are imported where they are used: no other command should wait for them.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import typer

from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings

if TYPE_CHECKING:
    from longstop.commands.checkup.database import DatabaseSchema

NOT_CURRENT = 1

app = typer.Typer(help="Looks at the database's schema and brings it forward.", no_args_is_help=True)


@app.command("upgrade")
def upgrade(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Bring the schema to this version's. What is there stays; a database of others is left alone."""
    from longstop.commands.checkup import database

    url = _url(config, overrides)
    before = after = database.look(url)
    if not before.is_current:
        database.upgrade(url)
        after = database.look(url)
    facts = {"database": after.database, "from": before.revision, "to": after.revision}
    _say(as_json, _told(before, after), facts | {"changed": before.revision != after.revision})


@app.command("status")
def status(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Say which schema the database has. Exits with 1 when it is not this version's; changes nothing."""
    from longstop.commands.checkup import database

    found = database.look(_url(config, overrides))
    facts = {"database": found.database, "state": found.state.value, "revision": found.revision, "head": found.head}
    _say(as_json, f"{found.database}: {found.describe()}.", facts)
    if not found.is_current:
        raise typer.Exit(NOT_CURRENT)


def _url(config: Path | None, overrides: list[str] | None) -> str:
    return load_settings(config, overrides).settings.database.url.get_secret_value()


def _told(before: "DatabaseSchema", after: "DatabaseSchema") -> str:
    if before.revision == after.revision:
        return f"{after.database}: the schema is {after.revision} already; nothing was changed."
    source = before.revision or "nothing"
    return f"{after.database}: brought from {source} to schema {after.revision}."


def _say(as_json: bool, sentence: str, facts: dict[str, Any]) -> None:
    typer.echo(orjson.dumps(facts).decode() if as_json else sentence)
