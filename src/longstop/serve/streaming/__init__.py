"""Streams: what happened, from any cursor on, and then as it happens."""
