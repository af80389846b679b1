"""Every documented name, its place in the tree, and where the value is said to come from."""

from typing import Any

import pytest

from longstop.settings import Settings
from longstop.settings.keys import catalog_of
from longstop.settings.show import visible

CATALOG = catalog_of(Settings())

# name, path, default of the document, another value as text, the same as a value
DOCUMENTED = [
    ("SCRAPER_MAX_LIFETIME_HOURS", "scraper.lifecycle.max_lifetime_hours", 6, "7", 7),
    ("MEMORY_SOFT_LIMIT_MB", "scraper.resources.memory.soft_limit_mb", 1536, "1000", 1000),
    ("MEMORY_HARD_LIMIT_MB", "scraper.resources.memory.hard_limit_mb", 2048, "4096", 4096),
    ("POLLING_INTERVAL_SECONDS", "scraper.lifecycle.polling_interval", 2.5, "3.5", 3.5),
    ("STALENESS_THRESHOLD_SECONDS", "scraper.lifecycle.staleness_threshold", 300, "120", 120),
    ("MAX_QUEUE_SIZE", "scraper.resources.queue.max_size", 1000, "50", 50),
    ("MAX_QUEUE_SIZE_MB", "scraper.resources.queue.max_size_mb", 10, "20", 20),
    ("CIRCUIT_BREAKER_THRESHOLD", "scraper.resilience.circuit_breaker.threshold", 5, "9", 9),
    ("CIRCUIT_BREAKER_TIMEOUT_SECONDS", "scraper.resilience.circuit_breaker.timeout", 60, "30", 30),
    ("CIRCUIT_BREAKER_SUCCESS_THRESHOLD", "scraper.resilience.circuit_breaker.success_threshold", 5, "2", 2),
    ("RETRY_MAX_ATTEMPTS", "scraper.resilience.retry.max_attempts", 5, "3", 3),
    ("RETRY_BASE_DELAY_SECONDS", "scraper.resilience.retry.base_delay", 1, "0.5", 0.5),
    ("RETRY_MAX_DELAY_SECONDS", "scraper.resilience.retry.max_delay", 16, "8", 8),
    ("PAGE_TIMEOUT_SECONDS", "scraper.browser.timeouts.page", 30, "20", 20),
    ("NAVIGATION_TIMEOUT_SECONDS", "scraper.browser.timeouts.navigation", 30, "45", 45),
    ("SELECTOR_TIMEOUT_SECONDS", "scraper.browser.timeouts.selector", 5, "10", 10),
    ("BROWSER_HEADLESS", "scraper.browser.headless", True, "false", False),
    ("DB_CONNECTION_POOL_SIZE", "database.pool.size", 10, "3", 3),
    ("DB_CONNECTION_TIMEOUT_SECONDS", "database.pool.timeout", 30, "5", 5),
    ("ENABLE_PROMETHEUS_METRICS", "scraper.monitoring.prometheus.enabled", True, "no", False),
    ("PROMETHEUS_PORT", "scraper.monitoring.prometheus.port", 9090, "9191", 9191),
    ("HEALTH_CHECK_ENABLED", "scraper.monitoring.health_check.enabled", True, "0", False),
    ("LOG_LEVEL", "scraper.monitoring.logging.level", "INFO", "debug", "DEBUG"),
    ("LOG_LEVEL", "scraper.monitoring.logging.level", "INFO", "WARN", "WARNING"),
    ("LOG_LEVEL", "scraper.monitoring.logging.level", "INFO", "WARNING", "WARNING"),
    ("ALERT_WEBHOOK_URL", "scraper.monitoring.alerts.webhook_url", "", "https://hooks.example.com/x", "***"),
    ("ENABLE_ADAPTIVE_POLLING", "scraper.adaptive.polling", True, "off", False),
    ("ENABLE_ADAPTIVE_TIMEOUTS", "scraper.adaptive.timeouts", True, "False", False),
    ("ENABLE_MATCH_STATE_DETECTION", "scraper.adaptive.match_state_detection", True, "FALSE", False),
    ("PAUSE_THRESHOLD", "scraper.resilience.pause.threshold", 5, "6", 6),
    ("CONCURRENCY_CAP", "scraper.scheduling.concurrency_cap", 256, "10", 10),
    ("ARCHIVE_TTL", "scraper.lifecycle.archive_ttl", 86400, "3600", 3600),
    ("IPROYAL_HOST", "scraper.proxy.iproyal.host", "", "gate.test", "gate.test"),
    ("IPROYAL_PORT", "scraper.proxy.iproyal.port", 12321, "1234", 1234),
    ("IPROYAL_USERNAME", "scraper.proxy.iproyal.username", "", "someone", "***"),
    ("IPROYAL_PASSWORD", "scraper.proxy.iproyal.password", "", "hunter2", "***"),
    ("IPROYAL_COUNTRY", "scraper.proxy.iproyal.country", "", "no", "NO"),
    ("SCRAPER_PROXY_MODE", "scraper.proxy.mode", "sticky", "rotating", "rotating"),
    ("SCRAPER_STICKY_TTL_SECONDS", "scraper.proxy.sticky_ttl", 600, "60", 60),
    ("SCRAPER_USE_CDP", "scraper.browser.use_cdp", False, "true", True),
    ("SCRAPER_BANDWIDTH_BUDGET_MB", "scraper.proxy.bandwidth_budget_mb", 2048, "100", 100),
]

# The file exactly as S1 draws it, with other values.
S1_FILE = """
# config.yaml
scraper:
  lifecycle:
    max_lifetime_hours: 5
    polling_interval: 3.5
    staleness_threshold: 200

  resources:
    memory:
      soft_limit_mb: 1000
      hard_limit_mb: 1500
    queue:
      max_size: 500
      max_size_mb: 5

  resilience:
    circuit_breaker:
      threshold: 4
      timeout: 50
      success_threshold: 3
    retry:
      max_attempts: 2
      base_delay: 2
      max_delay: 12

  browser:
    timeouts:
      page: 20
      navigation: 25
      selector: 4
    headless: false

  monitoring:
    prometheus:
      enabled: false
      port: 9999
    health_check:
      enabled: false
    logging:
      level: ERROR
      structured: false
"""


def at(settings: Settings, path: str) -> Any:
    found: Any = visible(settings)
    for name in path.split("."):
        found = found[name]
    return found


@pytest.mark.req("I5")
@pytest.mark.parametrize(("name", "path", "default", "text", "value"), DOCUMENTED)
def test_a_documented_variable_reaches_its_place(loaded, name, path, default, text, value) -> None:
    assert at(Settings(), path) == default
    result = loaded(environ={name: text})
    assert at(result.settings, path) == value
    assert str(result.origins[path]) == f"environment {name}"
    changed = {key for key, origin in result.origins.items() if str(origin) != "default"}
    assert changed == {path}


def test_the_table_above_holds_every_documented_variable() -> None:
    assert {row[0] for row in DOCUMENTED} == {k.documented_name for k in CATALOG.keys.values() if k.documented_name}


ACCEPTED = {
    "scraper.adaptive.error_intervals": "1,2,3",
    "scraper.watchdog.retry_waits": "60,120",
    "scraper.fetch.rungs": "intercept,dom",
    "scraper.browser.cdp_url": "http://127.0.0.1:9333",
    "scraper.monitoring.prometheus.host": "0.0.0.0",
    "api.host": "0.0.0.0",
    "storage.root": "elsewhere",
}


@pytest.mark.req("I5")
def test_every_key_has_a_variable_that_spells_its_path(loaded) -> None:
    for path, key in CATALOG.keys.items():
        typed = {"choice", "decimal", "whole", "truth"}
        text = ACCEPTED.get(path) or (str(key.default) if key.kind.name in typed else "")
        name = "LONGSTOP_" + path.replace(".", "_").upper()
        assert str(loaded(environ={name: text}).origins[path]) == f"environment {name}"


def test_no_two_keys_share_a_variable() -> None:
    names = [name for key in CATALOG.keys.values() for name in key.names]
    assert len(names) == len(set(names))


@pytest.mark.req("I5")
def test_the_documented_file_is_accepted_literally(loaded) -> None:
    scraper = loaded(S1_FILE).settings.scraper
    assert scraper.lifecycle.polling_interval == 3.5
    assert scraper.lifecycle.staleness_threshold == 200
    assert scraper.resources.memory.hard_limit_mb == 1500
    assert scraper.resources.queue.max_size_mb == 5
    assert scraper.resilience.circuit_breaker.model_dump() == {"threshold": 4, "timeout": 50, "success_threshold": 3}
    assert scraper.resilience.retry.model_dump() == {"max_attempts": 2, "base_delay": 2, "max_delay": 12}
    assert (scraper.browser.timeouts.page, scraper.browser.timeouts.selector, scraper.browser.headless) == (
        20,
        4,
        False,
    )
    assert (scraper.monitoring.prometheus.port, scraper.monitoring.prometheus.enabled) == (9999, False)
    assert (scraper.monitoring.logging.level, scraper.monitoring.logging.structured) == ("ERROR", False)
    assert scraper.monitoring.health_check.enabled is False


@pytest.mark.req("I4")
def test_the_pool_has_the_figures_of_the_requirements() -> None:
    pool = Settings().database.pool
    assert (pool.min_idle, pool.size + pool.overflow, pool.timeout) == (5, 20, 30)
    assert (pool.idle_timeout, pool.max_lifetime, pool.leak_threshold) == (600, 1800, 60)


def test_both_names_of_a_key_may_say_the_same(loaded) -> None:
    both = {"POLLING_INTERVAL_SECONDS": "3", "LONGSTOP_SCRAPER_LIFECYCLE_POLLING_INTERVAL": "3.0"}
    result = loaded(environ=both)
    assert str(result.origins["scraper.lifecycle.polling_interval"]) == "environment POLLING_INTERVAL_SECONDS"


def test_two_names_of_a_key_with_different_values_are_both_named(faults_of) -> None:
    both = {"POLLING_INTERVAL_SECONDS": "3", "LONGSTOP_SCRAPER_LIFECYCLE_POLLING_INTERVAL": "4"}
    (fault,) = faults_of(environ=both)
    assert all(name in str(fault) for name in both)
