"""What must hold for any input."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop.settings import Loaded, Settings, SettingsError, load, show
from longstop.settings.document import example_file
from longstop.settings.keys import Key, catalog_of

CATALOG = catalog_of(Settings())
EXAMPLE = yaml.safe_load(example_file())
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def load_bytes(folder: Path, content: bytes) -> Loaded:
    file = folder / "any.yaml"
    file.write_bytes(content)
    return load(file=file, environ={}, overrides={})


def mutated(path: str, value: object) -> bytes:
    """The complete example with one value replaced."""
    tree: Any = yaml.safe_load(example_file())
    *groups, name = path.split(".")
    inside = tree
    for group in groups:
        inside = inside[group]
    inside[name] = value
    return yaml.safe_dump(tree, allow_unicode=True).encode()


def impossible_values(key: Key) -> list[object]:
    """Values that the key must refuse, whatever it is."""
    wrong: list[object] = [None, {"a": 1}]
    if key.kind.item is None:
        wrong.append([1, 2])
    if key.kind.name in {"whole", "decimal"}:
        assert key.least is not None
        assert key.most is not None
        wrong += [True, "7", "abc", key.least - 1, key.most + 1, float("nan"), float("inf")]
    if key.kind.name == "whole":
        wrong.append(1.5)
    if key.kind.name == "truth":
        wrong += [1, 0, "true", 2.5]
    if key.kind.name == "choice":
        wrong += ["nonsense", 1, True]
    if key.kind.name in {"text", "secret", "address", "path"}:
        wrong += [5, 1.5, True, "line\nbreak", "x" * 5000]
    return wrong


@pytest.mark.parametrize("path", CATALOG.keys)
def test_any_single_wrong_value_is_refused_by_name(tmp_path: Path, path: str) -> None:
    for value in impossible_values(CATALOG.keys[path]):
        with pytest.raises(SettingsError) as refused:
            load_bytes(tmp_path, mutated(path, value))
        assert [fault.key for fault in refused.value.faults] == [path], value
        assert path in str(refused.value.faults[0])
        assert len(str(refused.value.faults[0])) <= 200 + len(str(tmp_path))


@quick
@given(path=st.sampled_from(sorted(CATALOG.keys)), where=st.integers(0, 60), letter=st.sampled_from("xyz_q"))
def test_any_mistyped_key_is_refused_and_mended(tmp_path: Path, path: str, where: int, letter: str) -> None:
    group, _, name = path.rpartition(".")
    typo = name[: where % len(name)] + letter + name[where % len(name) :]
    if f"{group}.{typo}" in CATALOG.keys:
        return
    inside = "".join("  " * depth + f"{part}:\n" for depth, part in enumerate(group.split(".")))
    content = f"{inside}{'  ' * (group.count('.') + 1)}{typo}: 1\n"
    with pytest.raises(SettingsError) as refused:
        load_bytes(tmp_path, content.encode())
    assert f"{group}.{typo}: is not a setting; did you mean " in str(refused.value)


@pytest.mark.parametrize("key", CATALOG.keys.values(), ids=lambda key: key.path)
def test_every_fault_of_a_variable_is_short_and_says_what_to_give(key: Key) -> None:
    for name in key.names:
        for text in ("\n", "x" * 5000, "-999999999999999999999"):
            try:
                load(file=None, environ={name: text}, overrides={})
            except SettingsError as error:
                assert all(len(str(fault)) <= 230 for fault in error.faults)
                assert all(name in str(fault) for fault in error.faults)


@quick
@given(content=st.binary(max_size=400))
def test_random_bytes_load_or_are_refused(tmp_path: Path, content: bytes) -> None:
    refuse_or_show(tmp_path, content)


@quick
@given(content=st.text(alphabet="ap: i\n\t-[]{}&*!|>'\"%@`#,?1.~<\\xu0éA", max_size=200))
def test_random_yaml_loads_or_is_refused(tmp_path: Path, content: str) -> None:
    refuse_or_show(tmp_path, content.encode())


@quick
@given(cut=st.integers(0, 20000), junk=st.binary(min_size=1, max_size=6))
def test_a_damaged_file_loads_or_is_refused(tmp_path: Path, cut: int, junk: bytes) -> None:
    whole = example_file().encode()
    at = cut % len(whole)
    refuse_or_show(tmp_path, whole[:at] + junk + whole[at + len(junk) :])


def refuse_or_show(folder: Path, content: bytes) -> None:
    try:
        show(load_bytes(folder, content), True)
    except SettingsError as error:
        assert error.faults
        assert all(str(fault).isprintable() for fault in error.faults)


names = st.sampled_from(sorted(CATALOG.names)) | st.text(min_size=1, max_size=30)


@quick
@given(environ=st.dictionaries(names, st.text(max_size=60), max_size=5))
def test_any_environment_loads_or_is_refused(environ: Mapping[str, str]) -> None:
    try:
        show(load(file=None, environ=environ, overrides={}), False)
    except SettingsError as error:
        assert all(str(fault).isprintable() for fault in error.faults)


@quick
@given(
    sets=st.dictionaries(st.sampled_from(sorted(CATALOG.keys)) | st.text(max_size=30), st.text(max_size=60), max_size=5)
)
def test_any_command_line_loads_or_is_refused(sets: Mapping[str, str]) -> None:
    try:
        load(file=None, environ={}, overrides=sets)
    except SettingsError as error:
        assert all(str(fault).isprintable() for fault in error.faults)


@quick
@given(data=st.data())
def test_what_is_shown_loads_again_to_the_same(tmp_path: Path, data: st.DataObject) -> None:
    numbers = [key for key in CATALOG.keys.values() if key.kind.name == "whole" and key.path.startswith("scraper.res")]
    sets = {}
    for key in data.draw(st.lists(st.sampled_from(numbers), max_size=4, unique=True)):
        assert key.least is not None
        assert key.most is not None
        sets[key.path] = str(data.draw(st.integers(int(key.least), int(key.most))))
    try:
        first = load(file=None, environ={}, overrides=sets)
    except SettingsError:
        return
    environ = {CATALOG.keys[path].own_name: text for path, text in sets.items()}
    assert load(file=None, environ=environ, overrides={}).settings == first.settings
