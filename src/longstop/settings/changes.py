"""What differs between two trees of settings, and what came of reading them again. No secret is shown."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from longstop.settings.faults import Fault
from longstop.settings.keys import Group
from longstop.settings.masks import SecretUrl
from longstop.settings.show import plain

GroupT = TypeVar("GroupT", bound=Group)

RELOADED = "reloaded"
UNCHANGED = "unchanged"
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Change:
    """One setting with its two values as people may see them."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} → {self.after}"


@dataclass(frozen=True, slots=True)
class ReloadResult:
    """`outcome` is reloaded, unchanged or refused. `needs_restart` holds all that the file says and that does not run
    yet, also from earlier times. `message` and `hint` say why it was refused."""

    outcome: str
    generation: int
    applied: tuple[Change, ...] = ()
    needs_restart: tuple[Change, ...] = ()
    faults: tuple[Fault, ...] = ()
    message: str = ""
    hint: str = ""

    @property
    def is_refused(self) -> bool:
        return self.outcome == REFUSED


def changes_between(before: Group, after: Group, path: str = "") -> Iterator[Change]:
    """In the order of the tree."""
    for name in type(before).model_fields:
        inside = f"{path}.{name}" if path else name
        old, new = getattr(before, name), getattr(after, name)
        if isinstance(old, Group):
            yield from changes_between(old, new, inside)
        elif old != new:
            yield Change(inside, _shown(old), _shown(new))


def with_values_of(running: GroupT, wanted: Group, takes: Callable[[str], bool], path: str = "") -> GroupT:
    """What runs, with the wanted values wherever one is taken while running."""
    values: dict[str, object] = {}
    for name in type(running).model_fields:
        inside = f"{path}.{name}" if path else name
        old, new = getattr(running, name), getattr(wanted, name)
        if isinstance(old, Group):
            values[name] = with_values_of(old, new, takes, inside)
        else:
            values[name] = new if takes(inside) else old
    return running.model_copy(update=values)


def is_within(path: str, prefixes: tuple[str, ...]) -> bool:
    """Whether the path is one of these keys, or lies in one of these groups."""
    return any(path == prefix or path.startswith(f"{prefix}.") for prefix in prefixes)


def _shown(value: object) -> str:
    """An address of which only the password has changed looks the same twice; that it changed is said all the same."""
    if isinstance(value, SecretUrl):
        return str(value) or "empty"
    said = plain(value)
    return "empty" if said in ("", []) else str(said)
