"""Rounds with zero tolerance: no match lost, none half written, whatever crashes."""
