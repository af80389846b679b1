"""Databases as older Longstops left them: their schema by their own migrations, their rows as they wrote them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import pytest
from alembic import command

from longstop.store import schema

ROWS = """
INSERT INTO matches (match_id, source, key, url, title, team_first, team_second, status, state, format, series, venue,
    discovered_at, last_scraper_update, priority)
VALUES ('crex_AB1', 'crex', 'AB1', '', 'A v B', 'A', 'B', 'live', 'active', '', '', '',
    '2026-06-01T12:00:00.000000Z', '2026-06-01T12:00:03.000000Z', 0);
INSERT INTO live_match_data (match_id, sequence, captured_at, scraper_id, update_latency_ms, source, rung,
    payload_sha256, play, board)
VALUES ('crex_AB1', 2, '2026-06-01T12:00:03.000000Z', 's1', 12, 'crex', 'replay', 'ab', 'play', '{}');
INSERT INTO deliveries (match_id, innings, over, position, revision, withdrawn, batter, non_striker, bowler, runs,
    runs_batter, wides, noballs, byes, legbyes, penalty, wickets, is_legal, is_non_boundary, true_at, captured_at,
    payload_sha256)
VALUES ('crex_AB1', 1, 0, 1, 1, false, 'B1', 'B2', 'W1', 1, 1, 0, 0, 0, 0, 0, 0, true, false,
        '2026-06-01T12:00:00.000000Z', '2026-06-01T12:00:02.000000Z', 'ab'),
       ('crex_AB1', 1, 0, 2, 1, false, 'B1', 'B2', 'W1', 4, 4, 0, 0, 0, 0, 0, 0, true, false,
        '2026-06-01T12:00:01.000000Z', '2026-06-01T12:00:03.000000Z', 'ab');
INSERT INTO match_events (match_id, seq, key, kind, true_at, captured_at, innings, over, position, revision, detail)
VALUES ('crex_AB1', 1, 'ball:1.0.1:1', 'ball_bowled', '2026-06-01T12:00:00.000000Z', '2026-06-01T12:00:02.000000Z',
        1, 0, 1, 1, ''),
       ('crex_AB1', 2, 'ball:1.0.2:1', 'ball_bowled', '2026-06-01T12:00:01.000000Z', '2026-06-01T12:00:03.000000Z',
        1, 0, 2, 1, ''),
       ('crex_AB1', 3, 'status_changed:3', 'status_changed', '2026-06-01T12:00:00.000000Z',
        '2026-06-01T12:00:01.000000Z', NULL, NULL, NULL, 1, 'live');
INSERT INTO gaps (match_id, gap_id, innings, first_over, last_over, state, cause, opened_at, closed_at, missing_runs,
    missing_wickets, missing_balls)
VALUES ('crex_AB1', 'g1', 1, 0, 0, 'open', '4 runs', '2026-06-01T12:00:02.000000Z', NULL, 4, 0, 1),
       ('crex_AB1', 'g2', 1, 0, 0, 'repaired', '1 run', '2026-06-01T12:00:02.000000Z', '2026-06-01T12:00:03.000000Z',
        1, 0, 1);
"""


async def make_old(url: str, revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database of that revision, with a match in it."""
    real = command.upgrade
    with monkeypatch.context() as then:
        then.setattr(command, "upgrade", lambda config, _: real(config, revision))
        then.setattr(schema, "HEAD_REVISION", revision)
        schema.upgrade(url)
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(Path(url.removeprefix("sqlite:///")))) as connection:
            connection.executescript(ROWS)
        return
    other = await asyncpg.connect(url)
    try:
        await other.execute(ROWS)
    finally:
        await other.close()
