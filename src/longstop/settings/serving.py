"""The settings of keeping and serving: API, database, storage, cache and jobs."""

import ipaddress
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, field_validator

from longstop.settings.addresses import require_address, require_database, require_plain_site, require_private_address
from longstop.settings.guessing import is_guessable
from longstop.settings.keys import Count, Days, Group, Hours, Megabytes, Percent, Seconds, setting
from longstop.settings.masks import SecretUrl
from longstop.settings.monitoring import require_host

DAY = 86400
SECRET_LENGTH_MIN = 32


class PoolSettings(Group):
    """Connections to PostgreSQL of one instance."""

    min_idle: Count = setting(5, "Connections kept open when idle; never more than size.", ge=0, le=1000)
    size: Count = setting(10, "Connections kept for reuse.", env="DB_CONNECTION_POOL_SIZE", ge=1, le=1000)
    overflow: Count = setting(10, "Connections above size when all are busy; 10 + 10 are 20 at most.", ge=0, le=1000)
    timeout: Seconds = setting(
        30.0, "Longest wait for a connection.", env="DB_CONNECTION_TIMEOUT_SECONDS", ge=0.1, le=600
    )
    idle_timeout: Seconds = setting(600.0, "A connection that is idle for longer is closed.", ge=1, le=DAY)
    max_lifetime: Seconds = setting(1800.0, "An older connection is replaced.", ge=1, le=DAY)
    leak_threshold: Seconds = setting(60.0, "A connection held for longer is reported as a leak.", ge=1, le=DAY)


class DatabaseSettings(Group):
    """Where the record is kept."""

    url: SecretUrl = setting(
        SecretUrl("sqlite:///var/longstop.db"),
        "sqlite:///path or postgresql://user:password@host:5432/name; empty is longstop.db under storage.root.",
    )
    pool: PoolSettings = PoolSettings()

    @field_validator("url")
    @classmethod
    def _is_database(cls, value: SecretUrl) -> SecretUrl:
        return require_database(value)


class AuthSettings(Group):
    """Tokens that we give out, and who needs none."""

    token_ttl_hours: Hours = setting(24.0, "Life of a token.", ge=0.01, le=720)
    session_ttl_hours: Hours = setting(12.0, "Life of a login to the operations page.", ge=0.01, le=720)
    jwt_secret: SecretStr = setting(
        SecretStr(""), "Signs the tokens, at least 32 bytes; empty makes one and keeps it under storage.root."
    )
    jwt_secret_before: SecretStr = setting(
        SecretStr(""), "The secret before this one; what it signed is believed until it runs out."
    )
    issuer: str = setting("longstop", "The name in our tokens; those of others are refused. Empty is longstop.")
    open_reading: bool = setting(True, "Who asks directly on this machine reads without a token.")
    open_admin: bool = setting(False, "Who asks directly on this machine may use /admin without a token.")

    @field_validator("jwt_secret", "jwt_secret_before")
    @classmethod
    def _is_strong(cls, value: SecretStr) -> SecretStr:
        secret = value.get_secret_value()
        if secret and (len(secret.encode()) < SECRET_LENGTH_MIN or is_guessable(secret)):
            raise ValueError(
                "is too weak (short, or words, rows of keys, repetitions);"
                " give at least 32 random bytes, for example from `openssl rand -hex 32`"
            )
        return value


class LimitSettings(Group):
    """Requests a consumer may make."""

    standard_per_minute: Count = setting(
        100, "Requests a minute of a consumer of the standard tier, with all keys and logins.", ge=1, le=1000000
    )
    premium_per_minute: Count = setting(1000, "The same of the premium tier.", ge=1, le=1000000)
    attempts_per_minute: Count = setting(30, "Refused requests a minute from one address.", ge=1, le=1000000)
    connections: Count = setting(1000, "Connections that may be open at the same time.", ge=10, le=100000)
    connections_per_address: Count = setting(
        100, "The same of one address; this machine and trusted proxies have four fifths of all.", ge=1, le=100000
    )
    workers: Count = setting(
        1, "Processes that share the limits; with Redis away each keeps to its share by itself.", ge=1, le=1000
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "Networks whose X-Forwarded-For is believed, for example 10.0.0.0/8."
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            _require_network(value)
        return values


class StreamSettings(Group):
    """Readers who follow what happens (server-sent events)."""

    max: Count = setting(500, "Streams that may be open at the same time.", ge=1, le=100000)
    max_per_consumer: Count = setting(
        50, "Streams of one consumer, or of one address that needs no token.", ge=1, le=100000
    )
    heartbeat: Seconds = setting(10.0, "A stream is never silent for longer.", ge=0.1, le=300)
    patience: Seconds = setting(15.0, "A reader who takes longer for one piece is cut.", ge=0.1, le=300)


class ApiSettings(Group):
    """The HTTP API and the operations page."""

    host: str = setting("127.0.0.1", "Address to listen on; 0.0.0.0 is every one, as in a container.")
    port: Count = setting(8000, "Port to listen on; 0 takes any free one.", ge=0, le=65535)
    push_only: bool = setting(False, "Starts with no source switched on, and lives on what is pushed to it.")
    auth: AuthSettings = AuthSettings()
    limits: LimitSettings = LimitSettings()
    streams: StreamSettings = StreamSettings()

    @field_validator("host")
    @classmethod
    def _is_host(cls, value: str) -> str:
        return require_host(value)


class SpoolSettings(Group):
    """The file on disk for critical events while the database is away."""

    max_size_mb: Megabytes = setting(1024, "Most that all its segments may hold.", ge=1, le=1048576)
    segment_size_mb: Megabytes = setting(16, "A segment is closed at this size.", ge=1, le=65536)
    alarm_percent: Percent = setting(50.0, "Share of the cap that raises an alarm.", ge=1, le=100)


class RetentionSettings(Group):
    """What is kept how long, and how much of it."""

    captures_max_mb: Megabytes = setting(4096, "Raw payloads, compressed; the oldest go first.", ge=1, le=10**8)
    captures_max_days: Days = setting(90, "Raw payloads of matches that are over.", ge=1, le=3650)
    evidence_max_mb: Megabytes = setting(512, "Error pages and screenshots; the oldest go first.", ge=1, le=10**8)
    access_log_days: Days = setting(90, "The record of who asked for what.", ge=1, le=3650)
    access_log_rows_max: Count = setting(5000000, "Its rows; the oldest go first.", ge=1000, le=10**9)
    admin_audit_days: Days = setting(365, "The record of what operators asked for.", ge=1, le=3650)
    match_log_days: Days = setting(30, "Logs of archived matches.", ge=1, le=3650)
    match_logs_max_mb: Megabytes = setting(256, "All match logs; the oldest go first.", ge=1, le=10**8)
    snapshots_per_match: Count = setting(5, "Snapshots in each match's rolling buffer.", ge=1, le=1000)
    audit_entries: Count = setting(100, "Recovery audit entries at hand; the permanent log keeps all.", ge=1, le=100000)
    audit_max_mb: Megabytes = setting(64, "The permanent log of recoveries; the oldest go first.", ge=1, le=10**6)


class StorageSettings(Group):
    """Files."""

    root: Annotated[Path, Field(strict=False)] = setting(
        Path("var"), "Folder for everything written to disk; a relative one begins where longstop is started."
    )
    keep_captures: bool = setting(True, "Keep each payload that changed as it came, before it is read.")
    spool: SpoolSettings = SpoolSettings()
    retention: RetentionSettings = RetentionSettings()

    @field_validator("root")
    @classmethod
    def _is_named(cls, value: Path) -> Path:
        if value == Path():
            raise ValueError("is empty or the folder itself; give a folder of its own, for example var")
        if any(letter in str(value) for letter in "?#%"):
            raise ValueError("holds ?, # or %, which a database address cannot; give another folder")
        return value


class RedisSettings(Group):
    """The cache shared by several instances (extra `redis`)."""

    url: SecretUrl = setting(SecretUrl(""), "redis:// or rediss:// address; empty does without.")

    @field_validator("url")
    @classmethod
    def _is_redis(cls, value: SecretUrl) -> SecretUrl:
        return require_address(value, ("redis", "rediss"))


class JobSettings(Group):
    """Rounds, and other work with a journal."""

    max_attempts: Count = setting(3, "Attempts of one task before it is a dead letter.", ge=1, le=100)
    base_delay: Seconds = setting(2.0, "Pause before the second attempt; it doubles, with jitter.", ge=0, le=3600)
    max_delay: Seconds = setting(60.0, "Longest pause between two attempts.", ge=0, le=86400)
    lease: Seconds = setting(
        30.0, "Whoever took a task keeps it so long without a word; after that somebody else takes it.", ge=1, le=3600
    )
    concurrency: Count = setting(4, "Tasks at the same time in one process.", ge=1, le=1000)
    keep_days: Days = setting(365, "A job that ended so long ago leaves the journal; its matches stay.", ge=1, le=36500)
    broker_url: SecretUrl = setting(SecretUrl(""), "Celery's broker (extra `celery`); empty runs jobs in this process.")
    visibility: Seconds = setting(
        600.0, "Redis hands on a message whose worker said nothing for so long; RabbitMQ needs none.", ge=1, le=86400
    )

    @field_validator("broker_url")
    @classmethod
    def _is_broker(cls, value: SecretUrl) -> SecretUrl:
        return require_address(value, ("redis", "rediss", "amqp", "amqps"))


class SinkSettings(Group):
    """Another Longstop that gets every payload pushed."""

    url: str = setting("", "Its address; https://, or http:// on this machine. Empty pushes nowhere.")
    api_key: SecretStr = setting(SecretStr(""), "The API key it gave us.")

    @field_validator("url")
    @classmethod
    def _is_site(cls, value: str) -> str:
        require_private_address(SecretStr(value))
        return require_plain_site(value)


def _require_network(value: str) -> None:
    try:
        ipaddress.ip_network(value)
    except ValueError:
        raise ValueError("holds an entry that is no network; give entries such as 10.0.0.0/8 or 192.0.2.1") from None
