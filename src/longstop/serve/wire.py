"""The shapes that go out. They are what the OpenAPI document shows, so their words are for consumers."""

from typing import Annotated

from msgspec import Meta, Struct, field

from longstop.serve.naming import Player, Team


class TeamScore(Struct, frozen=True):
    """Of the team's latest innings; `text` tells all of them. Super overs are in `innings` only."""

    runs: int
    wickets: int
    overs: Annotated[float | None, Meta(description="12.3 is 12 overs and 3 balls.")]
    text: str


class Score(Struct, frozen=True):
    """The unified schema: one entry per team, null for a team that has not batted."""

    team_a: TeamScore | None
    team_b: TeamScore | None


class ExtrasOut(Struct, frozen=True):
    wides: int
    noballs: int
    byes: int
    legbyes: int
    penalty: int
    total: int


class InningsOut(Struct, frozen=True):
    number: int
    team: Team
    runs: int
    wickets: int
    overs: float | None
    legal_balls: int | None
    extras: ExtrasOut | None
    state: str
    is_super_over: bool
    run_rate: float | None
    target_runs: int | None
    target_overs: str | None
    text: str


class BatterOut(Struct, frozen=True):
    player: Player
    runs: int
    balls: int
    fours: int
    sixes: int
    is_on_strike: bool


class BowlerOut(Struct, frozen=True):
    player: Player
    runs: int
    balls: int
    overs: str
    maidens: int
    wickets: int


class TossOut(Struct, frozen=True):
    winner: str
    winner_code: str
    decision: str


class ResultOut(Struct, frozen=True):
    verdict: Annotated[str, Meta(description="won, tie, draw or no result")]
    winner: str | None
    winner_code: str | None
    by_runs: int | None
    by_wickets: int | None
    by_innings: int | None
    method: str | None
    text: str


class LastEvent(Struct, frozen=True):
    type: Annotated[str, Meta(description="runs, wicket, extra, over_complete or note")]
    description: str
    timestamp: str | None


class DismissalOut(Struct, frozen=True):
    player: Player
    kind: str
    fielders: list[Player]
    is_wicket: bool


class ReplacementOut(Struct, frozen=True):
    scope: str
    player_in: Player
    player_out: Player | None
    team: Team | None
    reason: str
    role: str | None


class BallOut(Struct, frozen=True, omit_defaults=True):
    """One ball. `place` is innings.over.position: over from 0, position from 1, wides and no-balls included."""

    place: str
    innings: int
    over: int
    position: int
    text: str
    batter: Player
    non_striker: Player
    bowler: Player
    runs: int
    runs_batter: int
    is_legal: bool
    extras: ExtrasOut | None = None
    dismissals: list[DismissalOut] = field(default_factory=list)
    replacements: list[ReplacementOut] = field(default_factory=list)
    bowled_at: str | None = None


class GapOut(Struct, frozen=True):
    """Something the scoreboard claims and the balls do not show."""

    gap_id: str
    innings: int
    first_over: int
    last_over: int
    state: Annotated[str, Meta(description="open, repaired or unrecoverable")]
    cause: str
    opened_at: str
    closed_at: str | None
    missing_runs: int
    missing_wickets: int
    missing_balls: int


class HeldOut(Struct, frozen=True):
    """A newer payload contradicts itself, or what is known, and is not shown. The next one that does not ends this."""

    since: str
    reasons: list[str]


class Ages(Struct, frozen=True):
    """Whole seconds, each by a clock of its own; null where nobody told."""

    source_seconds: Annotated[int | None, Meta(description="Since the source built this state, by its own clock.")]
    capture_seconds: Annotated[int | None, Meta(description="Since it was last captured, changed or not.")]
    delivery_seconds: Annotated[int | None, Meta(description="Since what is told here became readable here.")]


class FieldOrigin(Struct, frozen=True):
    """Where a field comes from."""

    source: str
    confidence: float
    timestamp: str | None
    rung: str | None = None


class Metadata(Struct, frozen=True):
    """Where the answer comes from and how far it can be trusted."""

    scraped_at: Annotated[str, Meta(description="Last successful capture, also when it changed nothing.")]
    data_age_seconds: int
    is_stale: Annotated[bool, Meta(description="Live, and older than one can expect between two polls.")]
    source: str
    ages: Ages
    degraded: Annotated[bool, Meta(description="The database is away; this is the last known state, from memory.")] = (
        False
    )
    as_of: Annotated[str | None, Meta(description="Everything here is as it was known then.")] = None
    scraper_id: str | None = None
    rung: Annotated[str | None, Meta(description="How it was fetched: replay, in_page, intercept or dom.")] = None
    rung_reason: Annotated[str | None, Meta(description="Why it is fetched this way now.")] = None
    source_at: Annotated[str | None, Meta(description="The source's own clock when it built this state.")] = None
    source_age_seconds: int | None = None
    content_at: Annotated[str | None, Meta(description="When the content last changed.")] = None
    sequence: Annotated[int | None, Meta(description="Rises with each change of the content.")] = None
    complete_through: Annotated[str | None, Meta(description="Up to this ball the record is known to be whole.")] = None
    gaps: list[GapOut] = field(default_factory=list)
    payload_sha256: str | None = None
    held: Annotated[HeldOut | None, Meta(description="Why the newest payload is not believed, if so.")] = None
    fields: Annotated[dict[str, FieldOrigin], Meta(description="The origin of each field, where it is told apart.")] = (
        field(default_factory=dict)
    )


class MatchBody(Struct, frozen=True):
    match_id: str = field(name="matchId")
    domain_id: str
    title: str
    status: Annotated[str, Meta(description="upcoming, live, completed or abandoned")]
    play_state: Annotated[str, Meta(description="What is going on: play, lunch, stumps, rain, innings_break, ended …")]
    format: str
    series: str
    venue: str
    start_time: str | None
    teams: list[Team]
    score: Score
    current_innings: int | None
    innings: list[InningsOut]
    situation: Annotated[str, Meta(description="What is needed, or the result, in words.")]
    batting: list[BatterOut]
    bowling: BowlerOut | None
    toss: TossOut | None
    result: ResultOut | None
    last_event: LastEvent | None
    last_balls: Annotated[list[BallOut], Meta(description="The newest twelve, oldest first.")]
    announcement: str


class MatchInfo(MatchBody, frozen=True):
    metadata: Metadata = field(name="_metadata")


class ListMetadata(Struct, frozen=True):
    scraped_at: Annotated[str, Meta(description="Of the oldest live match in the list; without one, of the freshest.")]
    data_age_seconds: int
    is_stale: bool
    degraded: bool = False
    as_of: str | None = None


class MatchSummary(Struct, frozen=True):
    match_id: str = field(name="matchId")
    title: str
    status: str
    play_state: str
    format: str
    series: str
    start_time: str | None
    teams: list[Team]
    score: Score
    situation: str
    metadata: Metadata = field(name="_metadata")


class MatchList(Struct, frozen=True):
    matches: list[MatchSummary]
    count: int
    metadata: ListMetadata = field(name="_metadata")
    next_after: Annotated[str | None, Meta(description="Ask again with after= this; null on the last page.")] = None


class EventOut(Struct, frozen=True, omit_defaults=True):
    """A fact, in the past tense. `seq` counts from 1 in each match, without a hole."""

    seq: int
    key: str
    kind: str
    is_critical: bool
    true_at: str
    captured_at: str
    place: str | None = None
    revision: int = 1
    ball: BallOut | None = None
    innings: InningsOut | None = None
    result: ResultOut | None = None
    detail: str = ""


class EventList(Struct, frozen=True):
    match_id: str = field(name="matchId")
    events: list[EventOut]
    next_after: Annotated[int, Meta(description="Ask again with after= this.")]
    has_more: bool
    metadata: Metadata = field(name="_metadata")


class DeliveryOut(Struct, frozen=True):
    ball: BallOut
    revision: int
    true_at: str
    captured_at: str
    payload_sha256: str


class DeliveryList(Struct, frozen=True):
    match_id: str = field(name="matchId")
    as_of: str | None
    count: int
    runs: Annotated[int, Meta(description="Of these balls; penalty runs that came with no ball are in the innings.")]
    wickets: int
    deliveries: list[DeliveryOut]
    metadata: Metadata = field(name="_metadata")
