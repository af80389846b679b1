"""What leaves for a model was captured before kickoff, whatever is handed in."""

import csv
import io
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.capture import SnapshotType
from longstop.domain.football import Side
from longstop.domain.football_record import LineUpRecord
from longstop.jobs.captures.exports import COLUMNS, csv_of, feature_rows, parquet_of
from tests.football_records import KICKOFF, at, match, player, sheet

NAMES = list(COLUMNS)
hours = st.floats(-80, 30, allow_nan=False)


@st.composite
def sheets(draw: st.DrawFn) -> LineUpRecord:
    """Also those that no store should hold."""
    return sheet(
        draw(hours),
        side=draw(st.sampled_from(Side)),
        kickoff_at=KICKOFF + timedelta(hours=draw(hours)),
        snapshot=draw(st.sampled_from(SnapshotType)),
        is_confirmed=draw(st.booleans()),
        after_kickoff=draw(st.booleans()),
        match_id=draw(st.sampled_from((7, 8))),
    )


@pytest.mark.req("D2")
@given(st.lists(sheets(), max_size=12), hours, st.one_of(st.none(), hours), st.booleans())
def test_no_export_ever_joins_across_kickoff(
    handed_in: list[LineUpRecord], moved: float, known_at: float | None, is_whole: bool
) -> None:
    told = match(kickoff_at=KICKOFF + timedelta(hours=moved))
    as_of = None if known_at is None else at(known_at)
    rows = feature_rows(told, handed_in, as_of, is_whole=is_whole)
    for row in rows:
        shown = dict(zip(NAMES, row, strict=True))
        assert shown["captured_at"] < shown["kickoff_at"] == told.kickoff_at
        assert shown["match_id"] == 7
        assert shown["snapshot_type"] != "post_match"
        assert as_of is None or shown["captured_at"] <= as_of
    good = [
        each
        for each in handed_in
        if each.match_id == 7
        and not each.after_kickoff
        and each.snapshot is not SnapshotType.POST_MATCH
        and each.captured_at < min(told.kickoff_at, each.kickoff_at)
        and (as_of is None or each.captured_at <= as_of)
    ]
    assert bool(rows) == bool(good), "and nothing good is left out"


@pytest.mark.req("D8")
def test_the_last_confirmed_sheet_of_each_side_is_told() -> None:
    confirmed = sheet(3, snapshot=SnapshotType.CONFIRMED, is_confirmed=True, formation="4-4-2")
    later_guess = sheet(4, formation="5-4-1")
    away = sheet(2, side=Side.AWAY, first=100)
    rows = feature_rows(match(), [sheet(1), confirmed, later_guess, away])
    shown = [dict(zip(NAMES, row, strict=True)) for row in rows]
    assert {(row["team_side"], row["formation"], row["team"]) for row in shown} == {
        ("home", "4-4-2", "Reds"),
        ("away", "4-3-3", "Blues"),
    }
    assert len(feature_rows(match(), [sheet(1), confirmed, later_guess, away], is_whole=True)) == 4 * 14


@pytest.mark.req("D8")
def test_both_forms_have_every_column_and_no_formula() -> None:
    odd = sheet(1, players=(player(1, name="=cmd()", rating=7.5), player(2, shirt=None)))
    rows = feature_rows(match(), [odd])
    told = list(csv.DictReader(io.StringIO(csv_of(rows).decode())))
    assert [row["name"] for row in told] == ["'=cmd()", "Player 2"]
    assert told[0]["captured_at"] == "2026-06-01T13:00:00Z"
    assert told[0]["schema_version"] == "sofascore.event.v1"
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(parquet_of(rows)))
    assert table.column_names == NAMES
    assert table.column("rating").to_pylist() == [7.5, None]
    assert parquet.read_table(io.BytesIO(parquet_of([]))).num_rows == 0
