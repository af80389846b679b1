"""The simulated site in bad weather, and the book of what it has truly shown.

Single faults come from the site's own plan, as in a replay; spells lie over them. Whatever was answered truly is noted
by the hash of its body, so that a row derived from anything else gives itself away.
"""

import hashlib
import zlib
from random import Random
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from longstop_origin.exchange import HTML, JSON, Reply, Request, error
from longstop_origin.faults import Fault, FaultPlan
from longstop_origin.fixture import Fixture
from longstop_origin.site import PAGE_MARK, PAGE_PREFIX, Site
from longstop_origin.storm.plan import SOURCE, Plan, Spell
from longstop_origin.storm.poison import poisoned, without_overs
from longstop_origin.storm.timeline import EPOCH
from longstop_origin.world import World

STATE_PATH, FEED_PATH = "/api/v3/getSV3", "/commentary/getBallFeeds"
CHALLENGE = b"<!DOCTYPE html><title>Just a moment...</title><h1>Checking your browser before you go on.</h1>"
USUAL_SECONDS = (0.005, 0.15)


class TimedPlan(FaultPlan):
    """The faults of a replay, which end with the storm."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.level, plan.seed)
        self._ends = EPOCH.timestamp() + plan.seconds

    def decide(self, key: str, ordinal: int, asked: str, now: float) -> Fault | None:
        return super().decide(key, ordinal, asked, now) if now < self._ends else None


class Truth(Struct, frozen=True):
    """A body that was true: of which match, and of which moment."""

    key: str
    at: float


class StormSite:
    def __init__(self, world: World, plan: Plan) -> None:
        self.world = world
        self.truths: dict[str, Truth] = {}
        self._site = Site(world, TimedPlan(plan))
        self._plan = plan
        self._chance = Random(f"{plan.seed}:{SOURCE}:answers")
        self._last_asked = EPOCH.timestamp()
        self._places = plan.setting.matches + len(plan.setting.formats)

    def respond(self, request: Request, now: float) -> Reply:
        key, self._last_asked = _key_of(request), now
        spell = self._spell(key, now)
        kind = spell.kind if spell is not None else ""
        reply = self._answer(kind, request, key, now)
        return replace(reply, delay_seconds=reply.delay_seconds + self._chance.uniform(*USUAL_SECONDS))

    def is_gone(self, fixture: Fixture) -> bool:
        """The site has dropped it for good."""
        gone_at = self._site.plan.disappears_at(fixture.key, fixture.ends_at)
        return gone_at is not None and gone_at <= self.world.time(self._last_asked)

    def is_forgotten(self, key: str, innings: int, over: int) -> bool:
        """Of some overs the feed knows nothing, ever."""
        share = zlib.crc32(f"{self._plan.seed}:{key}:{innings}:{over}".encode()) / 2**32
        return share < self._plan.forgets

    def _spell(self, key: str, now: float) -> Spell | None:
        place = zlib.crc32(key.encode()) % self._places if key else None
        for spell in self._plan.covering(SOURCE, now - EPOCH.timestamp()):
            hits = spell.place is None or spell.place == place
            if hits and self._chance.random() < spell.share:
                return spell
        return None

    def _answer(self, kind: str, request: Request, key: str, now: float) -> Reply:
        if kind in ("reset", "hanging"):
            is_hung = kind == "hanging"
            return Reply(0, delay_seconds=30.0 * is_hung, broken="hang" if is_hung else "reset", fault=kind)
        if kind == "failing":
            return replace(error(self._chance.choice((500, 502, 503)), kind), fault=kind)
        if kind == "throttled":
            return replace(error(429, kind, Retry_After=str(self._chance.randint(1, 8))), fault=kind)
        if kind == "rollback":
            return self._true(request, key, max(now - 25.0, EPOCH.timestamp()))
        return self._bent(kind, self._true(request, key, now), request, now)

    def _bent(self, kind: str, reply: Reply, request: Request, now: float) -> Reply:
        """Something came back, and it is not what it should be."""
        if reply.status != 200 or reply.broken is not None or reply.fault == "malformed":
            return reply
        if kind == "empty":
            return replace(reply, body=b"", fault=kind)
        if kind == "challenge":
            return replace(reply, body=CHALLENGE, content_type=HTML, fault=kind)
        if kind == "truncated":
            return replace(reply, cut_at=len(reply.body) // 2, body=reply.body[: len(reply.body) // 2], fault=kind)
        if request.path != STATE_PATH:
            return reply
        bent = self._lie(kind, reply.body, request, now)
        return reply if bent is None else replace(reply, body=bent, content_type=JSON, fault=kind)

    def _lie(self, kind: str, body: bytes, request: Request, now: float) -> bytes | None:
        if kind == "poisoned":
            return poisoned(body, self._chance)
        if kind == "foreign":
            others = [each for each in self.world.listed(now) if each.key != _key_of(request)]
            if others:
                other = self._chance.choice(others)
                return self._site.respond(replace(request, query={"key": other.key}), now).body
        return None

    def _true(self, request: Request, key: str, now: float) -> Reply:
        reply = self._site.respond(request, now)
        if request.path == FEED_PATH and reply.status == 200 and self._plan.forgets and reply.fault is None:
            reply = replace(
                reply, body=without_overs(reply.body, lambda innings, over: self.is_forgotten(key, innings, over))
            )
        if key and reply.status == 200 and reply.fault in (None, "latency", "stale"):
            self.truths.setdefault(hashlib.sha256(reply.body).hexdigest(), Truth(key, self.world.time(now)))
        return reply


def _key_of(request: Request) -> str:
    if request.path.startswith(PAGE_PREFIX):
        return urlsplit(request.path).path.rpartition(PAGE_MARK)[2]
    return request.query.get("key", "")
