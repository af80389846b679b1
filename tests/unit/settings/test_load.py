"""Layers, the choice of the file, and what holds for the result."""

import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from longstop.domain import errors
from longstop.settings import Settings, SettingsError, load, parse_overrides

POLL = "scraper.lifecycle.polling_interval"


@pytest.mark.req("I5")
def test_without_anything_given_the_defaults_hold(loaded) -> None:
    result = loaded()
    assert result.settings == Settings()
    assert {str(origin) for origin in result.origins.values()} == {"default"}
    assert result.file is None


@pytest.mark.req("I5")
def test_each_layer_is_stronger_than_the_one_before(loaded) -> None:
    text = "scraper:\n  lifecycle:\n    polling_interval: 3\n"
    environ, sets = {"POLLING_INTERVAL_SECONDS": "4"}, {POLL: "5"}
    found = [loaded(text), loaded(text, environ), loaded(text, environ, sets)]
    assert [result.settings.scraper.lifecycle.polling_interval for result in found] == [3, 4, 5]
    assert str(found[0].origins[POLL]).endswith("given.yaml:3")
    assert [str(result.origins[POLL]) for result in found[1:]] == [
        "environment POLLING_INTERVAL_SECONDS",
        "command line",
    ]


def test_a_layer_changes_only_what_it_names(loaded) -> None:
    crex = loaded("sources: {crex: {enabled: true}}").settings.sources.crex
    assert (crex.enabled, crex.precedence_weight, crex.rate_limits.burst_allowance) == (True, 100, 50)


def test_the_file_is_the_named_one_then_the_variables_then_the_usual_one(tmp_path: Path) -> None:
    def port(file: Path | None, environ: dict[str, str]) -> int:
        return load(file=file, environ=environ, overrides={}).settings.api.port

    for name, number in (("config.yaml", 1), ("b.yaml", 2), ("c.yaml", 3)):
        (tmp_path / name).write_text(f"api: {{port: {number}}}")
    assert port(None, {}) == 1
    assert port(None, {"LONGSTOP_CONFIG": ""}) == 1
    assert port(None, {"LONGSTOP_CONFIG": "b.yaml"}) == 2
    assert port(tmp_path / "c.yaml", {"LONGSTOP_CONFIG": "b.yaml"}) == 3


def test_a_named_file_that_is_missing_is_a_fault(faults_of) -> None:
    (fault,) = faults_of(environ={"LONGSTOP_CONFIG": "nowhere.yaml"})
    assert str(fault).startswith("nowhere.yaml: there is no such file")


def test_a_link_to_nothing_is_not_passed_over(tmp_path: Path, faults_of) -> None:
    (tmp_path / "config.yaml").symlink_to("gone.yaml")
    (fault,) = faults_of()
    assert "there is no such file" in str(fault)


@pytest.mark.parametrize("name", [".", "/dev/zero", "x" * 5000, "a\0b", "a\udc80"])
def test_what_is_no_readable_file_is_a_fault(name, faults_of) -> None:
    (fault,) = faults_of(environ={"LONGSTOP_CONFIG": name})
    assert len(str(fault)) <= 200
    str(fault).encode("ascii")


def test_all_faults_come_at_once_and_sorted(faults_of) -> None:
    text = "api:\n  port: 70000\n  prot: 1\ndatabase:\n  url: x\n"
    environ = {"SCRAPER_MAX_LIFETIME_HOUR": "6", "RETRY_MAX_ATTEMPTS": "many"}
    faults = faults_of(text, environ, {"api.hots": "x"})
    assert [str(fault.origin).rpartition("/")[2] for fault in faults] == [
        "given.yaml:2",
        "given.yaml:3",
        "given.yaml:5",
        "environment RETRY_MAX_ATTEMPTS",
        "environment SCRAPER_MAX_LIFETIME_HOUR",
        "command line",
    ]


def test_a_weak_layer_is_checked_even_when_a_stronger_one_covers_it(faults_of) -> None:
    (fault,) = faults_of("scraper: {lifecycle: {polling_interval: -1}}", {"POLLING_INTERVAL_SECONDS": "3"})
    assert fault.key == POLL


def test_the_error_carries_everything(loaded) -> None:
    with pytest.raises(SettingsError) as refused:
        loaded(environ={"RETRY_MAX_ATTEMPTS": "many", "LOG_LEVEL": "loud"})
    error = refused.value
    assert isinstance(error, errors.SettingsError)
    assert error.exit_code == 78
    assert error.hint
    assert "2 settings cannot be used" in str(error)
    assert all(str(fault) in str(error) for fault in error.faults)


def test_a_flood_of_faults_is_cut_in_the_text_only(loaded) -> None:
    with pytest.raises(SettingsError) as refused:
        loaded("\n".join(f"strange{number}: 1" for number in range(500)))
    assert len(refused.value.faults) == 500
    assert "and 440 more" in str(refused.value)


def test_the_tree_is_frozen_to_its_leaves(loaded) -> None:
    settings = loaded().settings
    with pytest.raises(ValidationError):
        settings.api.port = 1
    with pytest.raises(ValidationError):
        settings.api = settings.api
    with pytest.raises(TypeError):
        loaded().origins["api.port"] = None
    assert isinstance(settings.scraper.proxy.urls, tuple)
    hash(settings.sources.crex)


def test_direct_construction_is_strict_too() -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"api": {"port": "8000"}})
    with pytest.raises(ValidationError):
        Settings.model_validate({"nothing": 1})


def test_the_database_follows_the_storage(loaded) -> None:
    moved = loaded(environ={"LONGSTOP_STORAGE_ROOT": "/data/longstop"})
    assert moved.settings.database.url.get_secret_value() == "sqlite:////data/longstop/longstop.db"
    kept = loaded("database: {url: 'sqlite:///other.db'}", {"LONGSTOP_STORAGE_ROOT": "/data"})
    assert kept.settings.database.url.get_secret_value() == "sqlite:///other.db"
    empty = loaded("database: {url: ''}")
    assert empty.settings == Settings()


def test_overrides_are_read_from_repeated_options() -> None:
    assert parse_overrides(["api.port=1", " api.host =a=b", "sink.url="]) == {
        "api.port": "1",
        "api.host": "a=b",
        "sink.url": "",
    }


@pytest.mark.parametrize("items", [["api.port"], ["api.port=1", "api.port=2"], ["secret:hunter2"]])
def test_overrides_that_make_no_sense_are_refused(items) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_overrides(items)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("api.prot", "did you mean api.port?"),
        ("API.PORT", "did you mean api.port?"),
        ("api", "is a group of settings"),
        ("", "is a group of settings"),
        ("api.port.x", "there is no setting api.port.x"),
        ("password:hunter2", "a name given to --set is no path"),
        ("port", "did you mean api.port?"),
    ],
)
def test_an_unknown_override_is_refused(path, says, faults_of) -> None:
    (fault,) = faults_of(sets={path: "1"})
    assert says in str(fault)


def test_loading_is_quick_also_from_a_full_file_and_a_long_environment(loaded) -> None:
    text = (Path(__file__).parents[3] / "config.example.yaml").read_text()
    environ = {f"SOME_VARIABLE_OF_A_STRANGER_{number}": "x" for number in range(500)}
    started = time.process_time()
    loaded(text, environ)
    assert time.process_time() - started < 0.1
