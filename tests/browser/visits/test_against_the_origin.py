"""Visits to the simulated football site, whose page is as heavy as such pages are, in a real Chromium."""

from pathlib import Path

import pytest

from benchmarks.football_visits import measure

pytestmark = [pytest.mark.timeout(180), pytest.mark.req("D3"), pytest.mark.req("D6")]
SHARE_MAX = 0.15


async def test_a_match_costs_a_small_part_of_its_page_and_its_bytes_are_told_right(tmp_path: Path) -> None:
    found = await measure(tmp_path, matches=4, batch=2)
    assert found.full > 1_500_000
    assert (len(found.pages), len(found.calls)) == (2, 2)
    assert max(found.pages) <= SHARE_MAX * found.full, f"{found.pages} of {found.full} bytes"
    assert max(found.calls) < min(found.pages)
    assert found.families >= 8
    assert abs(found.told / found.sent - 1) < 0.05, (found.told, found.sent)
