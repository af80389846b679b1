"""The settings of being seen: metrics, health, logs, alerts."""

from typing import Literal

from pydantic import SecretStr, field_validator

from longstop.settings.addresses import is_host, require_private_address
from longstop.settings.keys import Count, Days, Group, setting


class PrometheusSettings(Group):
    """Metrics for Prometheus."""

    enabled: bool = setting(True, "Expose them.", env="ENABLE_PROMETHEUS_METRICS")
    host: str = setting("127.0.0.1", "Address to listen on; 0.0.0.0 is every one, as in a container.")
    port: Count = setting(9090, "Port to listen on; 0 takes any free one.", env="PROMETHEUS_PORT", ge=0, le=65535)

    @field_validator("host")
    @classmethod
    def _is_host(cls, value: str) -> str:
        return require_host(value)


class HealthCheckSettings(Group):
    """The health endpoint."""

    enabled: bool = setting(True, "Serve GET /health.", env="HEALTH_CHECK_ENABLED")


class LoggingSettings(Group):
    """Logs."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = setting(
        "INFO", "Least severity that is logged; WARN means WARNING.", env="LOG_LEVEL"
    )
    structured: bool = setting(True, "One JSON object a line; false writes lines for people.")
    retention_days: Days = setting(30, "ERROR and CRITICAL records are kept this long.", ge=1, le=3650)


class AlertSettings(Group):
    """Where alerts go besides the metrics."""

    webhook_url: SecretStr = setting(
        SecretStr(""),
        "Each alert is posted there as JSON; https://, or http:// on this machine. Empty posts nowhere.",
        env="ALERT_WEBHOOK_URL",
    )
    sentry_dsn: SecretStr = setting(SecretStr(""), "Sentry project (extra `sentry`); empty sends nothing.")

    @field_validator("webhook_url", "sentry_dsn")
    @classmethod
    def _is_web_address(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not value.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("is not a web address; give one that begins with http:// or https://")
        return value

    @field_validator("webhook_url")
    @classmethod
    def _is_private_on_its_way(cls, value: SecretStr) -> SecretStr:
        return require_private_address(value)


class MonitoringSettings(Group):
    """How the instance can be watched."""

    prometheus: PrometheusSettings = PrometheusSettings()
    health_check: HealthCheckSettings = HealthCheckSettings()
    logging: LoggingSettings = LoggingSettings()
    alerts: AlertSettings = AlertSettings()


def require_host(value: str) -> str:
    """The value itself when it can be listened on."""
    if not is_host(value):
        raise ValueError("is not a host name or address; give one, for example 127.0.0.1")
    return value
