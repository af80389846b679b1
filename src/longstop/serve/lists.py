"""The list of matches: by status and source, page by page, now or as it was."""

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from operator import itemgetter
from typing import Final

import msgspec

from longstop.domain.errors import StoreError
from longstop.domain.match import MatchStatus
from longstop.serve import matches, wire
from longstop.serve.answers import Answer, headers_of, tag_of, timeless
from longstop.serve.desk import ReadingDesk
from longstop.serve.freshness import KnownMatch, age_of_all, iso, iso_or_none
from longstop.serve.problems import FOREIGN_CURSOR, ApiError
from longstop.store.contract import MatchPlace, MatchRow

# A list is written out once for all who ask within this time.
KEPT_SECONDS: Final = 0.5
KEPT_MAX: Final = 100
# To find out what a match was then, each has to be looked at: so many for one page, and the next goes on from there.
SCANNED_MAX: Final = 1_000
_PAGE: Final = 100
_encode = msgspec.json.Encoder().encode


class Wanted(msgspec.Struct, frozen=True):
    status: MatchStatus | None = None
    source: str | None = None
    limit: int = 200
    after: MatchPlace | None = None
    as_of: datetime | None = None

    def wants(self, status: MatchStatus) -> bool:
        return self.status in (None, status)


class Page(msgspec.Struct, frozen=True):
    """`next_place` is where the next begins, None when there is none: never to be told from how many are shown."""

    shown: Sequence[KnownMatch]
    next_place: MatchPlace | None = None


class MatchLists:
    def __init__(self, desk: ReadingDesk) -> None:
        self._desk = desk
        self._kept: dict[tuple[Wanted, bool], tuple[float, Answer]] = {}

    async def answer(self, wanted: Wanted) -> Answer:
        now = self._desk.model.clock.monotonic()
        key = (wanted, self._desk.recollection.is_degraded)
        kept = self._kept.get(key)
        if kept is not None and now - kept[0] < KEPT_SECONDS:
            return kept[1]
        answer = self._written(await self._page(wanted), wanted)
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        self._kept[key] = (now, answer)
        return answer

    async def _page(self, wanted: Wanted) -> Page:
        """One more is read than is shown, so that it is known whether there are more."""
        if wanted.as_of is not None:
            return await self._page_as_of(wanted, wanted.as_of)
        desk, remembered = self._desk, self._desk.recollection
        try:
            rows = await remembered.asked(
                lambda: desk.model.store.matches(
                    status=wanted.status, source=wanted.source, limit=wanted.limit + 1, after=wanted.after
                )
            )
            learnt = await remembered.learn(rows[: wanted.limit])
            shown = [remembered.known(found) for found in learnt if wanted.wants(found.row.status)]
            return Page(shown, MatchPlace.of(rows[wanted.limit - 1]) if len(rows) > wanted.limit else None)
        except StoreError:
            page = self._from_memory(wanted)
            if not page.shown:
                raise
            return page

    def _from_memory(self, wanted: Wanted) -> Page:
        remembered = self._desk.recollection
        fitting = [
            found
            for found in remembered.remembered()
            if wanted.wants(found.row.status) and wanted.source in (None, found.row.ref.source)
        ]
        after = None if wanted.after is None else _order(wanted.after)
        placed = sorted(((_order(MatchPlace.of(found.row)), found) for found in fitting), key=itemgetter(0))
        rest = [found for place, found in placed if after is None or place > after]
        shown = [remembered.known(found) for found in rest[: wanted.limit]]
        return Page(shown, MatchPlace.of(shown[-1].row) if len(rest) > wanted.limit else None)

    async def _page_as_of(self, wanted: Wanted, moment: datetime) -> Page:
        """The order is that of now; what each match was then decides whether it is shown."""
        found: list[KnownMatch] = []
        after, scanned = wanted.after, 0
        while rows := await self._desk.recollection.asked(partial(self._scanned, wanted.source, after)):
            for row in rows:
                if len(found) >= wanted.limit or scanned >= SCANNED_MAX:
                    return Page(found, after)
                known = await self._desk.recollection.as_it_was(row.ref.match_id, moment, wanted.wants)
                if known is not None:
                    found.append(known)
                after, scanned = MatchPlace.of(row), scanned + 1
        return Page(found)

    async def _scanned(self, source: str | None, after: MatchPlace | None) -> Sequence[MatchRow]:
        return await self._desk.model.store.matches(source=source, limit=_PAGE, after=after)

    def _written(self, page: Page, wanted: Wanted) -> Answer:
        model, shown = self._desk.model, page.shown
        age = age_of_all(shown, model)
        is_degraded = any(known.is_degraded for known in shown)
        head = wire.ListMetadata(
            scraped_at=iso(age.captured_at),
            data_age_seconds=age.whole_seconds,
            is_stale=age.is_stale,
            degraded=is_degraded,
            as_of=iso_or_none(wanted.as_of),
        )
        rows = [matches.summary(known, model) for known in shown]
        next_after = None if page.next_place is None else place_text(page.next_place)
        body = wire.MatchList(rows, len(rows), head, next_after)
        tag = tag_of(*(_timeless(row) for row in rows), str((head.is_stale, is_degraded, next_after)).encode())
        return Answer(_encode(body), headers_of(age, tag, is_degraded=is_degraded), tag)


def _timeless(row: wire.MatchSummary) -> bytes:
    return _encode(msgspec.structs.replace(row, metadata=timeless(row.metadata)))


def _order(place: MatchPlace) -> tuple[int, bool, datetime, str]:
    never = datetime.min.replace(tzinfo=UTC)
    return place.priority.value, place.starts_at is None, place.starts_at or never, place.match_id


def place_text(place: MatchPlace) -> str:
    """A cursor in the list: opaque to those who bring it back."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def place_of(parameter: str, text: str | None) -> MatchPlace | None:
    if text is None:
        return None
    try:
        place = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=MatchPlace)
        starts_at = place.starts_at and place.starts_at.replace(tzinfo=place.starts_at.tzinfo or UTC).astimezone(UTC)
        return msgspec.structs.replace(place, starts_at=starts_at)
    except (binascii.Error, msgspec.MsgspecError, ValueError, OverflowError):
        raise ApiError(FOREIGN_CURSOR, f"{parameter} is the `next_after` of no answer.") from None
