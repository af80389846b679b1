"""A table set for polling: an innings that grows, the site that shows it, the real source, ledger and store."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from longstop.clock import to_millis
from longstop.domain.cricket import Place
from longstop.domain.events import EventKind, MatchEvent
from longstop.domain.match import MatchListing, MatchStatus
from longstop.fetch.snapshot import FetchRequest
from longstop.ledger.match_ledger import LedgerLimits
from longstop.pipeline import Outcome, Pipeline
from longstop.sources.crex import CrexSource
from longstop.watch import Watch
from tests.crex import REF, Item
from tests.cricket import NOON
from tests.doubles import ScriptedFetcher, ShakyStore
from tests.virtual import Heard, noon_clock

CLOCK = noon_clock()
BALL = {"p": "XX", "np": "6A5", "bf": "F7", "r": 1}


class Innings:
    """So many balls of one run each, as the site's payloads show them at this moment."""

    def __init__(self, balls: int = 0) -> None:
        self.runs = [1] * balls
        self.sequence = 1
        self.ended = ""
        self.millis = to_millis(NOON)

    def bowl(self, balls: int = 1) -> "Innings":
        self.runs += [1] * balls
        return self.moved()

    def moved(self) -> "Innings":
        self.sequence += 1
        self.millis += 2500
        return self

    def overs(self, first: int, last: int) -> list[Item]:
        found = []
        for over in range(first, last + 1):
            rows = [
                BALL | {"r": run, "ts": to_millis(NOON) - 7_200_000 + (over * 6 + at) * 40_000}
                for at, run in enumerate(self.runs[over * 6 : over * 6 + 6])
            ]
            found += [{"o": over, "b": rows}] if rows else []
        return found

    @property
    def last_over(self) -> int:
        return (len(self.runs) - 1) // 6

    def state(self) -> Item:
        whole, rest = divmod(len(self.runs), 6)
        score = f"{sum(self.runs)}/0"
        item = {"c": "CD", "d": f"{score}({len(self.runs)}", "ov": f"{whole}.{rest}", "x": "wd0"}
        item["z"] = "closed" if self.ended else "live"
        made: Item = {
            "a": "CD.11",
            "j": f"{score}({whole}.{rest}",
            "k": "0/0(0.0",
            "B": self.ended or "1",
            "ps": "E" if self.ended else "P",
            "ts": self.millis,
            "sq": self.sequence,
            "in": [item] if self.runs else [],
            "rb": self.overs(max(0, self.last_over - 3), self.last_over),
        }
        return made | ({"rs": {"w": "CD", "by": {"runs": 5}}} if self.ended else {})

    def feed(self, request: FetchRequest) -> Item:
        query = {name: values[0] for name, values in parse_qs(urlsplit(request.url).query).items()}
        first, last = int(query["from"]), int(query["to"])
        rows = self.overs(first, min(last, self.last_over))
        return {
            "key": "QUY",
            "inning": 1,
            "from": first,
            "to": last,
            "last": self.last_over,
            "sq": self.sequence,
            "rb": rows,
        }


class Table:
    """Everything that a poll needs, with the site's answers at hand."""

    def __init__(self, innings: Innings) -> None:
        self.innings = innings
        self.heard = Heard()
        self.fetcher = ScriptedFetcher(CLOCK, {"state": lambda _: innings.state(), "feed": innings.feed})
        self.store = ShakyStore(CLOCK)
        self.source = CrexSource()
        self.pipeline = Pipeline(self.source, self.fetcher, self.store, CLOCK, self.heard.bus)
        self.watch = self.watching()

    def watching(self, status: MatchStatus = MatchStatus.LIVE) -> Watch:
        listing = MatchListing(REF, "A v B", ("CD", "11"), status)
        return Watch(listing, "scraper-1", CLOCK.now() if self.store.saved else NOON, LedgerLimits())

    def answer(self, purpose: str, answer: Any) -> None:
        self.fetcher.answers[purpose] = answer

    async def poll(self, **answers: Any) -> Outcome:
        usual = dict(self.fetcher.answers)
        self.fetcher.answers.update(answers)
        outcome = await self.pipeline.poll(self.watch)
        self.fetcher.answers = usual
        return outcome

    async def events(self) -> list[MatchEvent]:
        return list(await self.store.events(REF.match_id, limit=5000))

    async def places(self) -> list[Place]:
        return [row.place for row in await self.store.deliveries(REF.match_id)]

    async def require_whole(self, expected_balls: int) -> None:
        """Every ball once, in order, with events that have no hole and no twin."""
        expected = [Place(1, ball // 6, ball % 6 + 1) for ball in range(expected_balls)]
        assert await self.places() == expected
        events = await self.events()
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert len({event.key for event in events}) == len(events)
        told = [event.place for event in events if event.kind is EventKind.BALL_BOWLED]
        assert sorted(told, key=lambda place: place or Place(0, 0, 0)) == expected
        facts = [(event.kind, event.detail) for event in events if event.kind is not EventKind.BALL_BOWLED]
        assert len(facts) == len(set(facts)), facts


async def table(balls: int = 9) -> Table:
    made = Table(Innings(balls))
    await made.store.open()
    return made
