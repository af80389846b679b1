"""All that the record has of one match, now or as of a moment: what scorecards and exports are made from."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from longstop.domain.cricket import Delivery, InningsScore
from longstop.domain.events import DeliveryRecord
from longstop.serve.desk import ReadingDesk
from longstop.serve.freshness import KnownMatch


class WholeMatch(msgspec.Struct, frozen=True):
    """`scores` are the boards of the innings, as last believed; an innings may have one and no balls yet."""

    known: KnownMatch
    records: tuple[DeliveryRecord, ...]
    scores: tuple[InningsScore, ...]

    @property
    def balls_per_over(self) -> int:
        return self.known.live.balls_per_over if self.known.live else 6

    def balls(self, innings: int) -> list[Delivery]:
        return [
            record.delivery
            for record in self.records
            if record.delivery is not None and record.place.innings == innings
        ]


async def whole_match(desk: ReadingDesk, known: KnownMatch, moment: datetime | None) -> WholeMatch:
    store = desk.model.store
    records = await store.deliveries(known.match_id, as_of=moment)
    kept = await store.innings(known.match_id, as_of=moment)
    return WholeMatch(known, tuple(records), _scores(known, [record.score for record in kept]))


def _scores(known: KnownMatch, kept: Sequence[InningsScore]) -> tuple[InningsScore, ...]:
    """The live board is newer; the record has what the board may not show any more."""
    shown = {score.number: score for score in kept} | {
        score.number: score for score in (known.live.innings if known.live else ())
    }
    return tuple(shown[number] for number in sorted(shown))
