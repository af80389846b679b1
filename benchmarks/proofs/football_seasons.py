"""Days of football on virtual time: calm, rough, banned, down, and with processes that end in between."""

from collections.abc import Iterator
from itertools import pairwise

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted, tell
from benchmarks.football_days import EPOCH, MATCHES, Days, Scene, played
from longstop.observe.signals import captures as facts
from longstop_origin.football import weather

SEEDS = (7, 8, 9)
DUE_LEAST = 80
SUCCESS_LEAST = 0.95
RESTARTS = (11.0, 40.2, 41.1, 66.0)
BAN_PERCENT, BAN_HOURS = 40.0, (40.0, 48.0)
DOWN_HOURS = (42.0, 44.0)
OPENS_WITHIN, PROBES, AT_ONCE = 30, 3, 4


def prove_days(_: Wishes) -> Iterator[Figure]:
    for seed in SEEDS:
        yield from _clean(f"seed {seed}", played(Scene(seed=seed)))


def prove_rough(_: Wishes) -> Iterator[Figure]:
    days = played(Scene(sky=weather.ROUGH))
    yield from _clean("rough", days)
    yield noted("attempts that failed", days.attempts["soft_fail"] + days.attempts["hard_fail"])
    yield at_least("looks that brought a capture", days.success, SUCCESS_LEAST)


def prove_restarts(_: Wishes) -> Iterator[Figure]:
    days, undisturbed = played(Scene(restarts=RESTARTS)), played(Scene())
    yield from _clean(f"{len(RESTARTS)} restarts", days)
    yield noted("rows without restarts", len(undisturbed.rows))
    yield below("visits beside a run without", days.visits / undisturbed.visits, 1.1)


def prove_bans(_: Wishes) -> Iterator[Figure]:
    days = played(Scene(banned_percent=BAN_PERCENT, ban_hours=BAN_HOURS))
    yield from _clean(f"{BAN_PERCENT:g} % banned", days)
    yield at_least("looks that brought a capture", days.success, SUCCESS_LEAST)
    yield exactly("calls by an exit that had to rest", days.used_while_resting, 0)


def prove_down(_: Wishes) -> Iterator[Figure]:
    """A capture that was under way when the breaker opened had left before."""
    began, ended = (EPOCH.timestamp() + hours * 3600 for hours in DOWN_HOURS)
    days = played(Scene(sky=weather.Weather(spells=(weather.Spell(weather.DOWN, began, ended),))))
    opened = [each for each in days.told if isinstance(each, facts.CircuitOpened)]
    closed = [each for each in days.told if isinstance(each, facts.CircuitClosed)]
    yield at_least("times the breaker opened", len(opened), 2)
    yield below("failed attempts until it opened", _attempts(days, began, opened[0].at.timestamp()), OPENS_WITHIN + 1)
    while_open = [_sent(days, one.at.timestamp(), two.at.timestamp()) for one, two in pairwise(opened)]
    yield below("attempts under way when it opened, and its probes", while_open[0], AT_ONCE + PROBES + 1)
    yield below("most attempts between two later openings", max(while_open[1:]), PROBES + 1)
    yield exactly("lists asked for while it was open", _lists(days, opened[0].at.timestamp(), ended), 0)
    yield exactly("times it closed", len(closed), 1)
    yield below("until it closed after the site was back", closed[0].at.timestamp() - ended, 16 * 60.0, "s")
    yield exactly("rows at or after kickoff", days.after_kickoff, 0)
    yield noted("matches missed while the site was away", days.verdict.lost)


def _attempts(days: Days, began: float, ended: float) -> int:
    """Those that came to an end by then, failed."""
    return sum(
        isinstance(each, facts.CaptureAttempted)
        and each.status in ("soft_fail", "hard_fail")
        and began <= each.at.timestamp() <= ended
        for each in days.told
    )


def _sent(days: Days, began: float, ended: float) -> int:
    return sum(
        isinstance(each, facts.CaptureAttempted) and each.status != "skipped" and began < each.at.timestamp() <= ended
        for each in days.told
    )


def _lists(days: Days, began: float, ended: float) -> int:
    return sum(isinstance(each, facts.FixturesListed) and began < each.at.timestamp() < ended for each in days.told)


def _clean(name: str, days: Days) -> Iterator[Figure]:
    verdict = days.verdict
    for finding in verdict.findings[:5]:
        tell(f"{name}: match {finding.key}: {finding.what}, {finding.words}")
    yield noted(f"{name}: matches", MATCHES)
    yield at_least(f"{name}: whose line-ups came out in time", verdict.due, DUE_LEAST)
    yield exactly(f"{name}: of them captured before kickoff", verdict.captured, verdict.due)
    yield exactly(f"{name}: late, duplicated or wrong", verdict.late + verdict.duplicated + verdict.wrong, 0)
    yield exactly(f"{name}: rows at or after kickoff", days.after_kickoff, 0)
    yield exactly(f"{name}: rows that say nothing new", days.doubled, 0)
    yield noted(f"{name}: rows", len(days.rows))
    yield noted(f"{name}: visits", days.visits)
