"""What features are made of, as a table: one row for each player of the last team sheet that was known before kickoff.

The rule of point in time is held here once more, by arithmetic and by nothing else: whatever a store or a caller hands
in, no row leaves with a capture at or after the kickoff of its match.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from longstop.domain.capture import SnapshotType
from longstop.domain.football import Side
from longstop.domain.football_record import FootballMatch, LineUpRecord, PlayerRecord

COLUMNS: Final[Mapping[str, type]] = {
    "match_id": int,
    "source_event_id": str,
    "kickoff_at": datetime,
    "captured_at": datetime,
    "schema_version": str,
    "snapshot_type": str,
    "team_side": str,
    "team": str,
    "formation": str,
    "player_id_ext": str,
    "name": str,
    "is_starter": bool,
    "position": str,
    "shirt_number": int,
    "is_captain": bool,
    "rating": float,
    "null_field_rate": float,
    "starters_missing": int,
}
# What a spreadsheet would take for a formula; names come from outside.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
Table = list[tuple[Any, ...]]


def feature_rows(
    match: FootballMatch, sheets: Iterable[LineUpRecord], as_of: datetime | None = None, *, is_whole: bool = False
) -> Table:
    """With `is_whole` every sheet that said something new, else the last confirmed one of each side, or the last."""
    known = [sheet for sheet in sheets if _counts(match, sheet, as_of)]
    wanted = known if is_whole else [sheet for side in Side for sheet in _last(known, side)]
    return [_row(match, sheet, player) for sheet in wanted for player in sheet.players]


def _counts(match: FootballMatch, sheet: LineUpRecord, as_of: datetime | None) -> bool:
    kickoff = min(match.kickoff_at, sheet.kickoff_at)
    is_before = sheet.captured_at < kickoff and not sheet.after_kickoff
    is_known = as_of is None or sheet.captured_at <= as_of
    return sheet.match_id == match.match_id and is_before and is_known and sheet.snapshot is not SnapshotType.POST_MATCH


def _last(known: Sequence[LineUpRecord], side: Side) -> Iterator[LineUpRecord]:
    of_side = [sheet for sheet in known if sheet.side is side]
    if of_side:
        yield max(of_side, key=lambda sheet: (sheet.is_confirmed, sheet.captured_at))


def _row(match: FootballMatch, sheet: LineUpRecord, player: PlayerRecord) -> tuple[Any, ...]:
    team = match.home_team if sheet.side is Side.HOME else match.away_team
    return (
        *(match.match_id, sheet.source_event_id, match.kickoff_at, sheet.captured_at, sheet.schema_version),
        *(sheet.snapshot.value, sheet.side.value, team, sheet.formation),
        *(player.key, player.name, player.is_starter, player.position, player.shirt, player.is_captain),
        *(player.rating, sheet.null_field_rate, sheet.starters_missing),
    )


def csv_of(rows: Table) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def parquet_of(rows: Table) -> bytes:
    """Columns without a value keep their type. An ImportError where the extra `parquet` is not installed."""
    import pyarrow as pa  # type: ignore[import-untyped]  # it brings no types
    from pyarrow import parquet

    kinds = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        datetime: pa.timestamp("us", tz="UTC"),
    }
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    told = zip(COLUMNS.items(), columns, strict=True)
    table = pa.table({name: pa.array(values, type=kinds[kind]) for (name, kind), values in told})
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()
