"""Keeps it alive; the only room allowed to catch everything."""
