"""What the databases do when a key of football is there already; see `conflicts.py`."""

from typing import Any

from sqlalchemy import and_, func, not_, or_, tuple_

from longstop.store import football_tables as tables
from longstop.store.conflicts import Insert, all_but

_KEPT = ("match_id", "home_team", "away_team")


def match_told_later(insert: Insert) -> Insert:
    """The last word counts; teams stay as they were called first, and what it does not tell stays as it is."""
    old, new = tables.football_matches.c, insert.excluded
    set_: dict[str, Any] = all_but(tables.football_matches, new, *_KEPT)
    set_ |= {name: func.coalesce(new[name], old[name]) for name in ("league_id", "season")}
    order = ("told_at", "kickoff_at", "source_event_id", "status", "page")
    later = tuple_(*(new[name] for name in order)) > tuple_(*(old[name] for name in order))
    return insert.on_conflict_do_update(index_elements=["match_id"], set_=set_, where=later)


def progress_newer(insert: Insert) -> Insert:
    """Of two that were told at the same moment one stays, whichever came first."""
    old, new = tables.football_captures.c, insert.excluded
    order = ("updated_at", "attempts", "captures", "status", "reason", "state")
    newer = tuple_(*(new[name] for name in order)) > tuple_(*(old[name] for name in order))
    return insert.on_conflict_do_update(
        index_elements=["match_id"], set_=all_but(tables.football_captures, new, "match_id"), where=newer
    )


def lineup_flagged(insert: Insert) -> Insert:
    return _flagged(insert, tables.match_sofascore_lineup)


def player_flagged(insert: Insert) -> Insert:
    return _flagged(insert, tables.match_sofascore_player)


def _flagged(insert: Insert, table: Any) -> Insert:
    """Nothing of a sheet changes but the flag, and that only once."""
    return insert.on_conflict_do_update(
        index_elements=[column.name for column in table.primary_key.columns],
        set_={"after_kickoff": insert.excluded.after_kickoff},
        where=and_(insert.excluded.after_kickoff, not_(table.c.after_kickoff)),
    )


def quarantine_released(insert: Insert) -> Insert:
    old, new = tables.football_quarantine.c, insert.excluded
    is_news = and_(new.released_at.is_not(None), or_(old.released_at.is_(None), new.released_at < old.released_at))
    return insert.on_conflict_do_update(
        index_elements=["match_id", "captured_at", "family"], set_={"released_at": new.released_at}, where=is_news
    )
