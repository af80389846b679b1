"""What a site's robots.txt allows, as RFC 9309 has it.

- 4xx: there are no rules, all is allowed. 5xx, no answer, or a redirect to where we may not go: nothing is allowed
  until it can be read, unless an older copy is at hand, which then goes on serving.
- A copy serves for 24 hours. After a failure the next look comes in 2 s, then twice as late each time, up to 10 min.
- Only the first 512 KiB count. What is no robots.txt at all (a web page, noise) has no rules.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import msgspec
from protego import Protego

from longstop.clock import Clock
from longstop.domain.errors import (
    ExitFailedError,
    FetchError,
    MatchGoneError,
    RobotsRefusedError,
    SourceRefusedError,
    SourceThrottledError,
    SourceUnreachableError,
    UnexpectedStatusError,
)
from longstop.fetch.identity import product_token
from longstop.fetch.snapshot import Fetcher, FetchRequest

BYTES_MAX: Final = 512 * 1024
LINES_MAX: Final = 10_000
_LINE_LENGTH_MAX: Final = 2000
_DECISIONS_MAX: Final = 4000
_AGENT_LINE: Final = re.compile(r"\s*user[- ]?agent\s*[:\s]\s*(?P<agent>[^#]*)", re.IGNORECASE)
_SOMEBODY_ELSE: Final = "User-agent: some-other-robot"


class RobotsRules:
    """One robots.txt as it is read for one agent. Never fails: what cannot be read has no rules."""

    def __init__(self, rules: Protego, agent: str) -> None:
        self._rules = rules
        self._agent = agent
        self._decisions: dict[str, bool] = {}

    @classmethod
    def load(cls, data: bytes, agent: str) -> "RobotsRules":
        text = _decode(data)
        is_page = text.lstrip("\ufeff \t\r\n").startswith("<")
        return cls(Protego.parse("" if is_page else "\n".join(_relevant(text, agent.lower()))), agent)

    def is_allowed(self, url: str) -> bool:
        known = self._decisions.get(url)
        if known is None:
            if len(self._decisions) >= _DECISIONS_MAX:
                self._decisions.clear()
            known = self._decisions[url] = self._rules.can_fetch(url, self._agent)
        return known

    @property
    def interval_seconds(self) -> float:
        """The slower of what Crawl-delay and Request-rate ask for; 0 when they ask for nothing."""
        rate = self._rules.request_rate(self._agent)
        between = rate.seconds / rate.requests if rate is not None and rate.requests > 0 else 0.0
        return max(self._rules.crawl_delay(self._agent) or 0.0, between)


class RobotsLimits(msgspec.Struct, frozen=True):
    ttl_seconds: float = 24 * 3600.0
    retry_seconds_min: float = 2.0
    retry_seconds_max: float = 600.0
    sites_max: int = 256


class Copy(msgspec.Struct, frozen=True):
    """What we know of one site's rules, and when to look again. Without rules nothing is allowed."""

    rules: RobotsRules | None
    due: float
    retry_seconds: float = 0.0
    failure: str = ""


class RobotsGate:
    """Asks before a call whether the site's own rules allow it. `agent` is our whole user agent, or its first word."""

    def __init__(self, fetcher: Fetcher, clock: Clock, agent: str, limits: RobotsLimits | None = None) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._agent = product_token(agent)
        self._limits = limits or RobotsLimits()
        self._copies: OrderedDict[str, Copy] = OrderedDict()
        self._looking: dict[str, asyncio.Lock] = {}

    async def require_allowed(self, request: FetchRequest) -> float:
        """The seconds that the site wants between two calls; raises when it wants none at all."""
        site, path = _site_and_path(request.url)
        if path == "/robots.txt":
            return 0.0
        rules = (await self._copy(site, request)).rules
        if rules is None:
            raise SourceUnreachableError(
                f"The robots.txt of {site} could not be read ({self._copies[site].failure}), so nothing is asked.",
                hint="It is tried again soon; respect_robots=false of this source does without it.",
            )
        if not rules.is_allowed(request.url):
            raise RobotsRefusedError(
                f"The robots.txt of {site} does not allow the {request.purpose} call.",
                hint=f"Set sources.{request.source}.respect_robots to false only where its owner allowed it.",
            )
        return rules.interval_seconds

    async def _copy(self, site: str, request: FetchRequest) -> Copy:
        """Looked at once for all who wait; an old copy serves everybody but the one who looks."""
        copy = self._copies.get(site)
        lock = self._looking.setdefault(site, asyncio.Lock())
        is_due = copy is None or copy.due <= self._clock.monotonic()
        if not is_due or (copy is not None and copy.rules is not None and lock.locked()):
            assert copy is not None
            return copy
        async with lock:
            copy = self._copies.get(site)
            if copy is None or copy.due <= self._clock.monotonic():
                copy = await self._look(site, request, copy)
                self._keep(site, copy)
            return copy

    async def _look(self, site: str, request: FetchRequest, old: Copy | None) -> Copy:
        asked = FetchRequest(request.source, f"{site}/robots.txt", "robots", head_bytes_max=BYTES_MAX)
        try:
            body = (await self._fetcher.fetch(asked)).body
        except ExitFailedError:
            # It says nothing of the site, and the next call may leave by another exit.
            raise
        except (MatchGoneError, SourceRefusedError, UnexpectedStatusError):
            body = b""
        except FetchError as error:
            return self._not_read(old, error)
        return Copy(RobotsRules.load(body, self._agent), self._clock.monotonic() + self._limits.ttl_seconds)

    def _not_read(self, old: Copy | None, error: FetchError) -> Copy:
        limits = self._limits
        wait = limits.retry_seconds_min if old is None else old.retry_seconds * 2 or limits.retry_seconds_min
        wait = min(wait, limits.retry_seconds_max)
        asked_for = error.retry_after_seconds if isinstance(error, SourceThrottledError) else 0.0
        due = self._clock.monotonic() + max(wait, asked_for)
        return Copy(old.rules if old is not None else None, due, wait, type(error).__name__)

    def _keep(self, site: str, copy: Copy) -> None:
        self._copies[site] = copy
        self._copies.move_to_end(site)
        while len(self._copies) > self._limits.sites_max:
            gone, _ = self._copies.popitem(last=False)
            self._looking.pop(gone, None)


def _site_and_path(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}", parts.path


def _decode(data: bytes) -> str:
    """UTF-8 as the standard says, UTF-16 as some have it, and no complaint about anything else."""
    head = data[:BYTES_MAX]
    if len(data) >= BYTES_MAX:  # half a rule could forbid more than the whole one
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r"), 0)]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "replace")
    return head.decode("utf-8-sig", "replace")


def _relevant(text: str, agent: str) -> Iterator[str]:
    """The groups of other robots become one: thousands of them before thousands of rules would cost minutes."""
    previous = ""
    for line in text.splitlines()[:LINES_MAX]:
        if len(line) > _LINE_LENGTH_MAX:
            continue
        found = _AGENT_LINE.match(line)
        kept = line if found is None else _addressed(found["agent"], agent)
        if kept != previous or found is None:
            yield kept
        previous = kept


def _addressed(named: str, agent: str) -> str:
    """The line as it is meant: sites write names with a version, which is no part of the name."""
    plain = named.partition("/")[0].strip().lower()
    is_us = plain == "*" or plain.replace("*", "").strip() in agent
    return f"User-agent: {plain}" if is_us else _SOMEBODY_ELSE
