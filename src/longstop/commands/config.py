"""`longstop config`: what is set, and where it came from."""

import orjson
import typer

from longstop import switched_on
from longstop.commands.options import AsJson, ConfigFile, Overrides, load_settings
from longstop.settings import show

app = typer.Typer(help="Shows and checks the settings.", no_args_is_help=True)


@app.command("show")
def show_settings(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Print every setting with its value and where it came from; secrets are masked."""
    typer.echo(show(load_settings(config, overrides), as_json))


@app.command("check")
def check(config: ConfigFile = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Say whether Longstop would start with these settings."""
    loaded = load_settings(config, overrides)
    switched_on.enabled_sources(loaded.settings)
    if as_json:
        typer.echo(orjson.dumps({"is_good": True, "file": str(loaded.file) if loaded.file else None}))
        return
    typer.echo(f"The settings are good ({loaded.file or 'no file, defaults and environment only'}).")
