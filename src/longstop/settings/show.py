"""The settings as people and programs may see them: every value, where it came from, no secret."""

import json
from typing import Any

from pydantic import SecretStr

from longstop.settings.keys import Group
from longstop.settings.load import Loaded

SET_SECRET = "***"  # noqa: S105 - it stands in the place of one


def show(loaded: Loaded, as_json: bool) -> str:
    """All of it. As JSON: {"settings": {…nested…}, "origins": {"path": "where from"}}."""
    return _as_json(loaded) if as_json else _as_text(loaded)


def _as_json(loaded: Loaded) -> str:
    origins = {path: str(origin) for path, origin in loaded.origins.items()}
    return json.dumps({"settings": visible(loaded.settings), "origins": origins}, indent=2)


def _as_text(loaded: Loaded) -> str:
    rows = [
        (path, json.dumps(_at(loaded, path), ensure_ascii=True), str(loaded.origins[path])) for path in loaded.origins
    ]
    wide_path, wide_value = (max(len(row[column]) for row in rows) for column in (0, 1))
    return "\n".join(f"{path:<{wide_path}}  {value:<{min(wide_value, 40)}}  {origin}" for path, value, origin in rows)


def visible(group: Group) -> dict[str, Any]:
    """A group as plain nested values, secrets masked."""
    return {name: plain(getattr(group, name)) for name in type(group).model_fields}


def plain(value: object) -> Any:
    """One value as people may see it."""
    match value:
        case Group():
            return visible(value)
        case tuple():
            return [plain(item) for item in value]
        case SecretStr():
            return SET_SECRET if value.get_secret_value() else ""
        case bool() | int() | float():
            return value
        case _:
            return str(value)  # an address masks itself


def _at(loaded: Loaded, path: str) -> Any:
    found: object = loaded.settings
    for name in path.split("."):
        found = getattr(found, name)
    return plain(found)
