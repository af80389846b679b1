"""Did you mean …: the known name nearest to an unknown one."""

import difflib
import re
from collections.abc import Iterable

from longstop.settings.keys import Catalog

NAME_MAX = 80
LIKENESS_MIN = 0.6
_UNIT_ENDING = re.compile(r"_(SECONDS?|SECS?|S|MS|MILLIS|MILLISECONDS|MINUTES?|MINS?|HOURS?|DAYS?|BYTES|KB|MB|GB)$")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*", re.ASCII)


def is_name(text: str) -> bool:
    """Fit to be quoted: anything else may be a value that lost its key."""
    return len(text) <= NAME_MAX and _NAME.fullmatch(text) is not None


def nearest(name: str, known: Iterable[str], *, likeness: float = LIKENESS_MIN) -> str | None:
    """The most alike name, capitals and dashes aside."""
    by_plain = {_plain(candidate): candidate for candidate in known}
    found = difflib.get_close_matches(_plain(name), by_plain, n=1, cutoff=likeness)
    return by_plain[found[0]] if found else None


def nearest_path(name: str, group: str, catalog: Catalog) -> str | None:
    """The path that was meant by a name inside a group: a neighbour, else the same name elsewhere."""
    if name.upper() in catalog.names:
        return catalog.names[name.upper()].path
    wanted = f"{group}.{name}" if group else name
    neighbour = nearest(name, catalog.children(group), likeness=0.7)
    if neighbour is not None:
        return f"{group}.{neighbour}" if group else neighbour
    same = [path for path in (*catalog.keys, *catalog.groups) if path.rpartition(".")[2] == name]
    return nearest(wanted, same, likeness=0.0) or nearest(wanted, catalog.keys, likeness=0.75)


def stem(name: str) -> str:
    """The name without its unit: POLLING_INTERVAL_MS and POLLING_INTERVAL_SECONDS are meant for the same key."""
    return _UNIT_ENDING.sub("", name)


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace("__", "_")
