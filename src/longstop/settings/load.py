"""Defaults < file < environment < command line, checked as a whole.

`load` depends on its arguments and the file alone, so that it can be called again while everything runs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from longstop.settings.check import check_together
from longstop.settings.environment import FILE_VARIABLE, read_environment
from longstop.settings.faults import DEFAULT, Fault, Origin, SettingsError
from longstop.settings.file import read_file
from longstop.settings.keys import Catalog, Key, catalog_of
from longstop.settings.kinds import shown
from longstop.settings.layers import Given, Layer, read_overrides, split_overrides
from longstop.settings.masks import SecretUrl
from longstop.settings.tree import Settings

USUAL_FILE = Path("config.yaml")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and where each came from."""

    settings: Settings
    origins: Mapping[str, Origin]
    file: Path | None


def load(*, file: Path | None, environ: Mapping[str, str], overrides: Mapping[str, str]) -> Loaded:
    """Everything together, or a SettingsError with every fault there is."""
    catalog = catalog_of(Settings())
    chosen = choose_file(file, environ)
    layers = [
        Layer() if chosen is None else read_file(chosen, catalog),
        read_environment(environ, catalog),
        read_overrides(overrides, catalog),
    ]
    faults = [fault for layer in layers for fault in (*layer.faults, *_out_of_bounds(layer, catalog))]
    given = _merged(layers, refused=frozenset(fault.key for fault in faults))
    origins = MappingProxyType({path: given[path].origin if path in given else DEFAULT for path in catalog.keys})
    settings = Settings.model_validate(_nested(catalog, given))
    faults += check_together(settings, origins, frozenset(fault.key for fault in faults))
    if faults:
        raise SettingsError(faults)
    return Loaded(settings, origins, chosen)


def choose_file(file: Path | None, environ: Mapping[str, str]) -> Path | None:
    """`--config`, else LONGSTOP_CONFIG, else ./config.yaml when there is one. An empty variable names nothing."""
    if file is not None:
        return file
    if environ.get(FILE_VARIABLE):
        return Path(environ[FILE_VARIABLE])
    return USUAL_FILE if _is_there(USUAL_FILE) else None


def _is_there(path: Path) -> bool:
    """Also when it cannot be opened: reading it then says why."""
    try:
        return path.is_symlink() or path.exists()
    except OSError:
        return True


def parse_overrides(items: Iterable[str]) -> dict[str, str]:
    """`path=value` texts, as repeated `--set` brings them."""
    overrides, faults = split_overrides(list(items))
    if faults:
        raise SettingsError(faults)
    return overrides


def _out_of_bounds(layer: Layer, catalog: Catalog) -> list[Fault]:
    """Values of the right type that are too small, too large or impossible by themselves."""
    try:
        Settings.model_validate(_nested(catalog, layer.given))
    except ValidationError as error:
        rows = {_path(row["loc"]): dict(row) for row in error.errors(include_input=False, include_url=False)}
        # A bad storage.root also spoils the database address made from it, which nobody gave.
        return [
            _bound_fault(row, catalog.keys[path], layer.given[path])
            for path, row in rows.items()
            if path in layer.given
        ]
    return []


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(part for part in location if isinstance(part, str))


def _bound_fault(row: dict[str, Any], key: Key, given: Given) -> Fault:
    if row["type"] == "value_error":
        problem, _, remedy = str(row["ctx"]["error"]).partition("; ")
        return Fault(given.origin, key.path, problem, remedy)
    return Fault(given.origin, key.path, _too_much(row, key, given), f"give {key.expects()}")


def _too_much(row: dict[str, Any], key: Key, given: Given) -> str:
    value = "the value" if key.is_secret else shown(str(given.value)).strip("'")
    word = {"greater_than_equal": "too small", "less_than_equal": "too large"}.get(row["type"], "not possible")
    return f"{value} is {word}"


def _merged(layers: list[Layer], refused: frozenset[str]) -> dict[str, Given]:
    """The strongest value of each key. What was refused anywhere falls back to its default: the checks go on."""
    merged: dict[str, Given] = {}
    for layer in layers:
        merged |= layer.given
    return {path: given for path, given in merged.items() if path not in refused}


def _nested(catalog: Catalog, given: Mapping[str, Given]) -> dict[str, Any]:
    """The tree as nested mappings, defaults where nothing is given."""
    tree: dict[str, Any] = {}
    for path, key in catalog.keys.items():
        *groups, name = path.split(".")
        inside = tree
        for group in groups:
            inside = inside.setdefault(group, {})
        inside[name] = given[path].value if path in given else key.default
    _place_database(tree)
    return tree


def _place_database(tree: dict[str, Any]) -> None:
    """Without an address of its own the database lies under storage.root, wherever that was moved."""
    url = tree["database"]["url"]
    plain = url if isinstance(url, str) else ""
    if not plain:
        tree["database"]["url"] = SecretUrl(f"sqlite:///{tree['storage']['root']}/longstop.db")
