"""A new life of a scraper begins where the last one stood: what it knew is held against what the store has (B8).

The store may know more than the state, which was saved some moments before the end. It must never know less: what a
state names was durable before the state was saved.
"""

from longstop.domain.observation import Observation, Provenance
from longstop.domain.scraper_state import ScraperState
from longstop.store.contract import LedgerPage, LiveRow, MatchRow


def disagreements(state: ScraperState, page: LedgerPage) -> tuple[str, ...]:
    """In words, for the log; empty when the record has all that the state names."""
    return tuple(_found(state, page))


def _found(state: ScraperState, page: LedgerPage) -> list[str]:
    found: list[str] = []
    sequence = page.live.sequence if page.live else 0
    if sequence < state.sequence:
        found.append(f"the record ends at look {sequence}, the state at {state.sequence}")
    places = {record.place for record in page.deliveries}
    if state.last_place is not None and state.last_place not in places:
        found.append(f"ball {state.last_place} is not in the record")
    if sequence == state.sequence and page.live is not None:
        found += _scores(state, page)
    return found


def _scores(state: ScraperState, page: LedgerPage) -> list[str]:
    kept = {score.number: (score.runs, score.wickets) for score in page.live.innings} if page.live else {}
    return [
        f"innings {tally.innings} stood at {tally.runs}/{tally.wickets}, the record says {_tell(kept, tally.innings)}"
        for tally in state.score
        if kept.get(tally.innings) != (tally.runs, tally.wickets)
    ]


def _tell(kept: dict[int, tuple[int, int]], innings: int) -> str:
    runs, wickets = kept.get(innings, (0, 0))
    return f"{runs}/{wickets}" if innings in kept else "nothing"


def recalled(live: LiveRow, row: MatchRow) -> Observation:
    """What the source said last to whoever watched before us, as far as the store has it."""
    return Observation(
        ref=row.ref,
        provenance=Provenance(live.source, live.rung, live.payload_sha256, live.captured_at, live.source_at),
        status=row.status,
        play=live.play,
        teams=row.teams,
        innings=live.innings,
        batting=live.batting,
        bowling=live.bowling,
        toss=live.toss,
        result=live.result,
        format=row.format,
        balls_per_over=live.balls_per_over,
        last_event=live.last_event,
        announcement=live.announcement,
    )
