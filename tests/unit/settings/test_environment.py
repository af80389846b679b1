"""Which variables are ours, which are mistakes, and which belong to somebody else."""

import pytest

from longstop.fetch.browser.command_line import MARK_VARIABLE


@pytest.mark.req("I5")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SCRAPER_MAX_LIFETIME_HOUR", "SCRAPER_MAX_LIFETIME_HOURS"),
        ("SCRAPPER_MAX_LIFETIME_HOURS", "SCRAPER_MAX_LIFETIME_HOURS"),
        ("MEMORY_SOFTLIMIT_MB", "MEMORY_SOFT_LIMIT_MB"),
        ("MEMORY_HARD_LIMIT_GB", "MEMORY_HARD_LIMIT_MB"),
        ("POLING_INTERVAL_SECONDS", "POLLING_INTERVAL_SECONDS"),
        ("POLLING_INTERVAL", "POLLING_INTERVAL_SECONDS"),
        ("POLLING_INTERVAL_MS", "POLLING_INTERVAL_SECONDS"),
        ("STALENESS_TRESHOLD", "STALENESS_THRESHOLD_SECONDS"),
        ("MAX_QUEUE_SIZES", "MAX_QUEUE_SIZE"),
        ("CIRCUIT_BREAKER_TRESHOLD", "CIRCUIT_BREAKER_THRESHOLD"),
        ("RETRY_MAX_ATTEMPT", "RETRY_MAX_ATTEMPTS"),
        ("PAGE_TIMEOUT", "PAGE_TIMEOUT_SECONDS"),
        ("BROWSER_HEADLES", "BROWSER_HEADLESS"),
        ("DB_CONNECTION_POOLSIZE", "DB_CONNECTION_POOL_SIZE"),
        ("PROMETHEUS_PROT", "PROMETHEUS_PORT"),
        ("LOG_LEVLE", "LOG_LEVEL"),
        ("ENABLE_ADAPTIVE_POLING", "ENABLE_ADAPTIVE_POLLING"),
        ("IPROYAL_PASSWD", "IPROYAL_PASSWORD"),
        ("LONGSTOP_DATABASE_URI", "LONGSTOP_DATABASE_URL"),
        ("LONGSTOP_DATABASE__URL", "LONGSTOP_DATABASE_URL"),
        ("longstop_database_url", "LONGSTOP_DATABASE_URL"),
        ("polling_interval_seconds", "POLLING_INTERVAL_SECONDS"),
    ],
)
def test_a_miss_is_refused_with_what_was_meant(faults_of, name, meant) -> None:
    (fault,) = faults_of(environ={name: "hunter2"})
    assert str(fault) == f"environment {name}: is not a setting; did you mean {meant}?"


@pytest.mark.parametrize(
    "name", ["SCRAPER_COLOUR", "LONGSTOP_X", "IPROYAL_ZZZ", "CIRCUIT_BREAKER_", "SCRAPER_\udc80\x1b[31m"]
)
def test_an_unknown_name_with_our_prefix_is_refused(faults_of, name) -> None:
    (fault,) = faults_of(environ={name: "hunter2"})
    assert "is not a setting" in str(fault)
    assert str(fault).isprintable()
    assert "hunter2" not in str(fault)


STRANGERS = [
    "ENABLE_FOO", "ENABLE_METRICS", "RETRY_COUNT", "RETRY_DELAY", "DB_HOST", "DB_CONNECTION",
    "DB_CONNECTION_STRING", "PAGE_SIZE", "PAGER", "PATH", "HOME", "LANG", "MEMORY_LIMIT", "MEMORY_LIMIT_MB",
    "MAX_CONNECTIONS", "PROMETHEUS_HOST", "PROMETHEUS_MULTIPROC_DIR", "LOGLEVEL", "LOG_FORMAT", "BROWSER",
    "BROWSER_PATH", "HEALTH_CHECK_PATH", "AWS_MAX_ATTEMPTS", "HTTP_PROXY", "API_PORT", "PORT", "POLLING",
    "SELECTOR", "NAVIGATION", "CONCURRENCY", "ARCHIVE", "REDIS_URL", "DATABASE_URL", "_LONGSTOP_COMPLETE",
    "PYTHONPATH", "PYTEST_CURRENT_TEST", "STALENESS", "WEB_CONCURRENCY",
]  # fmt: skip


def test_a_variable_of_a_stranger_is_left_alone(loaded) -> None:
    loaded(environ=dict.fromkeys(STRANGERS, "anything"))


def test_our_own_tests_and_the_shared_data_have_variables_too(loaded) -> None:
    loaded(environ={"LONGSTOP_TEST_POSTGRES": "x", "LONGSTOP_SHARED_DATA": "x", "LONGSTOP_CONFIG": ""})


def test_the_mark_of_a_browser_that_starts_is_no_setting(loaded) -> None:
    """Playwright hands our environment on, so it stands there for a moment; a reload may come in that moment."""
    loaded(environ={MARK_VARIABLE: "/somewhere 1"})


def test_what_kubernetes_says_about_its_services_is_left_alone(loaded) -> None:
    loaded(
        environ={
            "LONGSTOP_SERVICE_HOST": "10.0.0.1",
            "LONGSTOP_SERVICE_PORT": "8000",
            "LONGSTOP_SERVICE_PORT_HTTP": "8000",
            "LONGSTOP_PORT": "tcp://10.0.0.1:8000",
            "SCRAPER_PORT_9090_TCP": "tcp://10.0.0.1:9090",
            "SCRAPER_PORT_9090_TCP_PROTO": "tcp",
            "SCRAPER_PORT_9090_TCP_ADDR": "10.0.0.1",
        }
    )


def test_a_service_that_takes_our_variable_is_explained(faults_of) -> None:
    (fault,) = faults_of(environ={"PROMETHEUS_PORT": "tcp://10.0.0.1:9090"})
    assert "enableServiceLinks" in str(fault)
    assert len(str(fault)) <= 200


@pytest.mark.parametrize("text", ["2.5", " 2.5 ", "+2.5", "25e-1", "2.50"])
def test_text_becomes_a_number(loaded, text) -> None:
    assert loaded(environ={"POLLING_INTERVAL_SECONDS": text}).settings.scraper.lifecycle.polling_interval == 2.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "2,5",
        "2.5s",
        "0x2",
        "1_0",
        "٢",
        "true",
        "-1",
        "1e3x",
        "9" * 10000,
    ],
)
def test_text_that_is_no_number_is_a_fault(faults_of, text) -> None:
    (fault,) = faults_of(environ={"POLLING_INTERVAL_SECONDS": text})
    assert str(fault).startswith("environment POLLING_INTERVAL_SECONDS (scraper.lifecycle.polling_interval): ")
    assert "give a number of seconds from 0.1 to 3600" in str(fault)


@pytest.mark.parametrize("text", ["2.0", "1e3", "", "true", "007"])
def test_text_that_is_no_whole_number_is_a_fault(faults_of, text) -> None:
    (fault,) = faults_of(environ={"RETRY_MAX_ATTEMPTS": text})
    assert "give a whole number from 1 to 100" in str(fault)


def test_lists_are_parted_by_commas(loaded, faults_of) -> None:
    name = "LONGSTOP_SCRAPER_ADAPTIVE_ERROR_INTERVALS"
    assert loaded(environ={name: "1, 2,3"}).settings.scraper.adaptive.error_intervals == (1, 2, 3)
    for wrong in ("1,2", "3,2,1", "1,,3", "0,1,2", "a,b,c"):
        assert faults_of(environ={name: wrong})[0].key == "scraper.adaptive.error_intervals"


def test_a_list_may_be_written_as_json(loaded, faults_of) -> None:
    name = "LONGSTOP_SCRAPER_FETCH_RUNGS"
    assert loaded(environ={name: '["replay", "dom"]'}).settings.scraper.fetch.rungs == ("replay", "dom")
    for wrong in ('["replay"', "[[]]", '[{"a": 1}]', "[null]"):
        (fault,) = faults_of(environ={name: wrong})
        assert "is not a list" in str(fault)


def test_a_text_with_what_cannot_be_printed_is_a_fault(faults_of) -> None:
    for wrong in ("a\nb", "a\x00", "\x1b[31m", "a\udc80", "a\u2028b"):
        (fault,) = faults_of(environ={"LONGSTOP_SCRAPER_FETCH_USER_AGENT": wrong})
        assert str(fault).isprintable()
