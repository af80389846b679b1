"""Rounds: their journal, and the matches that they bring.

Kept as it was written, even when the tables move on: a database that stands here must stay one we know.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(sa.String(length=27), "sqlite")


def upgrade() -> None:
    _create_scrape_jobs()
    _create_scrape_tasks()
    _create_round_matches()
    _create_round_events()
    _create_round_statistics()
    _create_round_lineups()


def _create_scrape_jobs() -> None:
    op.create_table(
        "scrape_jobs",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("season", sa.BigInteger(), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("request_key", sa.Text()),
        sa.Column("is_recheck", sa.Boolean(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("next_at", _MOMENT, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("lease_until", _MOMENT),
        sa.Column("listed_at", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.Column("error", sa.Text()),
        sa.PrimaryKeyConstraint("job_id", name="pk_scrape_jobs"),
        sa.UniqueConstraint("request_key", name="uq_scrape_jobs_request_key"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_scrape_jobs_round", "scrape_jobs", ["source", "competition", "season", "round", "created_at"])
    op.create_index("idx_scrape_jobs_state", "scrape_jobs", ["state", "next_at"])


def _create_scrape_tasks() -> None:
    op.create_table(
        "scrape_tasks",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kickoff_at", _MOMENT),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("losses", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("next_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("lease_until", _MOMENT),
        sa.Column("outcome", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("evidence", sa.Text()),
        sa.Column("started_at", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("job_id", "key", name="pk_scrape_tasks"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_scrape_tasks_match", "scrape_tasks", ["match_id"])
    op.create_index("idx_scrape_tasks_state", "scrape_tasks", ["state", "next_at"])


def _create_round_matches() -> None:
    op.create_table(
        "round_matches",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("season", sa.BigInteger(), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("is_finished", sa.Boolean(), nullable=False),
        sa.Column("kickoff_at", _MOMENT),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("away", sa.Text(), nullable=False),
        sa.Column("home_goals", sa.BigInteger()),
        sa.Column("away_goals", sa.BigInteger()),
        sa.Column("venue", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("captured_at", _MOMENT, nullable=False),
        sa.Column("payload_sha256", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "revision", name="pk_round_matches"),
        sqlite_with_rowid=False,
    )
    op.create_index("idx_round_matches_round", "round_matches", ["source", "competition", "season", "round"])


def _create_round_events() -> None:
    op.create_table(
        "round_events",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("minute", sa.BigInteger()),
        sa.Column("added", sa.BigInteger()),
        sa.Column("side", sa.Text()),
        sa.Column("player", sa.Text()),
        sa.Column("other", sa.Text()),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("home_after", sa.BigInteger()),
        sa.Column("away_after", sa.BigInteger()),
        sa.PrimaryKeyConstraint("match_id", "revision", "number", name="pk_round_events"),
        sqlite_with_rowid=False,
    )


def _create_round_statistics() -> None:
    op.create_table(
        "round_statistics",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.Column("away", sa.Text(), nullable=False),
        sa.Column("home_value", sa.Double()),
        sa.Column("away_value", sa.Double()),
        sa.PrimaryKeyConstraint("match_id", "revision", "period", "name", name="pk_round_statistics"),
        sqlite_with_rowid=False,
    )


def _create_round_lineups() -> None:
    op.create_table(
        "round_lineups",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("player_key", sa.Text(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("is_substitute", sa.Boolean(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("shirt", sa.BigInteger()),
        sa.Column("formation", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "revision", "side", "number", name="pk_round_lineups"),
        sqlite_with_rowid=False,
    )
