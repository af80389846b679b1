"""Rounds over HTTP: ask for one, follow it, see and retry what failed, read its matches."""
