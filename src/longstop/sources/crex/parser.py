"""Snapshot → Observation. Pure: the same bytes give the same answer, anywhere, at any time."""

from functools import lru_cache
from typing import TypeVar

import msgspec

from longstop.clock import from_millis
from longstop.domain.cricket import (
    Delivery,
    Dismissal,
    InningsScore,
    InningsState,
    OverReport,
    Place,
    PlayState,
    Replacement,
    Result,
)
from longstop.domain.errors import ForeignPayloadError, InputError, MalformedPayloadError
from longstop.domain.match import MatchListing, MatchRef, MatchStatus, Names, require_safe_key
from longstop.domain.observation import Observation, Provenance
from longstop.fetch.snapshot import Snapshot
from longstop.sources.crex import notation, shapes
from longstop.sources.crex.requests import SOURCE, match_page

T = TypeVar("T")

_LISTED_STATUS = {0: MatchStatus.UPCOMING, 1: MatchStatus.LIVE, 2: MatchStatus.COMPLETED}
_VERDICTS = frozenset({"tie", "draw", "no result"})
_OVER_FOR_NOW = frozenset({PlayState.INNINGS_BREAK, PlayState.ENDED})
ALL_OUT = 10


def decode(body: bytes | msgspec.Raw, shape: type[T], what: str) -> T:
    """Strict in what we use, blind to what we do not. Anything that is not JSON is not this source's answer at all."""
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as error:
        raise MalformedPayloadError(f"The {what} has a wrong shape: {error}.") from error
    except msgspec.DecodeError as error:
        raise MalformedPayloadError(f"The {what} is not JSON: {error}.") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise MalformedPayloadError(f"The {what} cannot be decoded: {type(error).__name__}.") from error


def parse_list(base_url: str, snapshot: Snapshot) -> tuple[MatchListing, ...]:
    """One broken row costs that row, not the whole list."""
    rows = decode(snapshot.body, list[msgspec.Raw], "match list")
    listings = (_read_listing(base_url, row) for row in rows)
    return tuple(listing for listing in listings if listing is not None)


def _read_listing(base_url: str, row: msgspec.Raw) -> MatchListing | None:
    try:
        item = decode(row, shapes.Listed, "row of the list")
        key = require_safe_key(item.key)
    except (MalformedPayloadError, InputError):
        return None
    return MatchListing(
        ref=MatchRef(SOURCE, key, match_page(base_url, key, item.slug)),
        title=", ".join(part for part in (f"{item.t1} v {item.t2}", item.mn) if part),
        teams=(item.t1, item.t2),
        status=_LISTED_STATUS.get(item.st, MatchStatus.LIVE),
        format=item.fo,
        series=item.s,
        venue=item.v,
        starts_at=from_millis(item.ti) if item.ti is not None else None,
    )


def parse_state(ref: MatchRef, snapshot: Snapshot) -> Observation:
    state = decode(snapshot.body, shapes.State, "live state")
    words = str(state.B)
    teams = notation.read_pair(state.a)
    play = notation.read_play(state.ps, words)
    innings = _read_innings(state, teams, play)
    if play is PlayState.NOT_STARTED and innings and not state.ps:
        play = PlayState.UNKNOWN  # "Day 2 starts at 10:00": what has begun is live, whatever starts again
    result = _read_result(state.rs, words) if play is PlayState.ENDED else None
    return Observation(
        ref=ref,
        provenance=Provenance(
            source=SOURCE,
            rung=snapshot.rung,
            payload_sha256=snapshot.sha256(),
            captured_at=snapshot.fetched_at,
            source_at=from_millis(state.ts) if state.ts is not None else None,
        ),
        status=_read_status(play, words),
        play=play,
        teams=teams,
        innings=innings,
        overs=tuple(read_over(len(innings), over) for over in state.rb) if innings else (),
        sequence=state.sq,
        batting=tuple(figures for figures in map(notation.read_batter, (state.p1, state.p2)) if figures),
        bowling=notation.read_bowler(state.bw),
        toss=notation.read_toss(state.tt),
        result=result,
        format=str(state.fo),
        balls_per_over=state.bpo,
        overs_limit=state.ov,
        last_event=words,
        announcement=state.C,
        headline=_read_headline(state, teams) if state.innings is not None else (),
        headline_overs=_read_headline_overs(state, teams) if state.innings is not None else (),
        told_winner=state.rs.w if state.rs is not None and play is PlayState.PLAY else None,
    )


def _read_headline(state: shapes.State, teams: tuple[str, str]) -> tuple[tuple[str, tuple[tuple[int, int], ...]], ...]:
    columns = zip(teams, (state.j, state.k), strict=True)
    return tuple(
        (team, tuple((runs, wickets) for runs, wickets, _, _ in notation.read_team_scores(text)))
        for team, text in columns
    )


def _read_headline_overs(state: shapes.State, teams: tuple[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    columns = zip(teams, (state.j, state.k), strict=True)
    return tuple(
        (team, tuple(f"{overs}.{balls}" for _, _, overs, balls in notation.read_team_scores(text)))
        for team, text in columns
    )


def _read_status(play: PlayState, words: str) -> MatchStatus:
    if play is PlayState.NOT_STARTED:
        return MatchStatus.UPCOMING
    if play is not PlayState.ENDED:
        return MatchStatus.LIVE
    return MatchStatus.ABANDONED if notation.is_called_off(words) else MatchStatus.COMPLETED


def _read_innings(state: shapes.State, teams: tuple[str, str], play: PlayState) -> tuple[InningsScore, ...]:
    if state.innings is not None:
        return tuple(read_innings(number, item, state.bpo) for number, item in enumerate(state.innings, start=1))
    return _innings_from_scores(state, teams, play)


def read_innings(number: int, item: shapes.Innings, balls_per_over: int) -> InningsScore:
    runs, wickets, legal_balls = notation.read_total(item.d)
    try:
        condition = InningsState(item.z)
    except ValueError as error:
        raise MalformedPayloadError(f"The innings state {item.z[:20]!r} is none that is known.") from error
    return InningsScore(
        number=number,
        team=item.c,
        runs=runs,
        wickets=wickets,
        legal_balls=legal_balls,
        overs=notation.read_overs(item.ov, legal_balls, balls_per_over),
        extras=notation.read_extras(item.x) if item.x else None,
        is_super_over=bool(item.so),
        state=condition,
        penalty_before=item.pp,
        penalty_after=item.pq,
        absent_hurt=item.ab,
        target_runs=item.tg,
        target_overs=None if item.to is None else str(item.to),
    )


def _innings_from_scores(state: shapes.State, teams: tuple[str, str], play: PlayState) -> tuple[InningsScore, ...]:
    """Real captures show only `j` and `k`; a score of 0/0(0.0 is an innings that has not begun."""
    begun = []
    columns = (notation.read_team_scores(state.j), notation.read_team_scores(state.k))
    for turn in range(max(map(len, columns), default=0)):
        for team, column in zip(teams, columns, strict=True):
            if turn < len(column) and any(column[turn]):
                begun.append((team, *column[turn]))
    return tuple(
        InningsScore(
            number,
            team,
            runs,
            wickets,
            overs * state.bpo + balls,
            f"{overs}.{balls}",
            state=_state_by_score(wickets, number < len(begun) or play in _OVER_FOR_NOW),
        )
        for number, (team, runs, wickets, overs, balls) in enumerate(begun, start=1)
    )


def _state_by_score(wickets: int, is_past: bool) -> InningsState:
    return InningsState.CLOSED if is_past or wickets == ALL_OUT else InningsState.LIVE


def _read_result(outcome: shapes.Outcome | None, words: str) -> Result | None:
    verdict = _read_verdict(outcome) if outcome else None
    if outcome is None or verdict is None:
        told = notation.read_verdict(words)
        return Result(verdict=told, text=words) if told else None
    return Result(
        verdict=verdict,
        winner=outcome.w,
        by_runs=outcome.by.runs,
        by_wickets=outcome.by.wickets,
        by_innings=outcome.by.innings,
        method=outcome.m,
        eliminator=outcome.el,
        bowl_out=outcome.bo,
        text=words,
    )


def _read_verdict(outcome: shapes.Outcome) -> str | None:
    if outcome.res and outcome.res not in _VERDICTS:
        raise MalformedPayloadError(f"The result {outcome.res[:20]!r} is none that is known.")
    return outcome.res or ("won" if outcome.w else None)


def parse_feed(ref: MatchRef, snapshot: Snapshot) -> shapes.Feed:
    feed = decode(snapshot.body, shapes.Feed, "ball feed")
    if feed.key != ref.key:
        raise MalformedPayloadError(f"The ball feed is of match {feed.key[:40]!r}, not of {ref.key}.")
    return feed


@lru_cache(maxsize=10_000)
def read_over(innings: int, over: shapes.Over) -> OverReport:
    """Each poll shows the last overs again, and most of them are over."""
    return OverReport(
        innings,
        over.o,
        tuple(_read_ball(Place(innings, over.o, position), ball) for position, ball in enumerate(over.b, start=1)),
    )


@lru_cache(maxsize=50_000)
def _read_ball(place: Place, ball: shapes.Ball) -> Delivery:
    """Each poll shows the same two dozen balls again; reading one once is enough."""
    return Delivery(
        place=place,
        batter=ball.p,
        non_striker=ball.np,
        bowler=ball.bf,
        runs_batter=ball.r,
        extras=notation.read_extras(ball.e),
        dismissals=tuple(Dismissal(wicket.p, wicket.k, wicket.f) for wicket in ball.w),
        replacements=tuple(_read_replacement(item) for item in ball.x),
        is_non_boundary=bool(ball.nbd),
        bowled_at=from_millis(ball.ts) if ball.ts is not None else None,
    )


def _read_replacement(item: shapes.Substitution) -> Replacement:
    return Replacement(
        scope=item.t, player_in=item.player_in, player_out=item.out, team=item.tm, reason=item.y, role=item.ro
    )


def parse_names(snapshot: Snapshot) -> Names:
    names = decode(snapshot.body, shapes.NameMap, "name map")
    return Names(
        players={item.f_key: item.n for item in names.p if item.n},
        teams={item.f_key: item.n for item in names.t if item.n},
        teams_short={item.f_key: item.sn for item in names.t if item.sn},
        series={item.f_key: item.n for item in names.s if item.n},
    )


def parse_scorecard(snapshot: Snapshot) -> tuple[InningsScore, ...]:
    items = decode(snapshot.body, list[shapes.CardInnings], "scorecard")
    return tuple(
        read_innings(
            number,
            shapes.Innings(c=item.c, d=item.d, ov=item.ov, x=item.x, so=item.so, z=item.z, pp=item.pp, pq=item.pq),
            balls_per_over=6,
        )
        for number, item in enumerate(items, start=1)
    )


def refuse_foreign(body: bytes) -> ForeignPayloadError:
    if not body.strip():
        return ForeignPayloadError(f"This is none of the payloads of {SOURCE}; it is empty.")
    start = body[:40].decode("utf-8", "replace")
    return ForeignPayloadError(f"This is none of the payloads of {SOURCE}; it starts with {start!r}.")
