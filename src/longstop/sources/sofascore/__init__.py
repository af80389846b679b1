"""The Sofascore-like source: docs/sources/sofascore.md has its shapes. It is read, and not watched yet."""

from longstop.sources.sofascore.source import SofascoreReader

__all__ = ["SofascoreReader"]
