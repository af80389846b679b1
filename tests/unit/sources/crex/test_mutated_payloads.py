"""Thousands of broken payloads through parser, check and ledger: refused or read, never a crash or a hang."""

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from longstop.check import plausibility
from longstop.domain.errors import ForeignPayloadError, LongstopError, MalformedPayloadError
from longstop.domain.observation import Observation
from longstop.fetch.snapshot import Snapshot
from longstop.ledger.match_ledger import FeedPage, MatchLedger
from longstop.sources.contract import Missing
from longstop.sources.crex import CrexSource
from tests.crex import CARD, FEED, INNINGS, LISTED, NAMES, REF, capture, changed, snapshot, state
from tests.mutations import mutants

SOURCE = CrexSource()
EACH = 1000
SECONDS_MAX = 0.25
SEED = 20240918
ENDED = state(ps="E", B="USA won by 62 runs", rs={"w": "CD", "by": {"runs": 62}, "m": "D/L"})
LATER = state(
    k="12/0(2.0", **{"in": [changed(INNINGS, z="closed"), changed(INNINGS, c="11", d="12/0(12", ov="2.0", tg=107)]}
)


def read_state(shot: Snapshot) -> None:
    post(SOURCE.parse_state(REF, shot))


def post(observation: Observation) -> None:
    """What a poll does with it, down to what the store is given."""
    if plausibility.judge(observation).is_accepted:
        ledger = MatchLedger(REF.match_id)
        draft = ledger.draft(observation)
        for overs in ledger.wanted(draft):
            assert 0 <= overs.first_over <= overs.last_over
        ledger.adopt(draft)
        ledger.wanted(ledger.draft(observation))
        msgspec.json.encode((draft.records, draft.innings, draft.events, draft.gaps))


def read_feed(shot: Snapshot) -> None:
    missing = Missing(1, 22, 31)
    feed = SOURCE.parse_feed(REF, missing, shot)
    observation = SOURCE.parse_state(REF, snapshot(state()))
    plausibility.require_plausible_feed(feed.overs, feed.sequence, observation)
    ledger = MatchLedger(REF.match_id)
    (asked, *_) = ledger.wanted(ledger.draft(observation))
    draft = ledger.draft(observation, [FeedPage(asked, feed.overs, feed.last_over, feed.payload_sha256)])
    ledger.adopt(draft)
    msgspec.json.encode((ledger.wanted(ledger.draft(observation)), draft.records, draft.events))


def read_list(shot: Snapshot) -> None:
    for listing in SOURCE.parse_list(shot):
        assert listing.ref.url.isprintable()
        msgspec.json.encode(listing)


def read_names(shot: Snapshot) -> None:
    msgspec.json.encode(SOURCE.parse_names(shot))


def read_any(shot: Snapshot) -> None:
    reading = SOURCE.read(shot)
    msgspec.json.encode(reading)
    if reading.observation is not None:
        post(reading.observation)
    plausibility.judge_overs(reading.overs)
    plausibility.judge_innings(reading.innings)


Reader = Callable[[Snapshot], None]
CASES: dict[str, tuple[Any, Reader]] = {
    "state": (state(), read_state),
    "second innings": (LATER, read_state),
    "end": (ENDED, read_state),
    "capture": (capture(), read_state),
    "feed": (FEED, read_feed),
    "list": ([LISTED, changed(LISTED, key="AB1")], read_list),
    "names": (NAMES, read_names),
    "scorecard": ([CARD, CARD], read_any),
    "any of a state": (state(), read_any),
    "any of a feed": (FEED, read_any),
}


def refusal(reader: Reader, shot: Snapshot) -> LongstopError | None:
    try:
        reader(shot)
    except LongstopError as error:
        return error
    return None


def is_slow(reader: Reader, shot: Snapshot) -> bool:
    """Slow each time: a collection of garbage may fall into one run, not into three."""
    for _ in range(3):
        started = time.thread_time()
        refusal(reader, shot)
        if time.thread_time() - started < SECONDS_MAX:
            return False
    return True


@pytest.mark.req("B10")
@pytest.mark.parametrize("name", CASES)
def test_a_mutated_payload_is_read_or_refused_and_never_breaks_the_house(name: str) -> None:
    payload, reader = CASES[name]
    reader(snapshot(payload))
    refused = 0
    for number, body in enumerate(mutants(SEED, EACH, payload)):
        shot = snapshot(body)
        started = time.thread_time()
        error = refusal(reader, shot)
        spent = time.thread_time() - started
        assert spent < SECONDS_MAX or not is_slow(reader, shot), (number, spent, body[:300])
        if error is not None:
            refused += 1
            assert isinstance(error, MalformedPayloadError | ForeignPayloadError), (number, error, body[:300])
            assert len(str(error)) < 600, (number, error, body[:300])
    # A mutation that nothing notices, or one that breaks everything, would try nothing.
    assert 0.1 * EACH < refused < 0.95 * EACH


def test_there_are_ten_thousand_mutants() -> None:
    assert EACH * len(CASES) >= 10_000
