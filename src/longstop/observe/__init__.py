"""Facts first: signals are told here, and backends (logs, metrics, health) subscribe."""
