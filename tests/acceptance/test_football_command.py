"""The football site as a process of its own, as a person starts it and as another process does."""

import asyncio
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from longstop.clock import SystemClock
from longstop.commands.origin_process import football_beside

SECONDS = 60.0


async def test_the_football_site_is_started_beside_us_and_ends_with_us() -> None:
    clock = SystemClock()
    process = football_beside(("--port", "0", "--matches", "12", "--seed", "1"), clock)
    url = await process.start()
    try:
        day = clock.now().date()
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/api/v1/sport/football/scheduled-events/{day}") as answer:
                events = (await answer.json())["events"]
            async with session.get(f"{url}/_origin/matches") as answer:
                assert len(await answer.json()) == 12
        assert events
    finally:
        await process.stop()
    assert await process.ended() == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--guard", "limits=3"), 65, "There is no guard 'limits'."),
        (("--guard", "schema=everything"), 65, "Invalid enum value 'everything'"),
        (("--host", "192.0.2.1"), 65, "only listens on this machine"),
        (("--statsbomb", "nothing_event.json"), 66, "There is no file"),
        (("--statsbomb", "nothing.json"), 67, "is no StatsBomb file"),
    ],
)
async def test_a_mistake_in_its_command_is_one_sentence(
    tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    command = [sys.executable, "-m", "longstop_origin", "--football", "--port", "0", *words]
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
