"""The origin without a socket keeps the guards too."""

import pytest

from longstop import virtual_time
from longstop.clock import LoopClock
from longstop.domain.errors import (
    LongstopError,
    MatchGoneError,
    OversizedBodyError,
    SourceRefusedError,
    SourceTimeoutError,
    UnexpectedStatusError,
)
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop_origin.guards import Guards
from longstop_origin.replay.fetcher import BASE_URL, WorldFetcher
from longstop_origin.replay.run import EPOCH
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions


def fetched(*words: str, **headers: str) -> Snapshot:
    """The state of a match, asked for on virtual time."""

    async def fetch() -> Snapshot:
        site = Site(World(WorldOptions(epoch=EPOCH.timestamp(), seed=1, matches=1)), guards=Guards.from_words(words))
        key = site.world.listed(EPOCH.timestamp())[0].key
        sent = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        request = FetchRequest("crex", f"{BASE_URL}/api/v3/getSV3?key={key}", "state", headers=sent)
        return await WorldFetcher(site, LoopClock(EPOCH)).fetch(request)

    return virtual_time.run(fetch())


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("token=30", SourceRefusedError),
        ("cookie", SourceRefusedError),
        ("page-only", SourceRefusedError),
        ("refuse-every=1", SourceRefusedError),
        ("challenge=403", SourceRefusedError),
        ("server-rendered", MatchGoneError),
        ("login=10", UnexpectedStatusError),
        ("trap=drip?seconds=60", SourceTimeoutError),
        ("trap=endless", OversizedBodyError),
        ("trap=endless?wait=1", SourceTimeoutError),
    ],
)
def test_a_guard_refuses_without_a_socket_as_with_one(word: str, kind: type[LongstopError]) -> None:
    with pytest.raises(kind):
        fetched(word)


def test_who_is_let_in_gets_the_state() -> None:
    assert fetched().body == fetched("page-only", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors").body


def test_a_body_in_pieces_arrives_whole() -> None:
    assert fetched("trap=drip?seconds=2&bytes_per_second=4").body == b'{"drip":"' + b" " * 8
