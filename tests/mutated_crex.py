"""The CREX-like source's payloads, to be broken: each with its reader, down to what the store would be given."""

import msgspec

from longstop.check import plausibility
from longstop.domain.observation import Observation
from longstop.ledger.gaps import FeedPage
from longstop.ledger.match_ledger import MatchLedger
from longstop.sources.contract import Missing
from longstop.sources.crex import CrexSource
from tests.crex import BALL, CARD, FEED, INNINGS, LISTED, NAMES, REF, capture, changed, snapshot, state
from tests.endurance import Case

SOURCE = CrexSource()
ENDED = state(ps="E", B="USA won by 62 runs", rs={"w": "CD", "by": {"runs": 62}, "m": "D/L"})
LATER = state(
    k="12/0(2.0",
    p1="XX.12.12.0.0*",
    p2="6A5.0.0.0.0",
    bw="F7.12.12.0.0",
    rb=[{"o": over, "b": [BALL] * 6} for over in (0, 1)],
    **{
        "in": [
            changed(INNINGS, z="closed"),
            changed(INNINGS, c="11", d="12/0(12", ov="2.0", tg=107, x="wd0.nb0.b0.lb0.pn0"),
        ]
    },
)


def read_state(body: bytes) -> Observation | None:
    return post(SOURCE.parse_state(REF, snapshot(body)))


def post(observation: Observation) -> Observation | None:
    """What a poll does with it, down to what the store is given."""
    if not plausibility.judge(observation).is_accepted:
        return None
    ledger = MatchLedger(REF.match_id)
    draft = ledger.draft(observation)
    for overs in ledger.wanted(draft):
        assert 0 <= overs.first_over <= overs.last_over
    ledger.adopt(draft)
    ledger.wanted(ledger.draft(observation))
    msgspec.json.encode((draft.records, draft.innings, draft.events, draft.gaps))
    return observation


def read_feed(body: bytes) -> bool:
    missing = Missing(1, 22, 31)
    feed = SOURCE.parse_feed(REF, missing, snapshot(body))
    observation = SOURCE.parse_state(REF, snapshot(state()))
    plausibility.require_plausible_feed(feed.overs, feed.sequence, observation)
    ledger = MatchLedger(REF.match_id)
    (asked, *_) = ledger.wanted(ledger.draft(observation))
    draft = ledger.draft(observation, [FeedPage(asked, feed.overs, feed.last_over, feed.payload_sha256)])
    ledger.adopt(draft)
    msgspec.json.encode((ledger.wanted(ledger.draft(observation)), draft.records, draft.events))
    return True


def read_list(body: bytes) -> bool:
    for listing in SOURCE.parse_list(snapshot(body)):
        assert listing.ref.url.isprintable()
        msgspec.json.encode(listing)
    return True


def read_names(body: bytes) -> bool:
    msgspec.json.encode(SOURCE.parse_names(snapshot(body)))
    return True


def read_any(body: bytes) -> bool | None:
    reading = SOURCE.read(snapshot(body))
    msgspec.json.encode(reading)
    if reading.observation is not None and post(reading.observation) is None:
        return None
    judged = (plausibility.judge_overs(reading.overs), plausibility.judge_innings(reading.innings))
    return True if all(verdict.is_accepted for verdict in judged) else None


CASES: dict[str, Case] = {
    "state": Case(state(), read_state),
    "second innings": Case(LATER, read_state),
    "end": Case(ENDED, read_state),
    "capture": Case(capture(), read_state),
    "feed": Case(FEED, read_feed),
    "list": Case([LISTED, changed(LISTED, key="AB1")], read_list),
    "names": Case(NAMES, read_names),
    "scorecard": Case([CARD, CARD], read_any),
    "any of a state": Case(state(), read_any),
    "any of a feed": Case(FEED, read_any),
}
