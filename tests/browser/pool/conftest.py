"""Each test of the pool has a folder of its own, and leaves nothing in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.browser.pool.house import House
from tests.browser.pool.pool_site import OpenProxy, Site, browsers_of, open_proxy, open_site, zombie_children


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """After each test there is no process, no zombie and no folder of any browser."""
    house = House(tmp_path / "browser")
    yield house
    assert browsers_of(house.root) == []
    assert zombie_children() == []
    assert list(house.root.glob("*")) == []


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with open_site() as site:
        yield site


@pytest.fixture
async def proxy() -> AsyncIterator[OpenProxy]:
    async with open_proxy() as proxy:
        yield proxy
