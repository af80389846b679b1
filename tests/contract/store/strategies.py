"""Every value that the domain may hold, also those no sane source would send."""

import hashlib
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from longstop.domain.cricket import (
    BatterFigures,
    BowlerFigures,
    Delivery,
    Dismissal,
    Extras,
    InningsScore,
    InningsState,
    Place,
    PlayState,
    Replacement,
    Result,
    Toss,
)
from longstop.domain.events import DeliveryRecord, EventKind, Gap, GapState, InningsRecord, MatchEvent
from longstop.domain.lifecycle import MatchState
from longstop.domain.match import MatchPriority, MatchRef, MatchStatus
from longstop.domain.recovery import RecoveryAction, RecoveryAuditEntry, RecoveryOutcome
from longstop.domain.scraper_state import ScraperState, Tally
from longstop.store.contract import Capture, LiveRow, MatchRow

# NUL, the escape used for it, quotes, wide letters, right-to-left marks, letters outside the basic plane.
_AWKWARD = st.sampled_from(
    ["", "\x00", "\x10", "\x100", "\x101\x00", "'\"`;--", "\\u0000", "ß", "السا", "🏏", "a\r\nb", "é"]
)
_LONG = st.integers(1, 3).map(lambda times: "Muttiah Muralitharan \x00" * 4000 * times)
texts = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), _AWKWARD, _LONG)
numbers = st.one_of(st.integers(0, 700), st.sampled_from([-1, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]))
zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-11))])
times = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=zones)  # noqa: DTZ001 - the zone is added
# Keys reach an index, so they are bounded; the rest of what a text may be, they may be too.
keys = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)

places = st.builds(Place, numbers, numbers, numbers)
extras = st.builds(
    Extras, st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)
)
dismissals = st.builds(
    Dismissal, texts, st.one_of(texts, st.just("retired hurt")), st.lists(texts, max_size=2).map(tuple)
)
replacements = st.builds(Replacement, texts, texts, st.none() | texts, st.none() | texts, texts, st.none() | texts)
results = st.builds(Result, texts, st.none() | texts, st.none() | numbers, st.none() | numbers, text=texts)
scores = st.builds(
    InningsScore,
    number=numbers,
    team=texts,
    runs=numbers,
    wickets=numbers,
    legal_balls=st.none() | numbers,
    overs=texts,
    extras=st.none() | extras,
    is_super_over=st.booleans(),
    state=st.sampled_from(InningsState),
    penalty_before=numbers,
    penalty_after=numbers,
    absent_hurt=st.lists(texts, max_size=2).map(tuple),
    target_runs=st.none() | numbers,
    target_overs=st.none() | texts,
)


def deliveries(place: Place) -> st.SearchStrategy[Delivery]:
    return st.builds(
        Delivery,
        place=st.just(place),
        batter=texts,
        non_striker=texts,
        bowler=texts,
        runs_batter=st.integers(-9, 2**40),
        extras=extras,
        dismissals=st.lists(dismissals, max_size=2).map(tuple),
        replacements=st.lists(replacements, max_size=2).map(tuple),
        is_non_boundary=st.booleans(),
        bowled_at=st.none() | times,
    )


@st.composite
def delivery_records(draw: st.DrawFn, match_id: str) -> DeliveryRecord:
    place = draw(places)
    ball = draw(st.none() | deliveries(place))
    return DeliveryRecord(match_id, place, draw(numbers), ball, draw(times), draw(times), draw(texts))


def innings_records(match_id: str) -> st.SearchStrategy[InningsRecord]:
    return st.builds(InningsRecord, st.just(match_id), numbers, scores, times, st.none() | times)


@st.composite
def events(draw: st.DrawFn, match_id: str) -> MatchEvent:
    place = draw(st.none() | places)
    return MatchEvent(
        match_id=match_id,
        seq=draw(st.integers(1, 2**63 - 1)),
        key=draw(keys),
        kind=draw(st.sampled_from(EventKind)),
        true_at=draw(times),
        captured_at=draw(times),
        place=place,
        revision=draw(numbers),
        delivery=draw(st.none() | deliveries(place)) if place else None,
        score=draw(st.none() | scores),
        result=draw(st.none() | results),
        detail=draw(texts),
    )


def gaps(match_id: str) -> st.SearchStrategy[Gap]:
    return st.builds(
        Gap,
        match_id=st.just(match_id),
        gap_id=keys,
        innings=numbers,
        first_over=numbers,
        last_over=numbers,
        state=st.sampled_from(GapState),
        cause=texts,
        opened_at=times,
        closed_at=st.none() | times,
        missing_runs=numbers,
        missing_wickets=numbers,
        missing_balls=numbers,
    )


def live_rows(match_id: str) -> st.SearchStrategy[LiveRow]:
    batting = st.lists(st.builds(BatterFigures, texts, numbers, numbers, is_on_strike=st.booleans()), max_size=2)
    return st.builds(
        LiveRow,
        match_id=st.just(match_id),
        sequence=numbers,
        captured_at=times,
        source_at=st.none() | times,
        scraper_id=keys,
        source=texts,
        rung=texts,
        payload_sha256=texts,
        update_latency_ms=numbers,
        play=st.sampled_from(PlayState),
        balls_per_over=numbers,
        innings=st.lists(scores, max_size=2).map(tuple),
        batting=batting.map(tuple),
        bowling=st.none() | st.builds(BowlerFigures, texts, numbers, numbers),
        toss=st.none() | st.builds(Toss, texts, texts),
        result=st.none() | results,
        last_event=texts,
        announcement=texts,
        complete_through=st.none() | texts,
    )


def match_rows(ref: MatchRef) -> st.SearchStrategy[MatchRow]:
    fields: dict[str, Any] = dict.fromkeys(("title", "format", "series", "venue"), texts)
    return st.builds(
        MatchRow,
        ref=st.just(ref),
        teams=st.tuples(texts, texts),
        status=st.sampled_from(MatchStatus),
        state=st.sampled_from(MatchState),
        starts_at=st.none() | times,
        discovered_at=st.none() | times,
        last_scraper_update=st.none() | times,
        state_at=st.none() | times,
        scraper_status=keys,
        priority=st.sampled_from(MatchPriority),
        result=st.none() | results,
        **fields,
    )


finite = st.floats(allow_nan=False, allow_infinity=False)


def states(match_id: str) -> st.SearchStrategy[ScraperState]:
    return st.builds(
        ScraperState,
        match_id=st.just(match_id),
        scraper_id=keys,
        saved_at=times,
        reason=texts,
        sequence=numbers,
        last_place=st.none() | places,
        score=st.lists(st.builds(Tally, numbers, numbers, numbers, texts), max_size=2).map(tuple),
        players=st.lists(texts, max_size=3).map(tuple),
        rung=texts,
        pace_seconds=finite,
        pace_reason=texts,
        errors=numbers,
        unchanged=numbers,
        changed_at=st.none() | times,
        paused_until=st.none() | times,
    )


def audits(entry_id: str) -> st.SearchStrategy[RecoveryAuditEntry]:
    return st.builds(
        RecoveryAuditEntry,
        entry_id=st.just(entry_id),
        at=times,
        action=st.sampled_from(RecoveryAction),
        trigger=texts,
        subject=texts,
        outcome=st.none() | st.sampled_from(RecoveryOutcome),
        judged_at=st.none() | times,
        duration_seconds=finite,
        metadata=st.dictionaries(texts, st.one_of(texts, numbers, finite, st.booleans(), st.none()), max_size=3),
    )


@st.composite
def captures(draw: st.DrawFn, match_id: str) -> Capture:
    body = draw(st.one_of(st.binary(max_size=200), st.sampled_from([b"", b"\x00" * 70_000, b"<p>4</p>" * 9000])))
    return Capture(
        match_id=match_id,
        purpose=draw(keys),
        sha256=hashlib.sha256(body).hexdigest(),
        captured_at=draw(times),
        requested_at=draw(times),
        source=draw(texts),
        rung=draw(texts),
        url="http://127.0.0.1/" + draw(keys).replace("#", "").replace("@", "").replace("=", ""),
        status=draw(numbers),
        body=body,
        asked=draw(texts),
    )
