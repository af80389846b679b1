"""What must hold for any input."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longstop.settings import Fault, Settings, SettingsError, load, show
from longstop.settings.document import example_file
from longstop.settings.keys import Key, catalog_of
from longstop.settings.show import visible

CATALOG = catalog_of(Settings())
LENGTH_MAX = 210
quick = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def faults_of(
    content: bytes | None = None, environ: Mapping[str, str] | None = None, sets: Mapping[str, str] | None = None
) -> tuple[Fault, ...]:
    """The faults of what is given, none when it loads; anything else than a SettingsError fails the test."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "any.yaml" if content is not None else None
        if file is not None and content is not None:
            file.write_bytes(content)
        try:
            show(load(file=file, environ=environ or {}, overrides=sets or {}), True)
        except SettingsError as error:
            return error.faults
    return ()


def all_fit_to_print(faults: tuple[Fault, ...]) -> bool:
    return all(str(fault).isprintable() for fault in faults)


def holding(path: str, value: object) -> bytes:
    """A file with this one value, as JSON, which is YAML too."""
    tree = value
    for name in reversed(path.split(".")):
        tree = {name: tree}
    return json.dumps(tree).encode()


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


def default_of(key: Key) -> object:
    """The default as a file would say it."""
    shown = visible(Settings())
    for name in key.path.split("."):
        shown = shown[name]
    return shown


def test_every_default_may_be_written_in_a_file() -> None:
    for path, key in CATALOG.keys.items():
        assert faults_of(holding(path, default_of(key))) == ()


@pytest.mark.parametrize("section", ["scraper", "sources", "database", "storage", "api", "sink", "redis", "jobs"])
def test_any_single_wrong_value_is_refused_by_name(section: str) -> None:
    for path in (path for path in CATALOG.keys if path.startswith(section)):
        for value in impossible_values(CATALOG.keys[path]):
            (fault,) = faults_of(holding(path, value)) or [None]
            assert fault is not None, f"{path} accepts {value!r}"
            assert (fault.key, f" {path}: " in str(fault)) == (path, True)


@quick
@given(path=st.sampled_from(sorted(CATALOG.keys)), where=st.integers(0, 60), letter=st.sampled_from("xyz_q"))
def test_any_mistyped_key_is_refused_and_mended(path: str, where: int, letter: str) -> None:
    group, _, name = path.rpartition(".")
    typo = name[: where % len(name)] + letter + name[where % len(name) :]
    inside = "".join("  " * depth + f"{part}:\n" for depth, part in enumerate(group.split(".")))
    (fault,) = faults_of(f"{inside}{'  ' * (group.count('.') + 1)}{typo}: 1\n".encode())
    assert f"{group}.{typo}: is not a setting; did you mean " in str(fault)


@pytest.mark.parametrize("text", ["\n", "x" * 5000, "-999999999999999999999", "tcp://1.2.3.4:5"])
def test_every_fault_of_a_variable_is_short_and_names_it(text: str) -> None:
    for name in CATALOG.names:
        for fault in faults_of(environ={name: text}):
            assert name in str(fault)
            assert len(str(fault)) <= LENGTH_MAX


@quick
@given(content=st.binary(max_size=400))
def test_random_bytes_load_or_are_refused(content: bytes) -> None:
    assert all_fit_to_print(faults_of(content))


@quick
@given(content=st.text(alphabet="ap: i\n\t-[]{}&*!|>'\"%@`#,?1.~<\\xu0éA", max_size=200))
def test_random_yaml_loads_or_is_refused(content: str) -> None:
    assert all_fit_to_print(faults_of(content.encode()))


@quick
@given(cut=st.integers(0, 20000), junk=st.binary(min_size=1, max_size=6))
def test_a_damaged_file_loads_or_is_refused(cut: int, junk: bytes) -> None:
    whole = example_file().encode()
    at = cut % len(whole)
    assert all_fit_to_print(faults_of(whole[:at] + junk + whole[at + len(junk) :]))


NAMES = st.sampled_from(sorted(CATALOG.names)) | st.text(min_size=1, max_size=30)
PATHS = st.sampled_from(sorted(CATALOG.keys)) | st.text(max_size=30)


@quick
@given(environ=st.dictionaries(NAMES, st.text(max_size=60), max_size=5))
def test_any_environment_loads_or_is_refused(environ: Mapping[str, str]) -> None:
    assert all_fit_to_print(faults_of(environ=environ))


@quick
@given(sets=st.dictionaries(PATHS, st.text(max_size=60), max_size=5))
def test_any_command_line_loads_or_is_refused(sets: Mapping[str, str]) -> None:
    assert all_fit_to_print(faults_of(sets=sets))


WHOLES = [key for key in CATALOG.keys.values() if key.kind.name == "whole" and key.path.startswith("scraper.res")]


@quick
@given(numbers=st.dictionaries(st.sampled_from(WHOLES), st.integers(0, 3000), max_size=4))
def test_the_same_values_mean_the_same_in_every_layer(numbers: Mapping[Key, int]) -> None:
    sets = {key.path: str(number) for key, number in numbers.items()}
    environ = {key.own_name: str(number) for key, number in numbers.items()}
    by_sets, by_environ = faults_of(sets=sets), faults_of(environ=environ)
    assert {(fault.key, fault.problem.partition("(")[0]) for fault in by_sets} == {
        (fault.key, fault.problem.partition("(")[0]) for fault in by_environ
    }
    if not by_sets:
        ours = load(file=None, environ={}, overrides=sets).settings
        assert ours == load(file=None, environ=environ, overrides={}).settings
