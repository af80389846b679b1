"""The simulated football site as tests use it: a world, a moment, and what was read there."""

from datetime import UTC, datetime

import msgspec

from longstop.domain.errors import EmptyPayloadError, ErrorAnswerError
from longstop.domain.football import MatchReport
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.sources.contract import Reading
from longstop.sources.sofascore import SofascoreReader
from longstop_origin.exchange import Request
from longstop_origin.football.fixture import Fixture
from longstop_origin.football.site import FootballSite
from longstop_origin.football.world import FootballOptions, FootballWorld

EPOCH = datetime(2026, 3, 6, 6, tzinfo=UTC).timestamp()
NOTHING_YET = {"not_found", "empty"}
PARTS = ("", "/incidents", "/lineups", "/statistics")
READER = SofascoreReader("https://football.invalid")


def site(seed: int = 7, **options: float) -> FootballSite:
    return FootballSite(FootballWorld(FootballOptions(epoch=EPOCH, seed=seed, **options)))  # type: ignore[arg-type]  # counts come as ints


def body(at_site: FootballSite, path: str, at: float, address: str = "127.0.0.1") -> tuple[int, bytes]:
    reply = at_site.respond(Request("GET", path), at, address)
    return reply.status, reply.body


def read(content: bytes, url: str) -> Reading:
    now = datetime.fromtimestamp(EPOCH, UTC)
    request = FetchRequest("sofascore", url, "event")
    return READER.read(Snapshot(request, 200, content, now, now))


def part_read(at_site: FootballSite, fixture: Fixture, part: str, at: float) -> Reading | str:
    """What the reader makes of it, or the verdict with which it refuses."""
    status, content = body(at_site, f"/api/v1/event/{fixture.id}{part}", at)
    try:
        return read(content, f"https://football.invalid/{status}")
    except ErrorAnswerError as error:
        return error.verdict
    except EmptyPayloadError:
        return "empty"


def report_at(at_site: FootballSite, fixture: Fixture, at: float) -> MatchReport:
    """All parts that are there, as one visit brings them."""
    report = MatchReport()
    for part in PARTS:
        found = part_read(at_site, fixture, part, at)
        if isinstance(found, Reading):
            assert found.football is not None
            told = {
                name: value for name, value in msgspec.structs.asdict(found.football).items() if value not in (None, ())
            }
            report = msgspec.structs.replace(report, **told)
        else:
            assert found in NOTHING_YET, f"{fixture.id}{part} at {at}: {found}"
    return report
