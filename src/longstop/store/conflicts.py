"""What the database itself does when a key is already there: keep the row that is further along.

SQLAlchemy's two `insert` share these methods, so each clause is told once. Batches may be saved again, and late ones
may come after newer ones, so every clause must lead to the same row whatever the order.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, Text, and_, case, cast, func, literal_column, not_, or_, tuple_

from longstop.store import tables

Insert = Any  # the dialects' own classes; they share no parent with these methods
Columns = Any  # the columns of a table, or of `excluded`; both answer to names
Cell = ColumnElement[Any]
Order = Sequence[Sequence[str]]

_STATES: Order = (("discovered",), ("active", "paused"), ("completed",), ("archived",))
STATUSES: Order = (("upcoming",), ("live",), ("completed", "abandoned"))
GAP_STATES: Order = (("open",), ("unrecoverable",), ("repaired",))


def _text(word: str) -> Cell:
    return literal_column(f"'{word}'")


def rank(column: Cell, order: Order) -> Cell:
    """How far along a word is, so that the database itself can tell forward from back."""
    steps: list[Any] = [
        (column == _text(word), literal_column(str(rank))) for rank, words in enumerate(order) for word in words
    ]
    return case(*steps, else_=literal_column("-1"))


def all_but(table: Table, new: Columns, *left_out: str) -> dict[str, Any]:
    return {column.name: new[column.name] for column in table.columns if column.name not in left_out}


def _is_fresh(old: Columns, new: Columns) -> Cell:
    """A row that does not say when it was scraped (a listing) counts as fresh."""
    return or_(
        new.last_scraper_update.is_(None),
        old.last_scraper_update.is_(None),
        new.last_scraper_update >= old.last_scraper_update,
    )


def _known(old: Cell, new: Cell, fresh: Cell, empty: str) -> Cell:
    """The newer fact, unless it is none."""
    return case((and_(fresh, new != _text(empty)), new), (old == _text(empty), new), else_=old)


def _known_or_null(old: Cell, new: Cell, fresh: Cell) -> Cell:
    return case((fresh, func.coalesce(new, old)), else_=func.coalesce(old, new))


def _ahead(old: Cell, new: Cell, fresh: Cell, order: Order) -> Cell:
    before, after = rank(old, order), rank(new, order)
    return case((after > before, new), (and_(after == before, fresh), new), else_=old)


def _is_later_state(old: Columns, new: Columns) -> Cell:
    """Further along; or as far, and entered later. At the same moment a pause comes after the look that led to it."""
    before, after = rank(old.state, _STATES), rank(new.state, _STATES)
    entered = func.coalesce(old.state_at, old.last_scraper_update)
    enters = func.coalesce(new.state_at, new.last_scraper_update)
    is_later = or_(enters > entered, and_(entered.is_(None), enters.is_not(None)))
    is_same_moment = or_(enters == entered, and_(entered.is_(None), enters.is_(None)))
    is_pause = and_(is_same_moment, new.state == _text("paused"))
    return or_(after > before, and_(after == before, or_(is_later, is_pause)))


def match_forward(insert: Insert) -> Insert:
    """Facts are added, the state goes forward, and the day of discovery stays the first."""
    old, new = tables.matches.c, insert.excluded
    fresh = _is_fresh(old, new)
    texts = ("url", "title", "team_first", "team_second", "format", "series", "venue")
    set_ = {name: _known(old[name], new[name], fresh, "") for name in texts}
    back = or_(
        not_(fresh),
        rank(new.status, STATUSES) < rank(old.status, STATUSES),
        rank(new.state, _STATES) < rank(old.state, _STATES),
    )
    is_later_state = _is_later_state(old, new)
    is_later = or_(old.last_scraper_update.is_(None), new.last_scraper_update >= old.last_scraper_update)
    set_ |= {
        "status": _ahead(old.status, new.status, fresh, STATUSES),
        "state": case((is_later_state, new.state), else_=old.state),
        "state_at": case((is_later_state, new.state_at), else_=old.state_at),
        "starts_at": _known_or_null(old.starts_at, new.starts_at, fresh),
        "discovered_at": case(
            (new.discovered_at < old.discovered_at, new.discovered_at),
            else_=func.coalesce(old.discovered_at, new.discovered_at),
        ),
        "last_scraper_update": case((is_later, new.last_scraper_update), else_=old.last_scraper_update),
        "data_freshness_seconds": case((is_later, new.data_freshness_seconds), else_=old.data_freshness_seconds),
        "scraper_status": _known(old.scraper_status, new.scraper_status, fresh, "unknown"),
        "priority": case((back, old.priority), else_=new.priority),
        "result": _known_or_null(old.result, new.result, fresh),
    }
    is_same_match = and_(new.source == old.source, new.key == old.key)
    return insert.on_conflict_do_update(index_elements=["match_id"], set_=set_, where=is_same_match)


def live_newer(insert: Insert) -> Insert:
    old, new = tables.live_match_data.c, insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["match_id"],
        set_=all_but(tables.live_match_data, new, "match_id"),
        where=tuple_(new.sequence, new.captured_at) > tuple_(old.sequence, old.captured_at),
    )


def gap_forward(insert: Insert) -> Insert:
    """An open gap may change, a closed one is not opened again."""
    old, new = tables.gaps.c, insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["match_id", "gap_id"],
        set_=all_but(tables.gaps, new, "match_id", "gap_id", "opened_at"),
        where=rank(new.state, GAP_STATES) >= rank(old.state, GAP_STATES),
    )


def gap_state_changed(insert: Insert) -> Insert:
    """While it lasts a state may be told anew, with what is missing now; since when it lasts, stays the first."""
    old, new = tables.gap_states.c, insert.excluded
    since = case((new.reached_at < old.reached_at, new.reached_at), else_=old.reached_at)
    changed = all_but(tables.gap_states, new, "match_id", "gap_id", "state", "reached_at", "opened_at")
    return insert.on_conflict_do_update(
        index_elements=["match_id", "gap_id", "state"], set_={**changed, "reached_at": since}
    )


def status_earlier(insert: Insert) -> Insert:
    old, new = tables.match_statuses.c, insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["match_id", "status"],
        set_={"reached_at": new.reached_at},
        where=new.reached_at < old.reached_at,
    )


def name_changed(insert: Insert) -> Insert:
    new = insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["source", "kind", "code"], set_={"name": new.name}, where=new.name != tables.names.c.name
    )


def recipe_newer(insert: Insert) -> Insert:
    """Of two that were learnt at the same moment one stays, whichever came first."""
    old, new = tables.recipes.c, insert.excluded
    return insert.on_conflict_do_update(
        index_elements=["source", "purpose"],
        set_=all_but(tables.recipes, new, "source", "purpose"),
        where=tuple_(new.learnt_at, new.payload) > tuple_(old.learnt_at, old.payload),
    )


def state_newer(insert: Insert) -> Insert:
    """Of two that were saved at the same moment one stays, whichever came first."""
    old, new = tables.scraper_states.c, insert.excluded

    def order(row: Columns) -> Cell:
        return tuple_(row.saved_at, row.sequence, row.scraper_id, cast(row.details, Text))

    return insert.on_conflict_do_update(
        index_elements=["match_id"],
        set_=all_but(tables.scraper_states, new, "match_id"),
        where=order(new) > order(old),
    )


def audit_judged(insert: Insert) -> Insert:
    """Judged twice, the later judgement counts."""
    old, new = tables.recovery_audit.c, insert.excluded

    def order(row: Columns) -> Cell:
        return tuple_(func.coalesce(row.judged_at, row.timestamp), row.outcome)

    return insert.on_conflict_do_update(
        index_elements=["entry_id"],
        set_=all_but(tables.recovery_audit, new, "entry_id"),
        where=and_(new.outcome.is_not(None), or_(old.outcome.is_(None), order(new) > order(old))),
    )


def error_resolved(insert: Insert) -> Insert:
    new = insert.excluded
    names = ("retry_attempt", "resolved", "resolution_time", "resolution_method")
    return insert.on_conflict_do_update(
        index_elements=["error_id"],
        set_={name: new[name] for name in names},
        where=and_(new.resolved, not_(tables.scraper_errors.c.resolved)),
    )


def nothing(insert: Insert) -> Insert:
    return insert.on_conflict_do_nothing()
