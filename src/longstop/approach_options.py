"""What the settings, and the manifest of a source, want of the ways out. Values in, values out."""

import math
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from longstop.check.agreement import agrees
from longstop.domain.errors import MalformedPayloadError, PayloadError
from longstop.domain.match import MatchRef
from longstop.fetch.browser.listening import IsWanted
from longstop.fetch.browser.needs import Profile
from longstop.fetch.browser.recycling import UnitLimits
from longstop.fetch.browser.roster import PoolOptions
from longstop.fetch.browser.upkeep import PATIENCE
from longstop.fetch.http import HttpLimits
from longstop.fetch.identity import user_agent
from longstop.fetch.ladder import LadderOptions
from longstop.fetch.page_keeper import KeeperOptions
from longstop.fetch.patience import Patience
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.resilience.timeouts import Timeouts
from longstop.settings import Settings
from longstop.settings.feeds import SourceSettings
from longstop.sources.contract import Source

MB = 1024 * 1024
# Asked twice, a browser that does not answer is killed after 7.5 s, or sooner where `hung` is shorter.
PROBE_SECONDS_MAX = 3.0


def agreement_of(source: Source) -> Callable[[FetchRequest, Snapshot, Snapshot], bool]:
    """Two answers agree when what is read from them does."""

    def agree(request: FetchRequest, candidate: Snapshot, trusted: Snapshot) -> bool:
        ref = MatchRef(request.source, request.key, request.page)
        try:
            return agrees(source.parse_state(ref, candidate), source.parse_state(ref, trusted))
        except (PayloadError, MalformedPayloadError):
            return False

    return agree


def wanted_calls(source: Source) -> IsWanted:
    """The page's own calls for the live state, whatever match they are about: those to the manifest's path and hosts
    that are answered with the manifest's kind of content."""
    pattern = re.compile(source.manifest.state_path)
    types = source.manifest.state_types

    def is_wanted(url: str, content_type: str | None) -> bool:
        is_type = content_type is None or content_type.partition(";")[0].strip().lower() in types
        return is_type and bool(pattern.search(urlsplit(url).path))

    return is_wanted


def profile_of(wanted: SourceSettings, agent: str) -> Profile:
    """Honest by default. Where the source's own configuration asks for a browser's manner, it is one's as a whole."""
    profile = wanted.profile
    is_plain = wanted.stealth or wanted.coherent_tls
    return Profile(
        user_agent="" if is_plain else agent,
        locale=profile.locale,
        timezone_id=profile.time_zone,
        viewport=(profile.width, profile.height),
        is_plain=is_plain,
        place=profile.coordinates,
    )


def patience_of(settings: Settings) -> Patience:
    timeouts = settings.scraper.browser.timeouts
    base = Timeouts(timeouts.page, timeouts.navigation, timeouts.selector)
    return Patience(base, is_adaptive=settings.scraper.adaptive.timeouts)


def http_limits(settings: Settings) -> HttpLimits:
    fetch = settings.scraper.fetch
    return HttpLimits(
        deadline_seconds=settings.scraper.lifecycle.poll_deadline,
        body_bytes_max=fetch.max_body_mb * MB,
        user_agent=user_agent(fetch.user_agent),
        redirects_max=fetch.max_redirects,
    )


def keeper_options(settings: Settings) -> KeeperOptions:
    return KeeperOptions(silence_seconds=settings.scraper.browser.timeouts.silence)


def pool_options(settings: Settings) -> PoolOptions:
    pool, memory = settings.scraper.browser.pool, settings.scraper.resources.memory
    return PoolOptions(
        browsers=pool.browsers,
        contexts=pool.contexts,
        close_seconds=settings.scraper.browser.timeouts.close / 2,
        probe_seconds=min(PROBE_SECONDS_MAX, settings.scraper.browser.timeouts.hung / sum(PATIENCE)),
        # The cleanup asks for it, with all the rest that is cleared away.
        sweep_every_seconds=math.inf,
        unit_limits=UnitLimits(
            age_seconds=settings.scraper.lifecycle.max_lifetime_hours * 3600,
            tasks=pool.max_tasks,
            pids=pool.max_pids,
            pss_soft_bytes=memory.soft_limit_mb * MB,
            pss_hard_bytes=memory.hard_limit_mb * MB,
        ),
    )


def ladder_options(settings: Settings) -> LadderOptions:
    breaker = settings.scraper.resilience.circuit_breaker
    return LadderOptions(
        threshold=breaker.threshold, open_seconds=breaker.timeout, successes_to_close=breaker.success_threshold
    )
