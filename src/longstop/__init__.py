"""Longstop keeps live sports data fresh and whole."""

__version__ = "0.1.0"
