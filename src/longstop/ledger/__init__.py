"""Belief into events: every ball a row of its own, added up and compared with the scoreboard."""
