"""Joins the rungs of one source to a ladder, and the ladder to what the engine fetches with."""

import msgspec

from longstop.approach_options import agreement_of, ladder_options
from longstop.clock import Clock
from longstop.domain.errors import InputError
from longstop.fetch.ladder import Ladder, Rung, RungName
from longstop.fetch.page_keeper import PageKeeper
from longstop.fetch.page_rungs import DomRung, InPageRung, InterceptRung, PageRungOptions
from longstop.fetch.patience import Patience
from longstop.fetch.politeness import Courtesy
from longstop.fetch.replay import ReplayRung
from longstop.fetch.source_fetcher import SourceFetcher
from longstop.observe.signals import Signals
from longstop.settings import Settings
from longstop.sources.contract import Source

# What must be on a page before it is read for the first time.
SHOWN_FIELD = "runs"


class Joint(msgspec.Struct, frozen=True):
    """What every ladder of one instance has in common."""

    settings: Settings
    clock: Clock
    bus: Signals

    @property
    def rungs(self) -> list[RungName]:
        return [RungName(name) for name in self.settings.scraper.fetch.rungs]


class Bearing(msgspec.Struct, frozen=True):
    """How long this source is waited for, and how often it is asked."""

    patience: Patience
    courtesy: Courtesy


def climber(
    source: Source, replay: ReplayRung, keeper: PageKeeper | None, bearing: Bearing, joint: Joint
) -> SourceFetcher:
    """Without a keeper of pages only replay is left."""
    options = PageRungOptions(
        call_seconds=joint.settings.scraper.lifecycle.poll_deadline,
        selectors=source.manifest.dom.get(SHOWN_FIELD, ()),
    )
    rungs: dict[RungName, Rung] = {RungName.REPLAY: replay}
    in_page = None
    if keeper is not None:
        in_page = InPageRung(keeper, joint.clock, options, bearing.courtesy)
        rungs[RungName.IN_PAGE] = in_page
        rungs[RungName.INTERCEPT] = InterceptRung(keeper, joint.clock, options, bearing.courtesy)
        rungs[RungName.DOM] = DomRung(keeper, joint.clock, bearing.patience, options)
    wanted = [rungs[name] for name in joint.rungs if name in rungs]
    if not wanted:
        raise InputError(
            "None of the rungs in scraper.fetch.rungs can be used here.",
            hint="Add replay, or install a browser (`longstop doctor` says how).",
        )
    ladder = Ladder(
        source.manifest.name, wanted, agreement_of(source), joint.clock, joint.bus, ladder_options(joint.settings)
    )
    return SourceFetcher(ladder, replay, in_page, joint.clock, bearing.patience)
