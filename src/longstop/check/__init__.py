"""Accepted or rejected, with a reason."""
