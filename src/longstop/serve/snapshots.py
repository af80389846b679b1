"""The last few states of each match in the unified schema, and what changed between two of them (S2)."""

import hashlib
from collections import OrderedDict, deque
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from longstop.domain.observation import Observation, Provenance
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.serve.freshness import KnownMatch, iso_or_none
from longstop.serve.naming import NameBook
from longstop.serve.reading import ReadModel
from longstop.serve.unified import unified

MATCHES_MAX: Final = 5_000
INITIAL: Final = "initial"
UPDATE: Final = "update"
_canonical = msgspec.json.Encoder(order="sorted").encode


class Provenanced(Struct, frozen=True):
    source: str
    confidence: float
    timestamp: float


class CachedSnapshot(Struct, frozen=True):
    """S2's, field by field."""

    match_id: str
    domain_id: str
    normalized_payload: Annotated[dict[str, Any], Meta(description="The match in the unified schema.")]
    created_at: Annotated[float, Meta(description="Seconds since 1970, UTC.")]
    sequence_number: Annotated[int, Meta(description="Rises by one with each change; a jump is a missed update.")]
    provenance: Annotated[dict[str, Provenanced], Meta(description="The origin of each field.")]
    checksum: Annotated[str, Meta(description="SHA-256 of the payload, its keys sorted.")]


class State(Struct, frozen=True):
    """One state of a match, as it was believed and stored."""

    sequence: int
    at: datetime
    observation: Observation


class Snapshots:
    """Filled by signals. Balls are left out: the ledger has them, and five copies of the recent ones help nobody."""

    def __init__(self, model: ReadModel, bus: Signals, kept_per_match: int = 5) -> None:
        self._model = model
        self._kept_per_match = kept_per_match
        self._states: OrderedDict[str, deque[State]] = OrderedDict()
        bus.subscribe(signals.ScoreStored, self._on_score)

    def states(self, known: KnownMatch) -> Sequence[State]:
        """The newest last. After a restart there is the one that the store has."""
        held = tuple(self._states.get(known.match_id, ()))
        if held or known.live is None:
            return held
        return (State(known.live.sequence, known.live.captured_at, observation_of(known)),)

    def snapshot(self, known: KnownMatch, state: State) -> CachedSnapshot:
        payload = self.payload(known, state)
        origin = state.observation.provenance
        told = Provenanced(origin.source, 1.0, origin.captured_at.timestamp())
        return CachedSnapshot(
            match_id=known.match_id,
            domain_id=known.row.ref.source,
            normalized_payload=payload,
            created_at=state.at.timestamp(),
            sequence_number=state.sequence,
            provenance={name: told for name, value in payload.items() if value is not None},
            checksum=hashlib.sha256(_canonical(payload)).hexdigest(),
        )

    def payload(self, known: KnownMatch, state: State) -> dict[str, Any]:
        """What the list knows of a match goes with what its own payload says."""
        names = NameBook(self._model.names(known.row.ref.source))
        row = known.row
        found: dict[str, Any] = msgspec.to_builtins(unified(state.observation, self._model.names(row.ref.source)))
        found.pop("last_balls", None)
        metadata = found["metadata"] | {"series": names.series(row.series), "match_type": row.format or None}
        return found | {
            "match_id": known.match_id,
            "title": names.title(row.title, row.teams),
            "venue": row.venue,
            "start_time": iso_or_none(row.starts_at),
            "metadata": metadata,
            "sequence_number": state.sequence,
        }

    def _on_score(self, told: signals.ScoreStored) -> None:
        states = self._states.get(told.match_id)
        if states is None:
            while len(self._states) >= MATCHES_MAX:
                self._states.popitem(last=False)
            states = self._states[told.match_id] = deque(maxlen=self._kept_per_match)
        observation = msgspec.structs.replace(told.observation, overs=())
        states.append(State(told.sequence, observation.provenance.captured_at, observation))


def delta(current: dict[str, Any], previous: dict[str, Any] | None) -> dict[str, Any]:
    """S2's computation: the fields that are not as they were, and by how much the sequence jumped."""
    if previous is None:
        return {"_diff_type": INITIAL, **current}
    changed = {name: value for name, value in current.items() if previous.get(name) != value}
    jump = current["sequence_number"] - previous["sequence_number"]
    return {**changed, "_diff_type": UPDATE, "_sequence_delta": jump}


def observation_of(known: KnownMatch) -> Observation:
    """A state that only the store has, in the shape of one that came."""
    live, row = known.live, known.row
    assert live is not None
    return Observation(
        ref=row.ref,
        provenance=Provenance(live.source, live.rung, live.payload_sha256, live.captured_at, live.source_at),
        status=row.status,
        play=live.play,
        teams=row.teams,
        innings=live.innings,
        batting=live.batting,
        bowling=live.bowling,
        toss=live.toss,
        result=live.result,
        format=row.format,
        balls_per_over=live.balls_per_over,
        last_event=live.last_event,
        announcement=live.announcement,
    )
