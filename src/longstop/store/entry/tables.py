"""The tables of who may come in and who came. They have a schema number of their own.

On SQLite they lie in a file apart: the record's file belongs to the one process that writes it, but keys are made and
revoked by commands while Longstop runs.
"""

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Column, DateTime, Dialect, Double, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.types import TypeDecorator

from longstop.store.cells import moment_as_text, moment_as_utc, moment_from_text

SCHEMA: Final = 1


class Moment(TypeDecorator[datetime]):
    """`timestamptz` on PostgreSQL, text of one width on SQLite: both compare as time does."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        plain = String(27) if dialect.name == "sqlite" else DateTime(timezone=True)
        return dialect.type_descriptor(plain)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        return moment_as_text(value) if dialect.name == "sqlite" else moment_as_utc(value)

    def process_result_value(self, value: Any, _: Dialect) -> datetime | None:
        moment = moment_from_text(value) if isinstance(value, str) else value
        return None if moment is None else moment.astimezone(UTC)


metadata = MetaData()

# `schema` is which tables these are; `changes` rises with each change of keys and revocations, for those who remember.
api_counters = Table(
    "api_counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

api_consumers = Table(
    "api_consumers",
    metadata,
    Column("consumer", Text, primary_key=True),
    Column("tier", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    # The public beginning of the key, and its primary key here: a key is found by it without reading the others.
    Column("key_id", Text, primary_key=True),
    Column("consumer", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("key_hash", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment),
    Column("revoked_at", Moment),
    Column("replaced_by", Text),
    Index("idx_api_keys_consumer", "consumer"),
)

api_revocations = Table(
    "api_revocations",
    metadata,
    Column("jti", Text, primary_key=True),
    Column("revoked_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
)

# Numbers rise with time, so pages are cut by them. Operators are few: two indexes cost nothing.
api_admin_audit = Table(
    "api_admin_audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Column("day", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("consumer", Text, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Index("idx_api_admin_audit_day", "day"),
    Index("idx_api_admin_audit_consumer", "consumer"),
)

# The natural key is made by who notes the entry, so a batch whose fate is unknown is written again. One index: whole
# days are asked for, and whole days are removed.
api_access_log = Table(
    "api_access_log",
    metadata,
    Column("id", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Column("day", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("consumer", Text, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("status", BigInteger, nullable=False),
    Column("duration_ms", Double, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("data_age_seconds", Double),
    Index("idx_api_access_log_day", "day", "consumer"),
)
