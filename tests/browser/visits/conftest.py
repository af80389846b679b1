"""Each test has a site and a folder of its own; after it no browser is left, and no file of one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.browser.pool.pool_site import browsers_of
from tests.browser.visits.stage import Stage
from tests.servers.football_site import football_site


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with football_site() as site:
        made = Stage(tmp_path / "var", site)
        yield made
    assert browsers_of(made.folder / "browser") == []
    assert list((made.folder / "browser").glob("*")) == []
