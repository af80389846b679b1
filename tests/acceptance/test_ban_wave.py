"""A site bans four of ten exits in the midst of its captures."""

import pytest

from longstop.fetch.exits.quarantine import Rest
from tests.ban_wave import Wave, banning_site
from tests.servers.tinyproxy import TinyProxies


@pytest.mark.req("D6")
async def test_a_ban_of_four_exits_in_ten_costs_next_to_no_match(tiny_proxies: TinyProxies) -> None:
    async with banning_site() as site:
        account = await Wave(site, tiny_proxies.take(10), Rest(base_seconds=600.0)).run(matches=60, banned_share=0.4)
    assert account.banned_calls > 0, "nobody was banned"
    assert account.percent >= 95.0
    assert account.broken_rests == 0
    assert account.ejected <= 4, "an exit was asked again that had to rest"


@pytest.mark.req("D6")
async def test_exits_that_come_back_too_early_rest_longer_each_time(tiny_proxies: TinyProxies) -> None:
    """The first rest is over within the run, the ban is not."""
    async with banning_site() as site:
        account = await Wave(site, tiny_proxies.take(5), Rest(base_seconds=0.05)).run(matches=150, banned_share=0.4)
    assert account.percent >= 95.0
    assert account.broken_rests == 0
