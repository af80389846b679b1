"""The vendor's parts behind the contract of a round source."""

import tomllib
from importlib import resources

import msgspec

from longstop.domain.errors import MisfiledPayloadError, SettingsError
from longstop.domain.football import MatchReport
from longstop.domain.rounds import RoundListing, RoundRef
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.sources.brasileirao import parser, reading, requests
from longstop.sources.contract import Manifest, Reading, RoundMatchReading


def load_manifest() -> Manifest:
    text = resources.files(__package__).joinpath("manifest.toml").read_text(encoding="utf-8")
    try:
        return msgspec.convert(tomllib.loads(text), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise SettingsError(
            f"The manifest of the source cannot be read: {error}.", hint="Correct its manifest.toml."
        ) from error


class BrasileiraoSource:
    """Holds nothing but the address; every method is a pure function of its arguments."""

    def __init__(self, base_url: str | None = None) -> None:
        self.manifest = load_manifest()
        self._base_url = (base_url or self.manifest.base_url).rstrip("/")

    @property
    def base_url(self) -> str:
        return self._base_url

    def read(self, snapshot: Snapshot) -> Reading:
        return reading.read(snapshot)

    def list_round(self, ref: RoundRef) -> FetchRequest:
        return requests.list_round(self._base_url, ref)

    def parse_round(self, ref: RoundRef, snapshot: Snapshot) -> tuple[RoundListing, ...]:
        rows = parser.listings(reading.round_of(snapshot))
        keys = [row.key for row in rows]
        if len(set(keys)) != len(keys):
            raise MisfiledPayloadError(f"The list of {ref} names a match twice.", family="round")
        return rows

    def round_match(self, key: str) -> FetchRequest:
        return requests.match(self._base_url, key)

    def parse_round_match(self, ref: RoundRef, key: str, snapshot: Snapshot) -> RoundMatchReading:
        """Of another match it says nothing about this one."""
        content = parser.decoded(snapshot.body)
        reading.require_no_error(content)
        answer = reading.answer_of(content)
        if str(answer.id) != key:
            raise MisfiledPayloadError(f"It is about the match {answer.id}, and {key} was asked for.", family="match")
        report: MatchReport = parser.read_match(answer, key, parser.phase_of(answer.status))
        at = msgspec.structs.replace(ref, round=answer.round)
        return RoundMatchReading(at, report, answer.stadium or "")
