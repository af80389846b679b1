"""A house that is open, and closed again."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.serve.entry.house import House, settings_in


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    made = House(settings_in(tmp_path))
    await made.open()
    yield made
    await made.close()
