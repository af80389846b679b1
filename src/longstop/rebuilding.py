"""Derives the ledger of a match again from its raw captures, by the reading, checks and ledger that polling uses, and
tells where the record differs from it. Useful after a fix of a parser: what it could not read then, it reads now.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from longstop.capturing import missing_of
from longstop.check import plausibility
from longstop.check.surprises import Patience
from longstop.domain.cricket import Delivery, OverReport, Place
from longstop.domain.errors import InputError, MalformedPayloadError, PayloadError, UnknownMatchError
from longstop.domain.match import MatchListing, MatchRef
from longstop.domain.observation import Observation
from longstop.fetch.snapshot import STATE, FetchRequest, Snapshot
from longstop.ledger import telling
from longstop.ledger.gaps import FeedPage, OverRange
from longstop.ledger.match_ledger import LedgerLimits, MatchLedger
from longstop.sources.contract import Source
from longstop.store.contract import Capture, LedgerPage, LiveRow, MatchRow, Store, WriteBatch
from longstop.watch import Watch, batch_of

FEED = "feed"
CAPTURES_A_PAGE = 200
# Whoever writes must be alone with the match; a look that recent means that somebody watches it.
QUIET_SECONDS = 120.0
NOBODY = "rebuild"


class Passed(msgspec.Struct, frozen=True):
    """A capture that gave nothing, and why."""

    captured_at: datetime
    purpose: str
    sha256: str
    reason: str


class Difference(msgspec.Struct, frozen=True):
    """`kind` is ball, innings or result. None stands for what is not there."""

    kind: str
    where: str
    stored: object | None
    rebuilt: object | None


class Comparison(msgspec.Struct, frozen=True):
    """`unproven`: balls of the record about which no capture that is left says anything."""

    match_id: str
    captures: int
    first_at: datetime
    last_at: datetime
    balls: int
    passed: tuple[Passed, ...]
    differences: tuple[Difference, ...]
    unproven: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        return not self.differences

    @property
    def is_proven(self) -> bool:
        """Every ball of the record is in a capture that could be read."""
        return not self.unproven


class Rebuilding:
    """A ledger in memory that is fed with captures in the order of time."""

    def __init__(self, source: Source, ref: MatchRef) -> None:
        self._source = source
        self._ref = ref
        self.ledger = MatchLedger(ref.match_id)
        self.accepted: Observation | None = None
        self.passed: list[Passed] = []
        self.hashes: set[str] = set()
        self.shown: set[tuple[int, int]] = set()
        self.count = 0
        self.times: list[datetime] = []
        self._patience = Patience()
        self._surprise: Observation | None = None

    def take(self, capture: Capture) -> None:
        self.count += 1
        self.times = [*self.times[:1], capture.captured_at]
        self.believe_what_lasted(capture.captured_at)
        try:
            self._read(capture)
            self.hashes.add(capture.sha256)
        except PayloadError as error:
            self.passed.append(Passed(capture.captured_at, capture.purpose, capture.sha256, error.message))

    def believe_what_lasted(self, until: datetime) -> None:
        """A payload is kept once, however long it is shown: what surprised was insisted on until another came."""
        surprise = self._surprise
        if surprise is not None and self._patience.has_lasted(until):
            self.passed = [each for each in self.passed if each.sha256 != surprise.provenance.payload_sha256]
            self._believe(surprise)

    def _read(self, capture: Capture) -> None:
        if capture.damage:
            raise MalformedPayloadError(capture.damage)
        if capture.purpose == STATE:
            self._take_state(self._source.parse_state(self._ref, snapshot_of(capture)))
        elif capture.purpose == FEED:
            self._take_feed(capture)

    def _take_state(self, observation: Observation) -> None:
        """With the patience that polling has, or a correction that it believed would be refused for ever."""
        at = observation.provenance.captured_at
        verdict = plausibility.judge(observation, self.accepted, is_insisted=self._patience.is_worn_out(at))
        self._patience.note(verdict, at)
        self._surprise = observation if verdict.is_surprise else None
        if not verdict.is_accepted:
            raise MalformedPayloadError(f"not believed: {'; '.join(verdict.reasons)}")
        self._believe(observation)

    def _believe(self, observation: Observation) -> None:
        self._adopt(observation)
        self.accepted = observation
        self.hashes.add(observation.provenance.payload_sha256)
        self._patience, self._surprise = Patience(), None

    def _take_feed(self, capture: Capture) -> None:
        """A feed is about the state that was believed when it was asked for."""
        if self.accepted is None:
            raise MalformedPayloadError("no state was believed before it")
        missing = missing_of(capture.asked)
        feed = self._source.parse_feed(self._ref, missing, snapshot_of(capture))
        plausibility.require_plausible_feed(feed.overs, feed.sequence, self.accepted)
        asked = OverRange(missing.innings, missing.first_over, missing.last_over)
        page = FeedPage(asked, feed.overs, feed.last_over, feed.payload_sha256)
        stamp = msgspec.structs.replace(self.accepted.provenance, captured_at=capture.captured_at)
        self._adopt(msgspec.structs.replace(self.accepted, provenance=stamp), (page,))

    def _adopt(self, observation: Observation, pages: tuple[FeedPage, ...] = ()) -> None:
        self.ledger.adopt(self.ledger.draft(observation, pages))
        reports = [*observation.overs, *(report for page in pages for report in page.overs)]
        self.shown |= {(report.innings, report.over) for report in reports}


def snapshot_of(capture: Capture) -> Snapshot:
    request = FetchRequest(capture.source, capture.url, capture.purpose)
    return Snapshot(
        request,
        capture.status,
        capture.body,
        capture.requested_at,
        capture.captured_at,
        rung=capture.rung,
        known_sha256=capture.sha256,
    )


class Rebuild:
    """One match: its captures read again, and beside them what is stored. Writes only when it is told to."""

    def __init__(self, source: Source, store: Store, row: MatchRow) -> None:
        self._store = store
        self._row = row
        self._made = Rebuilding(source, row.ref)

    async def compare(self) -> Comparison:
        if not self._made.count:
            await self._take_all()
        page = await self._store.ledger(self._row.ref.match_id)
        if page.live is not None:
            self._made.believe_what_lasted(page.live.captured_at)
        made, stored = self._made, standing(page)
        return Comparison(
            match_id=self._row.ref.match_id,
            captures=made.count,
            first_at=made.times[0],
            last_at=made.times[-1],
            balls=len(self._balls()),
            passed=tuple(made.passed),
            differences=tuple(self._differences(stored, page)),
            unproven=tuple(str(place) for place in sorted(stored) if not self._is_shown(place)),
        )

    async def write(self, now: datetime) -> None:
        """What differs goes into the record as new revisions and events, in one transaction."""
        match_id = self._row.ref.match_id
        page = await self._store.ledger(match_id)
        self._require_writable(page, now)
        await self._store.save(self._batch(page, now))

    async def _take_all(self) -> None:
        match_id, after = self._row.ref.match_id, None
        while captures := await self._store.captures(match_id, after=after, limit=CAPTURES_A_PAGE):
            for capture in captures:
                self._made.take(capture)
            after = captures[-1].captured_at
        if not self._made.count:
            raise InputError(
                f"No payload of {match_id} is kept.",
                hint="Payloads are kept while storage.keep_captures is on, up to storage.retention.captures_max_mb.",
            )

    def _balls(self) -> dict[Place, Delivery]:
        records = self._made.ledger.records()
        return {record.place: record.delivery for record in records if record.delivery is not None}

    def _is_shown(self, place: Place) -> bool:
        return (place.innings, place.over) in self._made.shown

    def _differences(self, stored: dict[Place, Delivery], page: LedgerPage) -> Iterator[Difference]:
        rebuilt = self._balls()
        for place in sorted(stored.keys() | rebuilt.keys()):
            before, after = stored.get(place), rebuilt.get(place)
            is_same = before is not None and after is not None and before.says_the_same_as(after)
            if not is_same and (after is not None or self._is_shown(place)):
                yield Difference("ball", str(place), before, after)
        yield from self._innings_differences(page)
        yield from self._result_differences(page)

    def _innings_differences(self, page: LedgerPage) -> Iterator[Difference]:
        """Of an innings that goes on, the running score is told by its balls."""
        known = {record.score.number: record.score for record in page.innings}
        for score in self._made.accepted.innings if self._made.accepted else ():
            before = known.get(score.number)
            if before is None or telling.facts_of(before) != telling.facts_of(score):
                yield Difference("innings", str(score.number), before, score)

    def _result_differences(self, page: LedgerPage) -> Iterator[Difference]:
        before, after = page.live.result if page.live else None, self._made.ledger.result
        if after is not None and before != after:
            yield Difference("result", "match", before, after)

    # What is written.

    def _require_writable(self, page: LedgerPage, now: datetime) -> None:
        match_id = self._row.ref.match_id
        seen = self._row.last_scraper_update
        if seen is not None and (now - seen).total_seconds() < QUIET_SECONDS:
            raise InputError(
                f"{match_id} was looked at less than {QUIET_SECONDS:g} s ago, so somebody is watching it.",
                hint="Stop that Longstop, and write then: two who write to one match undo each other's work.",
            )
        if page.live is not None and page.live.payload_sha256 not in self._made.hashes:
            raise InputError(
                f"The record of {match_id} ends with a payload that was not kept or cannot be read.",
                hint="What is stored is newer than the captures, so it is not written over with them.",
            )

    def _batch(self, page: LedgerPage, now: datetime) -> WriteBatch:
        observation = self._made.accepted
        if observation is None:
            raise InputError("None of the captures can be read.", hint="Mend the parser first.")
        told = msgspec.structs.replace(observation.provenance, captured_at=now)
        watch = watch_of(self._row, page, now)
        pages = tuple(self._pages(standing(page), observation))
        draft = watch.ledger.draft(msgspec.structs.replace(observation, provenance=told, overs=()), pages)
        batch = batch_of(watch, draft, 0.0)
        return msgspec.structs.replace(
            batch,
            live=tuple(_captured(row, observation) for row in batch.live),
            matches=tuple(
                msgspec.structs.replace(
                    row, last_scraper_update=observation.provenance.captured_at, scraper_status="stopped"
                )
                for row in batch.matches
            ),
        )

    def _pages(self, stored: dict[Place, Delivery], observation: Observation) -> Iterator[FeedPage]:
        """Each over that differs, with the payload that showed it last."""
        rebuilt = self._balls()
        places = [
            place
            for place in stored.keys() | rebuilt.keys()
            if self._is_shown(place) and not _agree(stored.get(place), rebuilt.get(place))
        ]
        for innings, over in sorted({(place.innings, place.over) for place in places}):
            records = [record for record in self._made.ledger.records() if record.place.innings == innings]
            of_over = [record for record in records if record.place.over == over]
            balls = tuple(record.delivery for record in of_over if record.delivery is not None)
            newest = max(of_over, key=lambda record: record.captured_at, default=None)
            sha256 = newest.payload_sha256 if newest else observation.provenance.payload_sha256
            yield FeedPage(OverRange(innings, over, over), (OverReport(innings, over, balls),), over, sha256)


def _agree(before: Delivery | None, after: Delivery | None) -> bool:
    return before is not None and after is not None and before.says_the_same_as(after)


def _captured(row: LiveRow, observation: Observation) -> LiveRow:
    """Its age is that of the payload, not that of our work on it."""
    return msgspec.structs.replace(row, captured_at=observation.provenance.captured_at)


def standing(page: LedgerPage) -> dict[Place, Delivery]:
    return {record.place: record.delivery for record in page.deliveries if record.delivery is not None}


def watch_of(row: MatchRow, page: LedgerPage, now: datetime) -> Watch:
    listing = MatchListing(row.ref, row.title, row.teams, row.status, row.format, row.series, row.venue, row.starts_at)
    watch = Watch(listing, NOBODY, now, LedgerLimits(), row.state)
    watch.resume_from(page, row)
    return watch


async def row_of(store: Store, match_id: str) -> MatchRow:
    row = await store.match(match_id)
    if row is None:
        raise UnknownMatchError(f"No match has the id {match_id[:80]}.", hint="GET /cricket-data/matches lists them.")
    return row


def told(comparison: Comparison, differences_max: int) -> Sequence[str]:
    """For people: a line each."""
    first, last = (f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (comparison.first_at, comparison.last_at))
    found = comparison.differences
    lines = [
        f"{comparison.match_id}: {comparison.captures} captures of {first} to {last} give {comparison.balls} balls."
    ]
    if comparison.passed:
        lines.append(f"{len(comparison.passed)} gave nothing; the first: {comparison.passed[0].reason}")
    if comparison.unproven:
        lines.append(f"{len(comparison.unproven)} balls of the record are in no capture that is left.")
    lines += [
        f"{each.kind} {each.where}: stored {_short(each.stored)}, rebuilt {_short(each.rebuilt)}"
        for each in found[:differences_max]
    ]
    if len(found) > differences_max:
        lines.append(f"… and {len(found) - differences_max} more; --json has them all.")
    if not comparison.is_same:
        return [*lines, f"{len(found)} differences."]
    if not comparison.is_proven:
        return [*lines, "What could be read says the same; the rest of the record is unproven."]
    return [*lines, "The record says the same."]


def _short(value: object | None) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Delivery):
        out = "".join(f", {found.player} {found.kind}" for found in value.dismissals)
        return f"{value.batter} off {value.bowler} {value.runs_batter}+{value.extras.total}{out}"
    return str(msgspec.to_builtins(value))
