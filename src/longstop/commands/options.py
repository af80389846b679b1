"""What several commands take, and how the settings come together from it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from longstop.settings import Loaded, load, parse_overrides

# `readable=False` on every path: that it may not be read is for the command to say, with an exit code of its own.
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", readable=False, help="Settings file; else LONGSTOP_CONFIG, else ./config.yaml."),
]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", help="One setting, as path=value; may be given again and again.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer for programs: one JSON document.")]


def load_settings(config: Path | None, overrides: list[str] | None) -> Loaded:
    """Raises one error with every fault there is."""
    return load(file=config, environ=os.environ, overrides=parse_overrides(overrides or []))


def rereading(loaded: Loaded, overrides: list[str] | None) -> Callable[[], Loaded]:
    """The same again, from the file that was read at first: one that has gone since is a fault, not "no settings"."""
    given = parse_overrides(overrides or [])
    return lambda: load(file=loaded.file, environ=os.environ, overrides=given)
