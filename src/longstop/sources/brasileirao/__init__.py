"""A league by rounds: lists of a round's matches, and each match with what happened in it."""

from longstop.sources.brasileirao.source import BrasileiraoSource

__all__ = ["BrasileiraoSource"]
