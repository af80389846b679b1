"""Writes docs/settings.md and config.example.yaml from the tree, so that neither can fall behind it.

python -m longstop.settings.document .          writes both under this folder
python -m longstop.settings.document . --check  writes nothing, exits 1 when one of them is out of date
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from longstop.settings.environment import FILE_VARIABLE, OWN_PREFIXES
from longstop.settings.keys import Catalog, Group, Key, catalog_of
from longstop.settings.kinds import NUMBER_MAX, TEXT_MAX
from longstop.settings.masks import SecretUrl
from longstop.settings.tree import Settings

INTRODUCTION = f"""# Settings

<!-- Written by `python -m longstop.settings.document .` from src/longstop/settings. Do not edit by hand. -->

Every setting has a default. Over it goes the file, over that the environment, over that the command line.

- **File**: `--config FILE`, else the file that `{FILE_VARIABLE}` names, else `config.yaml` in the folder where longstop
  is started, if there is one. `config.example.yaml` holds every key with its default.
- **Environment**: the documented name where there is one, and for every key `LONGSTOP_` with the path in capitals, its
  dots as single underscores: `api.port` is `LONGSTOP_API_PORT`. Both names may be set only to the same value.
- **Command line**: `--set path=value`, repeated, for example `--set api.port=8001`.

`longstop config show` prints the result, where each value came from, and no secret. All faults are reported at once.

## How values are read

- In the environment and on the command line: numbers as `2.5` or `300`, truth as `true`, `yes`, `on`, `1` and `false`,
  `no`, `off`, `0`, lists parted by commas or as JSON. A variable set to nothing is not "not set": for a
  number it is a fault.
- In the file: UTF-8, at most 1 MiB, one document. Types are kept strictly: a quoted number is text and refused where a
  number belongs, a bare number is refused where text belongs, `true`, `yes` and `on` are never numbers, `1` is never
  true. `010`, `0x1F`, `1_000`, `.inf` and `.nan` are refused. `NO` is text (a country), except where a truth value
  belongs. A key without a value, a repeated key, aliases, anchors and tags are faults. An empty group is not.
- Numbers have at most {NUMBER_MAX} characters, texts at most {TEXT_MAX} on one line. Words such as `INFO` may be in
  any case.
- Unknown names in the file are faults, and so are unknown variables that begin with {", ".join(OWN_PREFIXES)}.
  Other variables are left alone unless they miss a documented name by a letter or its unit (`POLLING_INTERVAL_MS`).
  `LONGSTOP_TEST_…` and what Kubernetes and Docker put there about their services are not ours.
- Secrets (marked *secret*) are best given by the environment. They are never shown; addresses are shown without user
  and password.

"""
TABLE_HEAD = "| key | default | what it is | environment |\n|---|---|---|---|\n"
EXAMPLE_HEAD = """# Every setting of Longstop with its default. Copy what you want to change to config.yaml and
# leave out the rest.
# docs/settings.md says how values are read. Secrets are better given by the environment.
# Written by `python -m longstop.settings.document .`
"""


def settings_page() -> str:
    """docs/settings.md."""
    catalog = catalog_of(Settings())
    return INTRODUCTION + "\n".join(_section(catalog, group) for group in catalog.groups if _keys_in(catalog, group))


def _keys_in(catalog: Catalog, group: str) -> list[Key]:
    return [key for path, key in catalog.keys.items() if path.rpartition(".")[0] == group]


def _section(catalog: Catalog, group: str) -> str:
    rows = "".join(_row(key) for key in _keys_in(catalog, group))
    return f"## `{group}`\n\n{catalog.groups[group]}\n\n{TABLE_HEAD}{rows}"


def _row(key: Key) -> str:
    secret = " *secret*" if key.is_secret else ""
    names = "<br>".join(f"`{name}`" for name in key.names)
    what = f"{key.says} {_sentence(key.expects())}{secret}".replace("|", "\\|")
    return f"| `{key.path.rpartition('.')[2]}` | {_default(key)} | {what} | {names} |\n"


def _default(key: Key) -> str:
    shown = _yaml(key.default)
    return f"`{shown}`" if shown not in {'""', "[]"} else "empty"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def example_file() -> str:
    """config.example.yaml."""
    catalog = catalog_of(Settings())
    return EXAMPLE_HEAD + "\n".join(_lines(Settings(), "", catalog)) + "\n"


def _lines(group: Group, path: str, catalog: Catalog) -> Iterator[str]:
    """The lines of one group, indented as deep as it stands."""
    indent = "  " * (path.count(".") + 1 if path else 0)
    for name in type(group).model_fields:
        inside = f"{path}.{name}" if path else name
        value = getattr(group, name)
        if not path:
            yield ""
        if isinstance(value, Group):
            yield f"{indent}# {catalog.groups[inside]}"
            yield f"{indent}{name}:"
            yield from _lines(value, inside, catalog)
        else:
            yield from _entry(catalog.keys[inside], indent, name)


def _entry(key: Key, indent: str, name: str) -> Iterator[str]:
    documented = f" [{key.documented_name}]" if key.documented_name else ""
    yield f"{indent}# {key.says} {_sentence(key.expects())}{documented}"
    # Left empty the database follows storage.root, which is also where its default lies.
    yield f"{indent}{name}: {_yaml('' if key.path == 'database.url' else key.default)}"


def _yaml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_yaml(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, (bool, int)):
        return json.dumps(value)
    text = str(value)
    is_word = text.isalpha() and text.lower() not in {"true", "false", "null", "yes", "no", "on", "off"}
    return text if is_word and not isinstance(value, SecretUrl) else json.dumps(text)


def pages() -> dict[str, str]:
    """Every written file by its path in the project."""
    return {"docs/settings.md": settings_page(), "config.example.yaml": example_file()}


def main(arguments: Sequence[str]) -> int:
    root, *options = [*arguments, "."] if not arguments or arguments[0].startswith("-") else arguments
    stale = [name for name, text in pages().items() if not _says(Path(root) / name, text)]
    if "--check" in options:
        return 1 if stale else 0
    for name in stale:
        (Path(root) / name).write_text(pages()[name], encoding="utf-8")
    return 0


def _says(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
