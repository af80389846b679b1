"""Typed access to the fields of a Cricsheet file: a wrong one is named by its place and never ends in a traceback."""

from typing import Any

LARGEST_COUNT = 9999
# The longest innings of all had 336 overs; old matches had eight balls an over. The site shows no more than this.
LARGEST_OVER = 999
MOST_BALLS_PER_OVER = 20
CORRECT_IT = "Fetch the file again from cricsheet.org, or correct that field."
Mapping = dict[str, Any]


class CricsheetError(ValueError):
    """The file cannot be played. One sentence says which file and what is wrong, the hint what to do."""

    def __init__(self, source: str, problem: str, hint: str) -> None:
        super().__init__(f"{source}: {problem}. {hint}")
        self.source, self.problem, self.hint = source, problem, hint


class UnreadableFileError(CricsheetError):
    """There is no such file, or it may not be read."""


class NotJsonError(CricsheetError):
    """The file is of another kind altogether."""


class FieldError(Exception):
    """A problem found deep in the file, before the name of the file is known."""

    def __init__(self, problem: str, hint: str = CORRECT_IT) -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint


def mapping(value: object, where: str) -> Mapping:
    if not isinstance(value, dict):
        raise FieldError(f"{where} should be an object, but is {kind_of(value)}")
    return value


def listing(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FieldError(f"{where} should be a list, but is {kind_of(value)}")
    return value


def text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FieldError(f"{where} should be a text, but is {kind_of(value)}")
    return value


def count(value: object, where: str, largest: int = LARGEST_COUNT) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldError(f"{where} should be a whole number, but is {kind_of(value)}")
    if value < 0:
        raise FieldError(f"{where} is {value}, and cannot be negative")
    if value > largest:
        raise FieldError(f"{where} is larger than any match has seen")
    return value


def need_mapping(owner: Mapping, name: str, where: str) -> Mapping:
    return mapping(_need(owner, name, where), f"{where}.{name}")


def need_list(owner: Mapping, name: str, where: str) -> list[Any]:
    return listing(_need(owner, name, where), f"{where}.{name}")


def need_text(owner: Mapping, name: str, where: str) -> str:
    return text(_need(owner, name, where), f"{where}.{name}")


def need_count(owner: Mapping, name: str, where: str, largest: int = LARGEST_COUNT) -> int:
    return count(_need(owner, name, where), f"{where}.{name}", largest)


def optional_mapping(owner: Mapping, name: str, where: str) -> Mapping:
    value = owner.get(name)
    return {} if value is None else mapping(value, f"{where}.{name}")


def optional_list(owner: Mapping, name: str, where: str) -> list[Any]:
    value = owner.get(name)
    return [] if value is None else listing(value, f"{where}.{name}")


def optional_text(owner: Mapping, name: str, where: str) -> str | None:
    value = owner.get(name)
    return None if value is None else text(value, f"{where}.{name}")


def optional_count(owner: Mapping, name: str, where: str, largest: int = LARGEST_COUNT) -> int | None:
    value = owner.get(name)
    return None if value is None else count(value, f"{where}.{name}", largest)


def flag(owner: Mapping, name: str, where: str) -> bool:
    value = owner.get(name)
    if value is not None and not isinstance(value, bool):
        raise FieldError(f"{where}.{name} should be true or false, but is {kind_of(value)}")
    return bool(value)


def kind_of(value: object) -> str:
    """What was found, in words that fit a sentence and cannot flood it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'the text "{value[:40]}"' if value.strip() else "an empty text"
    return f"the number {str(value)[:40]}"


def _need(owner: Mapping, name: str, where: str) -> object:
    if name not in owner:
        raise FieldError(f'{where} has no "{name}"')
    return owner[name]
