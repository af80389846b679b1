"""What one setting is: its path, its names, its kind, its bounds. Everything else reads this."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any

import annotated_types
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from longstop.settings.kinds import Kind, kind_of

OWN_PREFIX = "LONGSTOP_"


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number counts."""

    name: str


Seconds = Annotated[float, Unit("seconds")]
Hours = Annotated[float, Unit("hours")]
Megabytes = Annotated[int, Unit("megabytes")]
Percent = Annotated[float, Unit("percent")]
Days = Annotated[int, Unit("days")]
Count = Annotated[int, Unit("")]


class Group(BaseModel):
    """A named group of settings. Frozen, and strict: nothing is guessed from a wrong type."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True, validate_default=False
    )


def setting(default: object, says: str, *, env: str = "", ge: float | None = None, le: float | None = None) -> Any:
    """A field that knows its documented environment variable. `says` goes into docs/settings.md as it is."""
    return Field(default, description=says, ge=ge, le=le, json_schema_extra={"env": env} if env else None)


@dataclass(frozen=True, slots=True)
class Key:
    """One setting."""

    path: str
    documented_name: str
    kind: Kind
    default: object
    says: str
    unit: str
    least: float | None
    most: float | None

    @property
    def own_name(self) -> str:
        return OWN_PREFIX + self.path.replace(".", "_").upper()

    @property
    def names(self) -> tuple[str, ...]:
        """The environment variables of this key, the documented one first."""
        return (self.documented_name, self.own_name) if self.documented_name else (self.own_name,)

    @property
    def is_secret(self) -> bool:
        return self.kind.is_secret

    def expects(self) -> str:
        """What may stand here, as the end of a sentence that begins with 'give'."""
        unit = f" of {self.unit}" if self.unit else ""
        return f"{self.kind.expects}{unit}{self._bounds()}"

    def _bounds(self) -> str:
        if self.least is not None and self.most is not None:
            return f" from {self.least:.15g} to {self.most:.15g}"
        return "" if self.least is None else f" of at least {self.least:.15g}"


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every key and every group of the tree, by path and by name."""

    keys: Mapping[str, Key]
    groups: Mapping[str, str]
    names: Mapping[str, Key] = field(default_factory=dict)

    def children(self, group: str) -> tuple[str, ...]:
        """The names that may stand directly inside a group; the root is the empty path."""
        start = f"{group}." if group else ""
        inside = (path.removeprefix(start) for path in (*self.keys, *self.groups) if path and path.startswith(start))
        return tuple(sorted({path.split(".")[0] for path in inside}))


def catalog_of(root: Group) -> Catalog:
    """Read the tree once; `root` holds the defaults."""
    keys: dict[str, Key] = {}
    groups: dict[str, str] = {}
    for path, found in _walk(root, ""):
        if isinstance(found, Key):
            keys[path] = found
        else:
            groups[path] = found
    names = {name: key for key in keys.values() for name in key.names}
    return Catalog(MappingProxyType(keys), MappingProxyType(groups), MappingProxyType(names))


def _walk(group: Group, path: str) -> Iterator[tuple[str, Key | str]]:
    yield path, (type(group).__doc__ or "").strip()
    for name, info in type(group).model_fields.items():
        value = getattr(group, name)
        inside = f"{path}.{name}" if path else name
        if isinstance(value, Group):
            yield from _walk(value, inside)
        else:
            yield inside, _key(inside, info, value)


def _key(path: str, info: FieldInfo, default: object) -> Key:
    extra = info.json_schema_extra
    lower = [float(str(m.ge)) for m in info.metadata if isinstance(m, annotated_types.Ge)]
    upper = [float(str(m.le)) for m in info.metadata if isinstance(m, annotated_types.Le)]
    return Key(
        path=path,
        documented_name=str(extra["env"]) if isinstance(extra, dict) else "",
        kind=kind_of(info.annotation),
        default=default,
        says=info.description or "",
        unit=next((m.name for m in info.metadata if isinstance(m, Unit)), ""),
        least=max(lower, default=None),
        most=min(upper, default=None),
    )
