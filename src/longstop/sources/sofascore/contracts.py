"""What is promised about each answer, with a version: `sofascore.event.v1`.

A payload that keeps its contract is converted; one that breaks it is told with every path that is missing or of
another type, so that one look shows what the site has changed.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from longstop.domain.errors import SchemaBreakError
from longstop.sources.sofascore.families import Family

T = TypeVar("T", bound=msgspec.Struct)

VERSIONS = {
    Family.EVENT: "sofascore.event.v1",
    Family.EVENT_LIST: "sofascore.event_list.v1",
    Family.INCIDENTS: "sofascore.incidents.v1",
    Family.LINEUPS: "sofascore.lineups.v1",
    Family.STATISTICS: "sofascore.statistics.v1",
    Family.PLAYER: "sofascore.player.v1",
    Family.PLAYER_MATCH: "sofascore.player_statistics.v1",
    Family.PLAYER_SEASON: "sofascore.season_statistics.v1",
    Family.SEARCH: "sofascore.search.v1",
    Family.SEASONS: "sofascore.seasons.v1",
}
_FAULTS_MAX = 20
_ROWS_MAX = 500
_NAME_CHARS_MAX = 60


def converted(content: object, shape: type[T], family: Family) -> T:
    try:
        return msgspec.convert(content, shape)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        raise _break(content, shape, family, str(error)) from error


def schema_break(family: Family, missing: tuple[str, ...] = (), wrong: tuple[str, ...] = ()) -> SchemaBreakError:
    told = [f"{path} is missing" for path in missing] + [
        f"{path} is of another type or out of bounds" for path in wrong
    ]
    return SchemaBreakError(
        f"It breaks {VERSIONS[family]}: {'; '.join(told[:5])}{' and more' if len(told) > 5 else ''}.",
        contract=VERSIONS[family],
        missing=missing,
        wrong=wrong,
    )


def _break(content: object, shape: type[Any], family: Family, text: str) -> SchemaBreakError:
    faults = []
    for fault in _faults(content, inspect.type_info(shape), ""):
        faults.append(fault)
        if len(faults) >= _FAULTS_MAX:
            break
    missing = tuple(path for is_missing, path in faults if is_missing)
    wrong = tuple(path for is_missing, path in faults if not is_missing)
    return schema_break(family, missing, wrong or (() if missing else (text[:_NAME_CHARS_MAX],)))


def _faults(value: object, kind: inspect.Type, path: str) -> Iterator[tuple[bool, str]]:
    """(True, path) for what is missing, (False, path) for what is of another type or out of bounds."""
    if isinstance(kind, inspect.UnionType):
        if value is not None or not kind.includes_none:
            yield from _faults_of_one(value, kind, path)
    elif isinstance(kind, inspect.StructType):
        yield from _struct_faults(value, kind, path)
    elif isinstance(kind, inspect.ListType):
        yield from _list_faults(value, kind, path)
    elif not _fits(value, kind):
        yield False, path or "the whole"


def _faults_of_one(value: object, kind: inspect.UnionType, path: str) -> Iterator[tuple[bool, str]]:
    choices = [choice for choice in kind.types if not isinstance(choice, inspect.NoneType)]
    if len(choices) == 1:
        yield from _faults(value, choices[0], path)
    elif not any(_fits(value, choice) for choice in choices):
        yield False, path


def _struct_faults(value: object, kind: inspect.StructType, path: str) -> Iterator[tuple[bool, str]]:
    if not isinstance(value, dict):
        yield False, path or "the whole"
        return
    for field in kind.fields:
        name = f"{path}.{field.encode_name}" if path else field.encode_name
        if field.encode_name in value:
            yield from _faults(value[field.encode_name], field.type, name)
        elif field.required:
            yield True, name


def _list_faults(value: object, kind: inspect.ListType, path: str) -> Iterator[tuple[bool, str]]:
    if not isinstance(value, list):
        yield False, path
        return
    for place, item in enumerate(value[:_ROWS_MAX]):
        yield from _faults(item, kind.item_type, f"{path}[{place}]")


def _fits(value: object, kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.IntType):
        is_whole = isinstance(value, float) and value.is_integer()
        return ((isinstance(value, int) and not isinstance(value, bool)) or is_whole) and _is_within(value, kind)
    if isinstance(kind, inspect.FloatType):
        return isinstance(value, int | float) and not isinstance(value, bool)
    for described, python in _PLAIN:
        if isinstance(kind, described):
            return isinstance(value, python)
    return True


def _is_within(value: Any, kind: inspect.IntType) -> bool:
    is_low = (kind.gt is not None and value <= kind.gt) or (kind.ge is not None and value < kind.ge)
    return not is_low and (kind.le is None or value <= kind.le)


_PLAIN: tuple[tuple[type[inspect.Type], type], ...] = (
    (inspect.StrType, str),
    (inspect.BoolType, bool),
    (inspect.DictType, dict),
    (inspect.NoneType, type(None)),
)
