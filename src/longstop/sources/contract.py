"""What a vendor must offer. Requests are built and payloads are read; nothing here does I/O."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from longstop.domain.cricket import InningsScore, OverReport
from longstop.domain.football import MatchReport
from longstop.domain.match import MatchListing, MatchRef, Names
from longstop.domain.observation import Observation
from longstop.domain.rounds import RoundListing, RoundRef
from longstop.fetch.snapshot import FetchRequest, Snapshot


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The facts about a vendor, from its manifest.toml. Permission is data: off until someone switches it on."""

    name: str
    title: str
    sport: str
    base_url: str
    hosts: tuple[str, ...]
    requires_javascript: bool
    enabled: bool = False
    precedence_weight: int = 50
    max_concurrent: int = 30
    min_interval_seconds: float = 0.0
    burst_allowance: int = 50
    names_per_call: int = 200
    overs_per_call: int = 10
    state_path: str = "^$"
    state_types: tuple[str, ...] = ("application/json",)
    terms: str = ""
    # Of the dom rung: CSS selectors by field, the usual one first, those to fall back on after it.
    dom: dict[str, tuple[str, ...]] = {}


class Missing(msgspec.Struct, frozen=True):
    """A run of overs we want from the ball feed."""

    innings: int
    first_over: int
    last_over: int


class Feed(msgspec.Struct, frozen=True):
    """What the ball feed shows of the overs that were asked for. `sequence` tells an old answer from a new one."""

    overs: tuple[OverReport, ...]
    last_over: int
    sequence: int | None
    payload_sha256: str


class Reading(msgspec.Struct, frozen=True):
    """What `longstop read` found in a saved payload: of which kind it is and what it says.

    `schema` is the version of the contract that it kept, `notes` what is odd about it and no reason to refuse it;
    `digest` is for kinds that are told apart and not worked with.
    """

    kind: str
    observation: Observation | None = None
    listings: tuple[MatchListing, ...] = ()
    overs: tuple[OverReport, ...] = ()
    innings: tuple[InningsScore, ...] = ()
    names: Names | None = None
    football: MatchReport | None = None
    digest: dict[str, Any] | None = None
    schema: str = ""
    notes: tuple[str, ...] = ()


class PageReading(msgspec.Struct, frozen=True):
    """What a rendered page says, and which selector of each field found it: 0 is the usual one."""

    observation: Observation
    matched: dict[str, int]


class RoundMatchReading(msgspec.Struct, frozen=True):
    """One match of a round as its own answer tells it. `ref` is where it stands now: matches move between rounds."""

    ref: RoundRef
    report: MatchReport
    venue: str = ""


class Reader(Protocol):
    """A source whose saved payloads can be read. Every source is one; that is all there is to some."""

    manifest: Manifest

    def read(self, snapshot: Snapshot) -> Reading: ...


class RoundSource(Reader, Protocol):
    """A source whose rounds can be asked for. Parsers raise the same errors as those of a source that is watched."""

    @property
    def base_url(self) -> str: ...

    def list_round(self, ref: RoundRef) -> FetchRequest: ...

    def parse_round(self, ref: RoundRef, snapshot: Snapshot) -> tuple[RoundListing, ...]: ...

    def round_match(self, key: str) -> FetchRequest: ...

    def parse_round_match(self, ref: RoundRef, key: str, snapshot: Snapshot) -> RoundMatchReading: ...


class Source(Reader, Protocol):
    """A source that can be watched.

    Parsers raise MalformedPayloadError for their own broken payloads and ForeignPayloadError for anybody else's.
    """

    def list_matches(self) -> FetchRequest: ...

    def parse_list(self, snapshot: Snapshot) -> tuple[MatchListing, ...]: ...

    def live_state(self, ref: MatchRef) -> FetchRequest: ...

    def parse_state(self, ref: MatchRef, snapshot: Snapshot) -> Observation: ...

    def ball_feed(self, ref: MatchRef, missing: Missing) -> FetchRequest: ...

    def parse_feed(self, ref: MatchRef, missing: Missing, snapshot: Snapshot) -> Feed: ...

    def names_for(self, players: Sequence[str], teams: Sequence[str], series: Sequence[str] = ()) -> FetchRequest: ...

    def parse_names(self, snapshot: Snapshot) -> Names: ...

    def match_for_url(self, url: str) -> MatchRef: ...
