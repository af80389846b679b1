"""A believable match for those who measure serving, as the store and the board have it."""

from datetime import datetime, timedelta

from longstop.domain.cricket import (
    BatterFigures,
    BowlerFigures,
    Delivery,
    Extras,
    InningsScore,
    InningsState,
    OverReport,
    Place,
    PlayState,
    Toss,
)
from longstop.domain.events import EventKind, MatchEvent
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchRef, MatchStatus
from longstop.domain.observation import Observation, Provenance
from longstop.store.contract import LiveRow, MatchRow

SHA = "ab" * 32
INNINGS = (
    InningsScore(1, "IN", 234, 10, 290, "48.2", Extras(wides=8), state=InningsState.CLOSED),
    InningsScore(2, "AU", 95, 3, 75, "12.3", Extras(wides=2), target_runs=235, target_overs="50"),
)
BATTING = (BatterFigures("P1", 42, 28, 5, 1, True), BatterFigures("P2", 3, 4))
BOWLING = BowlerFigures("P9", 24, 17, 0, 2)


def _ref(number: int) -> MatchRef:
    return MatchRef("crex", f"M{number}", f"http://127.0.0.1/match-{number}")


def row_of(number: int, now: datetime) -> MatchRow:
    return MatchRow(
        ref=_ref(number),
        title="India v Australia, 3rd ODI",
        teams=("IN", "AU"),
        status=MatchStatus.LIVE,
        state=MatchState.ACTIVE,
        format="ODI",
        series="Australia tour of India",
        venue="Wankhede Stadium, Mumbai",
        starts_at=now - timedelta(hours=3),
        discovered_at=now - timedelta(hours=4),
    )


def live_of(number: int, now: datetime) -> LiveRow:
    return LiveRow(
        match_id=_ref(number).match_id,
        sequence=1,
        captured_at=now,
        source_at=now - timedelta(seconds=1),
        scraper_id=f"s{number}",
        source="crex",
        rung="replay",
        payload_sha256=SHA,
        update_latency_ms=12,
        play=PlayState.PLAY,
        innings=INNINGS,
        batting=BATTING,
        bowling=BOWLING,
        toss=Toss("IN", "bat"),
        last_event="4",
        complete_through="2.12.3",
    )


def believed(number: int, now: datetime) -> Observation:
    overs = tuple(
        OverReport(2, over, tuple(Delivery(Place(2, over, n), "P1", "P2", "P9", n % 3) for n in range(1, 7)))
        for over in (11, 12)
    )
    return Observation(
        ref=_ref(number),
        provenance=Provenance("crex", "replay", SHA, now, now - timedelta(seconds=1)),
        status=MatchStatus.LIVE,
        play=PlayState.PLAY,
        teams=("IN", "AU"),
        innings=INNINGS,
        overs=overs,
        batting=BATTING,
        bowling=BOWLING,
        toss=Toss("IN", "bat"),
        format="ODI",
        last_event="4",
    )


def told_of(seq: int, now: datetime) -> MatchEvent:
    ball = Delivery(Place(2, 12, seq), "P1", "P2", "P9", 1)
    return MatchEvent("crex_M0", seq, f"ball:{seq}", EventKind.BALL_BOWLED, now, now, ball.place, 1, delivery=ball)
