"""The tree of supervision, in one list. The engine starts what stands here, in this order, and nothing else.

A child that fails is started again, alone. Beyond its budget the failure goes up a level: a match rests for five
minutes and begins afresh; anything else ends the process, and whoever runs it starts it anew.
"""

from enum import Enum
from functools import lru_cache

import msgspec

from longstop.supervise.budget import RestartBudget


class Level(Enum):
    """Which restart budget holds, and what happens beyond it."""

    TOP = "top"
    SCRAPER = "scraper"


class Post(msgspec.Struct, frozen=True):
    """`name` is what the running service is called, or how its name begins where there are several.

    One that is periodic pauses at each turn, and is missed when it does not come round."""

    name: str
    under: str
    does: str
    level: Level = Level.TOP
    is_optional: bool = False
    is_periodic: bool = False


ENGINE = "engine"
SOURCE = "source"

TREE: tuple[Post, ...] = (
    Post("scheduler", ENGINE, "runs what is due, the most urgent first"),
    Post("state keeping", ENGINE, "saves what scrapers know", is_periodic=True),
    Post("archive", ENGINE, "puts away what has been over for a day", is_periodic=True),
    Post("capture pruning", ENGINE, "removes the oldest raw payloads beyond their bounds"),
    Post(
        "store recovery",
        ENGINE,
        "brings the database what waited while it was away",
        is_optional=True,
        is_periodic=True,
    ),
    Post("loop watchdog", ENGINE, "how late the loop is; a thread sees whether it turns", is_optional=True),
    Post("eyes of the watchdogs", ENGINE, "does work move, does everybody come round, can we see", is_optional=True),
    Post("match watchdog", ENGINE, "restarts what is not fresh", is_optional=True),
    Post("health grade", ENGINE, "grades the instance, recycles when it is failing", is_optional=True),
    Post("service watchdog", ENGINE, "begins anew who does not come round", is_optional=True),
    Post("recovery audit", ENGINE, "judges and keeps what was done to get well again", is_optional=True),
    Post("resource meter", ENGINE, "reads memory and processor", is_optional=True, is_periodic=True),
    Post("freshness sampling", ENGINE, "takes the age of every live match", is_optional=True, is_periodic=True),
    Post("webhook", ENGINE, "posts alerts to whom they concern", is_optional=True),
    Post("match logs", ENGINE, "writes down what happened to a match that is over", is_optional=True),
    Post(
        "memory",
        ENGINE,
        "tells whose memory it is, and holds scrapers to their bounds",
        is_optional=True,
        is_periodic=True,
    ),
    Post("lifetime", ENGINE, "replaces scrapers that have lived long enough", is_optional=True, is_periodic=True),
    Post("cleanup", ENGINE, "ends orphans, and scrapers that nobody needs", is_optional=True, is_periodic=True),
    Post("admission", ENGINE, "tries starts again that had to wait for memory", is_optional=True, is_periodic=True),
    Post(
        "keys and revocations",
        ENGINE,
        "sees within seconds what was made, revoked or rotated",
        is_optional=True,
        is_periodic=True,
    ),
    Post("access log", ENGINE, "writes down who asked the API for what", is_optional=True, is_periodic=True),
    Post("admin audit", ENGINE, "writes down what operators asked for", is_optional=True, is_periodic=True),
    Post("sink", ENGINE, "pushes payloads to another Longstop", is_optional=True, is_periodic=True),
    Post("intake", ENGINE, "reads what was pushed to us", is_optional=True, is_periodic=True),
    Post("rounds", ENGINE, "works off the rounds that were asked for", is_optional=True),
    Post(
        "source switching",
        ENGINE,
        "switches sources on and off as a reload wants it",
        is_optional=True,
        is_periodic=True,
    ),
    Post("captures", ENGINE, "captures football matches up to their kickoff, and never after it", is_optional=True),
    Post("discovery", SOURCE, "which matches are there", is_periodic=True),
    Post("naming", SOURCE, "who is behind the codes", is_periodic=True),
    Post("gap keeping", SOURCE, "puts on record what stays missing, whatever the source does", is_periodic=True),
    Post("scraper", SOURCE, "one a match; run by the scheduler", level=Level.SCRAPER),
)

# The settings may say otherwise (`scraper.resilience.supervision`).
BUDGETS: dict[Level, RestartBudget] = {
    Level.TOP: RestartBudget(restarts=3, within_seconds=60.0),
    Level.SCRAPER: RestartBudget(restarts=5, within_seconds=30.0),
}

BEYOND: dict[Level, str] = {
    Level.TOP: "the process ends and says why",
    Level.SCRAPER: "the match rests, then begins afresh",
}


@lru_cache(maxsize=1024)
def post_of(name: str) -> Post:
    """Where a service of this name stands."""
    return next(post for post in TREE if name == post.name or name.startswith(f"{post.name} "))
