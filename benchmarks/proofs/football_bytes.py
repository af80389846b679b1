"""What a match costs on the way: a visit moves a small part of what its page would load."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, at_least, below, noted
from benchmarks.football_visits import measured

MATCHES = 40
BATCH = 20
# The head of each answer is counted by the proxy and, but for some names, by the site.
HEADS_SHARE = 0.05
SHARE_MAX = 0.15


def prove_bytes(_: Wishes) -> Iterator[Figure]:
    found = measured(MATCHES, BATCH)
    yield noted("a page as a person loads it", found.full / 1000, "kB")
    yield noted("a visit that opens its page, on average", sum(found.pages) / len(found.pages) / 1000, "kB")
    yield noted("a visit that needs no page, on average", sum(found.calls) / len(found.calls) / 1000, "kB")
    yield below("the largest visit, of a full page", max(found.pages) / found.full, SHARE_MAX)
    yield below("bytes per match, of a full page", found.per_match / found.full, SHARE_MAX)
    yield at_least("matches without a page", len(found.calls), MATCHES - MATCHES // BATCH)
    yield at_least("families brought per match", found.families / MATCHES, 2.0)
    yield below("what is told beside what was sent, off by", abs(found.told / found.sent - 1), HEADS_SHARE)
