"""What may be read. The two databases differ in collation, in how JSON is read, and in lists."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    exists,
    func,
    literal_column,
    select,
    true,
    tuple_,
)

from longstop.store import tables
from longstop.store.conflicts import GAP_STATES as GAPS_FORWARD
from longstop.store.conflicts import STATUSES as STATUSES_FORWARD
from longstop.store.conflicts import rank
from longstop.store.writes import (
    AUDITS,
    DELIVERIES,
    ERRORS,
    EVENTS,
    GAP_STATES,
    GAPS,
    HEALTH,
    INNINGS,
    LIVE,
    LIVE_HISTORY,
    MATCHES,
    RECIPES,
    STATES,
    STATUSES,
    Kind,
)

Selection = Select[Any]
# Asked with or without each of two filters.
Filtered = dict[tuple[bool, bool], Selection]
# The same with three.
MatchLists = dict[tuple[bool, bool, bool], Selection]


@dataclass(frozen=True)
class ByMatch:
    """The same question about one match and about many; only PostgreSQL takes a list."""

    one: Selection
    many: Selection


@dataclass(frozen=True)
class Queries:
    match: Selection
    matches: MatchLists
    matches_after: MatchLists
    live: ByMatch
    states: ByMatch
    events: Selection
    events_as_of: Selection
    feed: Selection
    feed_end: Selection
    last_seq: Selection
    live_as_of: Selection
    status_as_of: Selection
    deliveries: Selection
    deliveries_now: Selection
    deliveries_as_of: Selection
    last_deliveries: Selection
    last_deliveries_as_of: Selection
    delivery_history: Selection
    innings_now: Selection
    innings_as_of: Selection
    gaps: Selection
    gaps_as_of: Selection
    gap_history: Selection
    names: Selection
    recipes: Selection
    audits: Selection
    errors: Filtered
    health: Filtered
    stored: dict[str, Selection]


_PLACE = ("innings", "over", "position")
_THREE = tuple(product((False, True), (False, True), (False, True)))
_FILTERS = tuple((first, second) for first in (False, True) for second in (False, True))


@cache
def queries_for(dialect: str) -> Queries:
    builder = _Builder(dialect == "postgresql")
    return builder.build()


def _until(moment: Any) -> Any:
    return moment <= bindparam("as_of", type_=moment.type)


def _last_balls(query: Selection) -> Selection:
    """From the end, so that no more is read than is wanted."""
    backwards = (tables.deliveries.c[name].desc() for name in _PLACE)
    return query.order_by(None).order_by(*backwards).limit(bindparam("limit"))


class _Builder:
    def __init__(self, is_postgres: bool) -> None:
        self._is_postgres = is_postgres
        self._collation = "C" if is_postgres else "BINARY"

    def build(self) -> Queries:
        deliveries = self._current(DELIVERIES, _PLACE)
        bowled = deliveries.where(~tables.deliveries.c.withdrawn)
        bowled_as_of = self._current(DELIVERIES, _PLACE, is_as_of=True).where(~tables.deliveries.c.withdrawn)
        return Queries(
            match=self._of_match(MATCHES),
            matches={by: self._matches(*by) for by in _THREE},
            matches_after={by: self._matches_after(*by) for by in _THREE},
            live=self._by_match(LIVE),
            states=self._by_match(STATES),
            events=self._events(),
            events_as_of=self._events().where(_until(tables.match_events.c.captured_at)),
            feed=self._feed(),
            feed_end=self._feed_end(),
            live_as_of=self._live_as_of(),
            status_as_of=self._status_as_of(),
            last_seq=select(func.coalesce(func.max(tables.match_events.c.seq), literal_column("0"))).where(
                tables.match_events.c.match_id == bindparam("match_id")
            ),
            deliveries=bowled,
            deliveries_now=deliveries,
            deliveries_as_of=bowled_as_of,
            last_deliveries=_last_balls(bowled),
            last_deliveries_as_of=_last_balls(bowled_as_of),
            delivery_history=self._of_match(DELIVERIES).order_by(*tables.deliveries.primary_key.columns),
            innings_now=self._current(INNINGS, ("number",)),
            innings_as_of=self._current(INNINGS, ("number",), is_as_of=True),
            gaps=self._gaps(GAPS),
            gaps_as_of=self._gaps_as_of(),
            gap_history=self._gaps(GAP_STATES).order_by(rank(tables.gap_states.c.state, GAPS_FORWARD)),
            names=select(tables.names.c.kind, tables.names.c.code, tables.names.c.name).where(
                tables.names.c.source == bindparam("source")
            ),
            recipes=self._select(RECIPES)
            .where(tables.recipes.c.source == bindparam("source"))
            .order_by(tables.recipes.c.purpose.collate(self._collation)),
            audits=self._newest(AUDITS),
            errors={by: self._of_scraper(ERRORS, *by) for by in _FILTERS},
            health={by: self._of_scraper(HEALTH, *by) for by in _FILTERS},
            stored={kind.table.name: self._stored(kind) for kind in (DELIVERIES, INNINGS, EVENTS)},
        )

    def _select(self, kind: Kind) -> Selection:
        return select(*(self._cell(kind.table, name) for name in kind.columns))

    def _cell(self, table: Table, name: str) -> Any:
        """JSON is read as the text it was written as, so that one decoder serves both databases."""
        column = table.c[name]
        return cast(column, Text).label(name) if self._is_postgres and column.type is tables.JsonText else column

    def _of_match(self, kind: Kind) -> Selection:
        return self._select(kind).where(kind.table.c.match_id == bindparam("match_id"))

    def _matches(self, by_status: bool, by_source: bool, by_state: bool) -> Selection:
        columns = tables.matches.c
        query = self._select(MATCHES)
        if by_status:
            query = query.where(columns.status == bindparam("status"))
        if by_source:
            query = query.where(columns.source == bindparam("source"))
        if by_state:
            query = query.where(columns.state == bindparam("state"))
        order = (
            columns.priority,
            columns.starts_at.is_(None),
            columns.starts_at,
            columns.match_id.collate(self._collation),
        )
        return query.order_by(*order).limit(bindparam("limit"))

    def _matches_after(self, by_status: bool, by_source: bool, by_state: bool) -> Selection:
        """From a place in the same order on; nobody knows a start before the first of all moments."""
        columns = tables.matches.c
        moment = columns.starts_at.type
        place = tuple_(
            columns.priority,
            columns.starts_at.is_(None),
            func.coalesce(columns.starts_at, bindparam("never", type_=moment)),
            columns.match_id.collate(self._collation),
        )
        after = tuple_(
            bindparam("after_priority", type_=BigInteger),
            bindparam("after_unknown", type_=Boolean),
            bindparam("after_starts", type_=moment),
            bindparam("after_id", type_=Text),
        )
        return self._matches(by_status, by_source, by_state).where(place > after)

    def _by_match(self, kind: Kind) -> ByMatch:
        wanted = func.any(bindparam("match_ids", type_=ARRAY(Text)))
        return ByMatch(self._of_match(kind), self._select(kind).where(kind.table.c.match_id == wanted))

    def _newest(self, kind: Kind) -> Selection:
        """Of the same moment in the order of their keys, so that two answers agree."""
        columns = kind.table.c
        key = columns[kind.key[0]].collate(self._collation)
        return self._select(kind).order_by(columns.timestamp.desc(), key).limit(bindparam("limit"))

    def _of_scraper(self, kind: Kind, by_match: bool, by_scraper: bool) -> Selection:
        query = self._newest(kind)
        if by_match:
            query = query.where(kind.table.c.match_id == bindparam("match_id"))
        return query.where(kind.table.c.scraper_id == bindparam("scraper_id")) if by_scraper else query

    def _events(self) -> Selection:
        seq = tables.match_events.c.seq
        return self._of_match(EVENTS).where(seq > bindparam("after")).order_by(seq).limit(bindparam("limit"))

    def _feed(self) -> Selection:
        """What a transaction that still runs will add belongs before what later ones have added: nothing is told past
        the oldest of them."""
        feed = tables.event_feed.c
        after = tuple_(bindparam("after_transaction"), bindparam("after_position"))
        query = (
            select(feed.transaction_id, feed.position, *(self._cell(EVENTS.table, name) for name in EVENTS.columns))
            .join_from(tables.event_feed, tables.match_events, self._is_fed())
            .where(tuple_(feed.transaction_id, feed.position) > after, self._is_settled())
        )
        return query.order_by(feed.transaction_id, feed.position).limit(bindparam("limit"))

    def _feed_end(self) -> Selection:
        feed = tables.event_feed.c
        query = select(feed.transaction_id, feed.position).where(self._is_settled())
        return query.order_by(feed.transaction_id.desc(), feed.position.desc()).limit(literal_column("1"))

    def _is_fed(self) -> Any:
        feed, events = tables.event_feed.c, tables.match_events.c
        return and_(feed.match_id == events.match_id, feed.seq == events.seq)

    def _is_settled(self) -> Any:
        if not self._is_postgres:
            return true()
        horizon: Any = literal_column("((pg_snapshot_xmin(pg_current_snapshot()))::text)::bigint")
        return tables.event_feed.c.transaction_id < horizon

    def _live_as_of(self) -> Selection:
        columns = tables.live_history.c
        known = self._of_match(LIVE_HISTORY).where(_until(columns.captured_at))
        return known.order_by(columns.sequence.desc(), columns.captured_at.desc()).limit(literal_column("1"))

    def _status_as_of(self) -> Selection:
        columns = tables.match_statuses.c
        known = self._of_match(STATUSES).where(_until(columns.reached_at))
        forward = rank(columns.status, STATUSES_FORWARD)
        return known.order_by(forward.desc(), columns.reached_at.desc(), columns.status).limit(literal_column("1"))

    def _gaps(self, kind: Kind) -> Selection:
        columns = kind.table.c
        query = select(*(columns[name] for name in GAPS.columns)).where(columns.match_id == bindparam("match_id"))
        return query.order_by(columns.opened_at, columns.innings, columns.gap_id.collate(self._collation))

    def _gaps_as_of(self) -> Selection:
        """The state furthest along of those that were reached by then."""
        columns, later = tables.gap_states.c, tables.gap_states.alias("later")
        further = exists().where(
            later.c.match_id == columns.match_id,
            later.c.gap_id == columns.gap_id,
            _until(later.c.reached_at),
            rank(later.c.state, GAPS_FORWARD) > rank(columns.state, GAPS_FORWARD),
        )
        return self._gaps(GAP_STATES).where(_until(columns.reached_at), ~further)

    def _current(self, kind: Kind, place: tuple[str, ...], *, is_as_of: bool = False) -> Selection:
        """The highest revision at each place; with `as_of`, the highest of those captured until then."""
        table, later = kind.table, kind.table.alias("later")
        superseded = [later.c[name] == table.c[name] for name in ("match_id", *place)]
        superseded.append(later.c.revision > table.c.revision)
        query = self._of_match(kind)
        if is_as_of:
            superseded.append(_until(later.c.captured_at))
            query = query.where(_until(table.c.captured_at))
        newer = exists().where(and_(*superseded))
        return query.where(~newer).order_by(*(table.c[name] for name in place))

    def _stored(self, kind: Kind) -> Selection:
        return self._select(kind).where(*(kind.table.c[name] == bindparam(name) for name in kind.key))
