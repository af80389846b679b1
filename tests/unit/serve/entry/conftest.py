"""A house that is open, and closed again."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.serve.entry.house import House, settings_in


async def _opened_once(folder: Path) -> None:
    made = House(settings_in(folder))
    await made.open()
    await made.close()


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first start leaves on disk: made once, since disks are slow where much is tested at once."""
    folder = tmp_path_factory.mktemp("first-start")
    asyncio.run(_opened_once(folder))
    return folder


@pytest.fixture
async def house(tmp_path: Path, first_start: Path) -> AsyncIterator[House]:
    shutil.copytree(first_start, tmp_path, dirs_exist_ok=True)
    made = House(settings_in(tmp_path))
    await made.open()
    yield made
    await made.close()
