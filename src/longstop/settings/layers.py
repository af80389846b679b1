"""The three places where values are given, each read into the same form: path → value with its origin."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from longstop.settings.faults import COMMAND_LINE, Fault, Origin
from longstop.settings.keys import Catalog, Key
from longstop.settings.kinds import Unusable, read_text
from longstop.settings.suggest import is_name, nearest_path


@dataclass(frozen=True, slots=True)
class Given:
    """A value that somebody gave."""

    value: object
    origin: Origin


@dataclass(slots=True)
class Layer:
    """What one place gives, and what is wrong with it. Filled while it is read, then only looked at."""

    given: dict[str, Given] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def refuse(self, origin: Origin, key: str, problem: str, remedy: str) -> None:
        self.faults.append(Fault(origin, key, problem, remedy))

    def refuse_value(self, origin: Origin, key: Key, wrong: Unusable) -> None:
        remedy = f"give {key.expects()}" + (f", {wrong.remedy}" if wrong.remedy else "")
        self.refuse(origin, key.path, wrong.problem, remedy)


def read_overrides(overrides: Mapping[str, str], catalog: Catalog) -> Layer:
    """`--set path=value` from the command line."""
    layer = Layer()
    for path, text in overrides.items():
        key = catalog.keys.get(path)
        if key is None:
            problem, remedy = _unknown_path(path, catalog)
            layer.refuse(COMMAND_LINE, "", problem, remedy)
            continue
        try:
            layer.given[path] = Given(read_text(key.kind, text), COMMAND_LINE)
        except Unusable as wrong:
            layer.refuse_value(COMMAND_LINE, key, wrong)
    return layer


def split_overrides(items: list[str]) -> tuple[dict[str, str], list[Fault]]:
    """`path=value` texts, as repeated `--set` brings them. The same path twice is refused unless it says the same."""
    overrides: dict[str, str] = {}
    faults: list[Fault] = []
    for item in items:
        path, sign, value = item.partition("=")
        path = path.strip()
        if not sign:
            faults.append(Fault(COMMAND_LINE, "", "--set is given without '='", "write --set path=value"))
        elif overrides.setdefault(path, value) != value:
            faults.append(Fault(COMMAND_LINE, path if is_name(path) else "", "--set gives it two values", "give one"))
    return overrides, faults


def _unknown_path(path: str, catalog: Catalog) -> tuple[str, str]:
    if path in catalog.groups:
        return f"{path or 'the empty name'} is a group of settings", "name one key in it, as group.key=value"
    if not is_name(path):
        return "a name given to --set is no path", "write --set path=value, for example --set api.port=8001"
    group, _, name = path.rpartition(".")
    meant = nearest_path(name, group, catalog) if group in catalog.groups else nearest_path(path, "", catalog)
    return f"there is no setting {path}", f"did you mean {meant}" if meant else "see docs/settings.md"
