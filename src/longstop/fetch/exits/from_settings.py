"""Exits and their manager, as the settings want them."""

import random
from collections.abc import Callable
from typing import Final

from longstop.fetch.browser.needs import Profile
from longstop.fetch.exits.exit import Exit, ExitAddress, exit_at
from longstop.fetch.exits.gateway import Gateway
from longstop.fetch.exits.proxy_sessions import ExitEvent, ProxySessionManager, SessionLimits
from longstop.fetch.exits.quarantine import Rest
from longstop.fetch.exits.session import session_name
from longstop.settings.browsing import ProxySettings

IPROYAL: Final = "iproyal"
PARAMETERS: Final = "[_country-{country}]_session-{session}_lifetime-{minutes}m"


def manager_of(
    source: str,
    wanted: ProxySettings,
    profile: Profile,
    rng: random.Random,
    tell: Callable[[ExitEvent], None] | None = None,
) -> ProxySessionManager:
    """For a source that asks for a proxy; it never goes out without one, so none is a fault of the settings."""
    return ProxySessionManager(source, exits_of(wanted, rng), rng, session_limits(wanted), profile, tell)


def session_limits(wanted: ProxySettings) -> SessionLimits:
    rest = Rest(wanted.quarantine, max(wanted.quarantine, wanted.quarantine_max))
    return SessionLimits(wanted.mode, wanted.sticky_ttl, wanted.sticky_max_matches, wanted.max_timeouts, rest)


def exits_of(wanted: ProxySettings, rng: random.Random) -> tuple[Exit, ...]:
    """The proxies by address, and as many exits of the gateway as its settings say."""
    exits = [exit_at(url.get_secret_value()) for url in wanted.urls]
    gateway = gateway_of(wanted)
    if gateway is not None:
        exits += [gateway.exit(session_name(rng)) for _ in range(wanted.iproyal.exits)]
    return tuple({each.proxy_id: each for each in exits}.values())


def gateway_of(wanted: ProxySettings) -> Gateway | None:
    account = wanted.iproyal
    if not account.host:
        return None
    username, password = account.username.get_secret_value(), account.password.get_secret_value()
    address = ExitAddress(account.scheme, account.host, account.port, username, password)
    is_behind_name = account.parameters_behind == "username"
    template = account.parameters or PARAMETERS
    return Gateway(address, IPROYAL, account.country, template, is_behind_name, wanted.sticky_ttl)
