"""What was pushed goes into the ledger as if it had been polled: once, in order, each with a verdict."""

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest

from longstop.capturing import Shelf
from longstop.distribute.sink import pushed
from longstop.domain.errors import RecordRefusedError, StoreUnavailableError
from longstop.domain.match import MatchStatus
from longstop.domain.push import PushedPayload, PushVerdict
from longstop.observe import signals
from longstop.observe.health import Board
from longstop.serve.push_form import push_of
from longstop.store.pushes import PushJournal
from longstop.supervise.assignment import Assignment
from longstop.supervise.intake import _BELIEVED, Intake
from longstop.supervise.turns import Turns
from longstop.watch import Watch
from tests.crex import REF
from tests.cricket import NOON
from tests.doubles import ShakyStore
from tests.polling import CLOCK, Table, table
from tests.virtual import Heard

pytestmark = pytest.mark.req("G1")
EARLIER = NOON - timedelta(hours=1)


class Pair:
    """Here somebody polls; there the same is pushed to somebody who fetches nothing."""

    def __init__(self, here: Table, folder: Path) -> None:
        self.here = here
        self.there = ShakyStore(CLOCK)
        self.heard = Heard()
        self.turns = Turns()
        self.watch: Watch | None = None
        self.journal = PushJournal(folder / "pushes.db")
        self.intake = self.new_intake()

    def new_intake(self) -> Intake:
        shelf = Shelf(self.there)
        return Intake(self.journal, self.there, lambda: self, (self.here.source,), CLOCK, self.heard.bus, shelf)

    def assignment(self, _: str) -> Assignment | None:
        return None if self.watch is None else Assigned(self.watch)  # type: ignore[return-value]  # all that is asked

    async def open(self) -> None:
        await self.there.open()
        await self.journal.open()

    async def payloads(self) -> list[PushedPayload]:
        return [pushed(capture) for capture in await self.here.store.captures(REF.match_id, limit=1000)]

    async def push(self, *payloads: PushedPayload) -> list[PushVerdict]:
        kept = await self.journal.accept(push_of(payloads, "scout", None), CLOCK.now())
        await self.intake.look()
        found = await self.journal.find(kept.id, None)
        assert found is not None
        return [item.verdict for item in found.items]

    async def require_same(self) -> None:
        assert await balls(self.there) == await balls(self.here.store)


class Assigned:
    is_replacing = False

    def __init__(self, watch: Watch) -> None:
        self.watch = watch


async def balls(store: ShakyStore) -> list[Any]:
    return [(row.place, row.delivery) for row in await store.deliveries(REF.match_id)]


@pytest.fixture
async def pair(tmp_path: Path) -> Any:
    it = await table(60)
    for _ in range(4):
        await it.poll()
        it.innings.bowl(3)
    await it.poll()
    made = Pair(it, tmp_path)
    await made.open()
    yield made
    await made.journal.close()


async def test_what_is_pushed_gives_the_same_ledger(pair: Pair) -> None:
    payloads = await pair.payloads()
    assert {payload.purpose for payload in payloads} == {"state", "feed"}
    verdicts = await pair.push(*payloads)
    assert set(verdicts) <= {PushVerdict.ACCEPTED, PushVerdict.UNCHANGED}
    await pair.require_same()
    told = [signal.verdict for signal in pair.heard.of(signals.PushJudged)]
    assert len(told) == len(payloads)


async def test_what_was_interrupted_before_its_verdict_is_taken_again_and_nothing_is_there_twice(pair: Pair) -> None:
    payloads = await pair.payloads()
    await pair.push(*payloads)
    events = await pair.there.events(REF.match_id, limit=5000)
    pair.intake = pair.new_intake()
    await pair.push(*(msgspec.structs.replace(each, key=f"again {each.key}"[:60]) for each in payloads))
    assert await pair.there.events(REF.match_id, limit=5000) == events
    await pair.require_same()


async def test_what_is_older_than_the_record_changes_nothing_and_is_kept(pair: Pair) -> None:
    first, *_, last = [each for each in await pair.payloads() if each.purpose == "state"]
    last = msgspec.structs.replace(last, captured_at=CLOCK.now())
    first = msgspec.structs.replace(first, captured_at=EARLIER, requested_at=EARLIER)
    assert await pair.push(last) == [PushVerdict.ACCEPTED]
    before = await balls(pair.there)
    assert await pair.push(first) == [PushVerdict.OLDER]
    assert await balls(pair.there) == before
    kept = {capture.sha256 for capture in await pair.there.captures(REF.match_id, limit=100)}
    assert hashlib.sha256(first.body).hexdigest() in kept


async def test_what_is_not_believed_enters_no_match_and_the_next_that_is_does(pair: Pair) -> None:
    good = (await pair.payloads())[0]
    long_ago = good.captured_at.replace(year=2020)
    doubtful = msgspec.structs.replace(good, key="", captured_at=long_ago, requested_at=long_ago)
    assert await pair.push(doubtful) == [PushVerdict.HELD]
    assert await pair.there.match(REF.match_id) is None
    assert await pair.there.matches() == []
    assert await pair.push(good) == [PushVerdict.ACCEPTED]
    entered = await pair.there.match(REF.match_id)
    assert entered is not None
    assert (entered.status, entered.teams[0]) == (MatchStatus.LIVE, "CD")


async def test_each_that_cannot_be_read_has_its_reason_and_the_next_is_taken(pair: Pair) -> None:
    good = (await pair.payloads())[0]
    bad = [
        msgspec.structs.replace(good, key="", source="crick"),
        msgspec.structs.replace(good, key="", source="sofascore"),
        msgspec.structs.replace(good, key="", body=b"<html>not for you</html>"),
        msgspec.structs.replace(good, key="", body=b""),
        msgspec.structs.replace(good, key="", purpose="weather"),
        msgspec.structs.replace(good, key="", purpose="feed", match_key="NEW", asked="x"),
        msgspec.structs.replace(good, key="", captured_at=good.captured_at.replace(year=2099)),
    ]
    *refused, taken = await pair.push(*bad, good)
    assert refused == [PushVerdict.REJECTED] * len(bad)
    assert taken is PushVerdict.ACCEPTED
    assert all(signal.reasons[0] for signal in pair.heard.of(signals.PushJudged) if signal.verdict == "rejected")
    assert await pair.there.match("crex_NEW") is None


async def test_a_match_that_is_watched_here_as_well_keeps_one_ledger(pair: Pair) -> None:
    """Whoever polls here goes on from what was pushed, and pushes the other way change nothing that is newer."""
    payloads = await pair.payloads()
    pair.there = pair.here.store
    pair.watch = pair.here.watch
    pair.intake = pair.new_intake()
    pair.here.innings.bowl(2)
    await pair.here.poll()
    assert not {PushVerdict.REJECTED, PushVerdict.HELD} & set(await pair.push(*payloads))
    pair.here.innings.bowl(3)
    await pair.here.poll()
    await pair.here.require_whole(len(pair.here.innings.runs))


async def test_a_payload_waits_for_the_turn_of_the_scraper(pair: Pair) -> None:
    first = (await pair.payloads())[0]
    async with pair.turns.of(REF.match_id):
        task = asyncio.create_task(pair.push(first))
        await asyncio.sleep(0.1)
        assert not task.done()
        assert await balls(pair.there) == []
    assert await task == [PushVerdict.ACCEPTED]


async def test_a_record_that_is_away_keeps_what_was_pushed_waiting_and_one_that_refuses_does_not(pair: Pair) -> None:
    payloads = await pair.payloads()

    def away() -> None:
        raise StoreUnavailableError("Gone.")

    def refuses() -> None:
        raise RecordRefusedError("Never.")

    pair.there.keeping = away
    assert await pair.push(payloads[0]) == [PushVerdict.WAITING]
    assert await pair.push(payloads[0]) == [PushVerdict.WAITING]
    pair.there.keeping = refuses
    assert await pair.push(payloads[0]) == [PushVerdict.REJECTED]


async def shown(pair: Pair) -> int:
    return (await pair.there.live([REF.match_id]))[REF.match_id].innings[0].runs


async def look_after(pair: Pair) -> None:
    pair.intake._gaps_at = 0.0
    await pair.intake._look_after()


class Back:
    """The record knows an innings, and the site goes far back: taken back overs, or a stuck cache. Who knows?"""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.board = Board(CLOCK.now())
        self.board.subscribe(pair.heard.bus)

    async def push(self, *balls: int) -> list[PushVerdict]:
        """States of so many balls, one a second of the site's clock."""
        return await self.pair.push(*(self.state(count) for count in balls))

    def state(self, balls: int, seconds: float = 0.0) -> PushedPayload:
        innings = self.pair.here.innings
        innings.runs = [1] * balls
        innings.moved()
        at = CLOCK.now() + timedelta(seconds=seconds)
        body = orjson.dumps(innings.state())
        return PushedPayload(
            source="crex", match_key=REF.key, purpose="state", url="", requested_at=at, captured_at=at, body=body
        )

    @property
    def held(self) -> tuple[str, ...]:
        """Why the newest is not believed, as the API tells it."""
        watched = self.board.match(REF.match_id)
        return () if watched is None or watched.hold is None else watched.hold.reasons


@pytest.fixture
async def back(pair: Pair) -> Back:
    await pair.push(*await pair.payloads())
    return Back(pair)


async def test_what_was_not_believed_and_left_standing_for_a_minute_is_believed(
    back: Back, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, before = back.pair, await shown(back.pair)
    assert await back.push(40) == [PushVerdict.HELD]
    assert ["back to 40/0" in reason for reason in back.held] == [True]
    await look_after(pair)
    assert await shown(pair) == before
    monkeypatch.setattr("longstop.supervise.intake.INSISTED_SECONDS", 0.0)
    await look_after(pair)
    assert await shown(pair) == 40
    assert back.held == ()
    told = pair.heard.of(signals.PushJudged)
    assert (told[-1].verdict, told[-1].reasons) == ("accepted", _BELIEVED)
    await look_after(pair)
    assert pair.heard.of(signals.PushJudged) == told
    assert await back.push(43) == [PushVerdict.ACCEPTED]


async def test_the_verdict_of_what_was_believed_later_is_told_to_who_pushed_it(
    back: Back, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await back.pair.journal.accept(push_of((back.state(40),), "scout", None), CLOCK.now())
    await back.pair.intake.look()
    monkeypatch.setattr("longstop.supervise.intake.INSISTED_SECONDS", 0.0)
    await look_after(back.pair)
    found = await back.pair.journal.find(kept.id, None)
    assert found is not None
    assert [(item.verdict, item.reasons) for item in found.items] == [(PushVerdict.ACCEPTED, _BELIEVED)]


async def test_what_is_taken_back_by_the_next_payload_is_never_believed(
    back: Back, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await back.push(40) == [PushVerdict.HELD]
    assert await back.push(90) == [PushVerdict.ACCEPTED]
    assert back.held == ()
    monkeypatch.setattr("longstop.supervise.intake.INSISTED_SECONDS", 0.0)
    await look_after(back.pair)
    assert await shown(back.pair) == 90


async def test_what_was_pushed_late_stood_for_as_long_as_the_next_one_says(back: Back) -> None:
    """A sender that was cut off brings both at once; between them a minute had passed."""
    first, second = back.state(40), back.state(42, seconds=61)
    assert await back.pair.push(first, second) == [PushVerdict.ACCEPTED, PushVerdict.ACCEPTED]
    assert await shown(back.pair) == 42
