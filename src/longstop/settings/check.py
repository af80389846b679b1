"""Settings that are each possible and together are not."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from longstop.settings.faults import Fault, Origin
from longstop.settings.tree import Settings

_MEMORY = "scraper.resources.memory"
_RESILIENCE = "scraper.resilience"
_EVERY_ADDRESS = frozenset({"0.0.0.0", "::", "[::]"})

# In each pair the first may not be above the second.
NOT_ABOVE = (
    (f"{_MEMORY}.soft_limit_mb", f"{_MEMORY}.hard_limit_mb"),
    ("scraper.resources.queue.max_size_mb", f"{_MEMORY}.soft_limit_mb"),
    ("scraper.lifecycle.polling_interval", "scraper.lifecycle.staleness_threshold"),
    ("scraper.lifecycle.poll_deadline", "scraper.lifecycle.staleness_threshold"),
    (f"{_RESILIENCE}.retry.base_delay", f"{_RESILIENCE}.retry.max_delay"),
    ("scraper.browser.timeouts.selector", "scraper.browser.timeouts.page"),
    ("scraper.scheduling.navigation_timeout", "scraper.scheduling.total_timeout"),
    ("scraper.health.degraded_age", "scraper.health.failing_age"),
    ("database.pool.idle_timeout", "database.pool.max_lifetime"),
    ("api.limits.standard_per_minute", "api.limits.premium_per_minute"),
    ("storage.spool.segment_size_mb", "storage.spool.max_size_mb"),
)


@dataclass(frozen=True, slots=True)
class Together:
    """A rule over some keys that is more than an order."""

    keys: tuple[str, ...]
    is_broken: Callable[[Settings], bool]
    problem: str
    remedy: str


def _ports_collide(settings: Settings) -> bool:
    api, metrics = settings.api, settings.scraper.monitoring.prometheus
    same_address = api.host == metrics.host or not _EVERY_ADDRESS.isdisjoint({api.host, metrics.host})
    return metrics.enabled and same_address and api.port == metrics.port != 0


def _ends_before_it_is_told(settings: Settings) -> bool:
    wanted = settings.scraper.watchdog
    return 0 < wanted.loop_end <= wanted.loop_stall


def _half_an_account(settings: Settings) -> bool:
    account = settings.scraper.proxy.iproyal
    return bool(account.host) and bool(account.username.get_secret_value()) != bool(account.password.get_secret_value())


TOGETHER = (
    Together(
        ("scraper.watchdog.loop_end", "scraper.watchdog.loop_stall"),
        _ends_before_it_is_told,
        "scraper.watchdog.loop_end is not above loop_stall: the process would end before anybody could read why",
        "raise loop_end well above loop_stall, or set it to 0 for never",
    ),
    Together(
        ("scraper.monitoring.prometheus.port", "api.port"),
        _ports_collide,
        "scraper.monitoring.prometheus.port and api.port are the same",
        "give one of them another port",
    ),
    Together(
        ("scraper.proxy.iproyal.username", "scraper.proxy.iproyal.password", "scraper.proxy.iproyal.host"),
        _half_an_account,
        "username is given without password, or password without username",
        "give both or neither",
    ),
)


def check_together(settings: Settings, origins: Mapping[str, Origin], doubtful: frozenset[str]) -> Iterator[Fault]:
    """The broken rules. Keys in `doubtful` are already refused: nothing is concluded from them."""
    for low, high in NOT_ABOVE:
        if doubtful.isdisjoint({low, high}) and value_at(settings, low) > value_at(settings, high):
            yield _order_fault(settings, origins, low, high)
    for rule in TOGETHER:
        if doubtful.isdisjoint(rule.keys) and rule.is_broken(settings):
            key = max(rule.keys, key=lambda path: origins[path].rank)
            yield Fault(origins[key], key, rule.problem, rule.remedy)


def _order_fault(settings: Settings, origins: Mapping[str, Origin], low: str, high: str) -> Fault:
    """Reported where the later layer set it: that is where the mistake was made."""
    here, there, word = (low, high, "above") if origins[low].rank >= origins[high].rank else (high, low, "below")
    group = here.rpartition(".")[0] + "."
    problem = (
        f"{value_at(settings, here):.15g} is {word} {there.removeprefix(group)}, {value_at(settings, there):.15g}"
        f" ({origins[there]})"
    )
    return Fault(origins[here], here, problem, f"{'lower' if word == 'above' else 'raise'} it or change the other")


def value_at(settings: Settings, path: str) -> float:
    """The number at a path."""
    found: object = settings
    for name in path.split("."):
        found = getattr(found, name)
    return float(str(found))
