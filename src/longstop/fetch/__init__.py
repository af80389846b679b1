"""Brings bytes; knows no sport."""
