"""A match as a table: one row a ball, as CSV or Parquet."""

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from longstop.domain.cricket import Delivery, Dismissal
from longstop.domain.events import DeliveryRecord
from longstop.serve.exports.people import People
from longstop.serve.freshness import iso_or_none
from longstop.serve.whole import WholeMatch

COLUMNS: Final[dict[str, type]] = {
    "match_id": str,
    "innings": int,
    "over": int,
    "position": int,
    "ball": str,
    "batting_team": str,
    "bowling_team": str,
    "striker": str,
    "non_striker": str,
    "bowler": str,
    "runs_off_bat": int,
    "extras": int,
    "wides": int,
    "noballs": int,
    "byes": int,
    "legbyes": int,
    "penalty": int,
    "total": int,
    "wickets": int,
    "wicket_type": str,
    "player_dismissed": str,
    "fielders": str,
    "other_wicket_type": str,
    "other_player_dismissed": str,
    "revision": int,
    "bowled_at": datetime,
    "captured_at": datetime,
}
# What a spreadsheet would take for a formula; names come from outside.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def rows(whole: WholeMatch, people: People) -> Iterator[tuple[Any, ...]]:
    teams = {score.number: score.team for score in whole.scores}
    legal: dict[tuple[int, int], int] = {}
    for record in whole.records:
        if record.delivery is None:
            continue
        over = (record.place.innings, record.place.over)
        legal[over] = legal.get(over, 0) + record.delivery.is_legal
        number = f"{record.place.over}.{legal[over]}"
        yield _row(record, record.delivery, number, _sides(whole, teams.get(record.place.innings)), people)


def _sides(whole: WholeMatch, batting: str | None) -> tuple[str | None, str | None]:
    others = [code for code in whole.known.row.teams if code != batting]
    return batting, others[0] if batting is not None and len(others) == 1 else None


def _row(
    record: DeliveryRecord, ball: Delivery, number: str, sides: tuple[str | None, str | None], people: People
) -> tuple[Any, ...]:
    place, extras = record.place, ball.extras
    first, other = _first_two(ball.dismissals)
    return (
        *(record.match_id, place.innings, place.over, place.position, number),
        *(people.team_or_none(sides[0]), people.team_or_none(sides[1])),
        *(people.player(ball.batter), people.player(ball.non_striker), people.player(ball.bowler)),
        *(ball.runs_batter, extras.total, extras.wides, extras.noballs, extras.byes, extras.legbyes, extras.penalty),
        *(ball.runs, ball.wickets),
        None if first is None else first.kind,
        None if first is None else people.player(first.player),
        None if first is None else "; ".join(map(people.player, first.fielders)) or None,
        None if other is None else other.kind,
        None if other is None else people.player(other.player),
        *(record.revision, ball.bowled_at, record.captured_at),
    )


def _first_two(dismissals: tuple[Dismissal, ...]) -> tuple[Dismissal | None, Dismissal | None]:
    first = dismissals[0] if dismissals else None
    return first, dismissals[1] if len(dismissals) > 1 else None


def csv_text(whole: WholeMatch, people: People) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in row] for row in rows(whole, people))
    return out.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso_or_none(value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def parquet_bytes(whole: WholeMatch, people: People) -> bytes:
    """Columns without a value keep their type. An ImportError where the extra `parquet` is not installed."""
    import pyarrow as pa  # type: ignore[import-untyped]  # it brings no types
    from pyarrow import parquet

    kinds = {str: pa.string(), int: pa.int64(), datetime: pa.timestamp("us", tz="UTC")}
    columns = list(zip(*rows(whole, people), strict=True)) or [()] * len(COLUMNS)
    told = zip(COLUMNS.items(), columns, strict=True)
    table = pa.table({name: pa.array(values, type=kinds[kind]) for (name, kind), values in told})
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()
