"""Reads only: the API, its errors, and the operations page."""
