"""The CREX-like source: docs/sources/crex.md has its shapes."""

from longstop.sources.crex.source import CrexSource

__all__ = ["CrexSource"]
