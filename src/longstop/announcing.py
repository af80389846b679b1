"""Tells by signals what a poll has made durable."""

from longstop.clock import Clock
from longstop.ledger.match_ledger import Draft
from longstop.observe import signals
from longstop.observe.signals import Signals
from longstop.watch import MatchStep, Watch


class Announcer:
    def __init__(self, clock: Clock, bus: Signals) -> None:
        self._clock = clock
        self._signals = bus

    def steps(self, watch: Watch, steps: list[MatchStep]) -> None:
        for step in steps:
            self._signals.emit(
                signals.MatchStateChanged(
                    at=self._clock.now(),
                    match_id=watch.ref.match_id,
                    before=step.source.value,
                    after=step.target.value,
                    reason=step.event,
                )
            )

    def score(self, watch: Watch, draft: Draft) -> None:
        self._signals.emit(
            signals.ScoreStored(
                at=self._clock.now(),
                match_id=watch.ref.match_id,
                scraper_id=watch.scraper_id,
                sequence=watch.sequence,
                observation=draft.observation,
                complete_through=draft.complete_through,
            )
        )

    def stored(self, watch: Watch, draft: Draft, stored_seconds: float) -> None:
        now = self._clock.now()
        if draft.records:
            newest = max(record.true_at for record in draft.records)
            self._signals.emit(
                signals.EventsStored(
                    at=now,
                    match_id=watch.ref.match_id,
                    source=watch.ref.source,
                    count=len(draft.events),
                    corrections=draft.corrections,
                    stored_seconds=stored_seconds,
                    # What was bowled before we came says nothing about how soon we learn of a ball.
                    delay_seconds=None if newest < watch.started_at else max(0.0, (now - newest).total_seconds()),
                )
            )
        self.facts(watch, draft)

    def facts(self, watch: Watch, draft: Draft) -> None:
        if draft.events or draft.gaps:
            self._signals.emit(
                signals.FactsStored(
                    at=self._clock.now(),
                    match_id=watch.ref.match_id,
                    source=watch.ref.source,
                    events=draft.events,
                    gaps=draft.gaps,
                    complete_through=draft.complete_through,
                )
            )
        for gap in draft.gaps:
            self._signals.emit(signals.about_gap(gap, self._clock.now()))
