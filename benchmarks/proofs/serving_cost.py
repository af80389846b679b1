"""What reading one match costs beside a bare handler of the same framework that returns the same bytes.

Rounds of the two alternate in one run, only the CPU time of the serving process counts, and medians are told.
"""

import asyncio
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp

from benchmarks.figures import Figure, ProofError, Wishes, below, noted
from benchmarks.http_load import Connection, Load, hammer
from benchmarks.processes import Running, empty_folder, start

ROUNDS = 9
REQUESTS = 4_000
RATIO_MAX = 1.7
MATCH = "/cricket-data/match-info/crex_M0"
AT = re.compile(r"serving at (\S+)")


def serving(kind: str, folder: Path, matches: int = 1) -> Running:
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).resolve().parents[2]
    code = (
        f"import runpy, sys; sys.path.insert(0, {str(root)!r}); sys.argv[1:] = {[kind, str(folder), str(matches)]!r};"
    )
    command = [sys.executable, "-c", f"{code} runpy.run_module('benchmarks.served', run_name='__main__')"]
    return start(command, folder, is_tied=True)


async def token(url: str, folder: Path) -> str:
    key = (folder / "key").read_text(encoding="utf-8")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{url}/token/generate-token", json={"api_key": key}) as answer,
    ):
        told = await answer.json(content_type=None)
        if answer.status != 200:
            raise ProofError(f"no token was given: {told}")
    return str(told["access_token"])


def prove_cost(_: Wishes) -> Iterator[Figure]:
    with empty_folder("serving") as folder, serving("full", folder / "full") as full:
        url = full.until_said(AT)
        bearer = f"Authorization: Bearer {asyncio.run(token(url, folder / 'full'))}"
        body = asyncio.run(_body(url, bearer))
        (folder / "bare").mkdir()
        (folder / "bare" / "body.json").write_bytes(body)
        with serving("bare", folder / "bare") as bare:
            bare_url = bare.until_said(AT)
            rounds = [_round(full, url, (bearer,)) + _round(bare, bare_url, ()) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(found[place] for found in rounds[1:]) for place in (0, 1))
    yield noted("bytes of the answer", len(body))
    yield noted("one read of a match, CPU", ours, "µs")
    yield noted("the bare handler, CPU", theirs, "µs")
    yield below("reading costs, beside the bare handler", ours / theirs, RATIO_MAX, "times")


async def _body(url: str, bearer: str) -> bytes:
    connection = Connection(url, (bearer,))
    status, body = await connection.get(MATCH)
    await connection.close()
    if status != 200:
        raise ProofError(f"the match was not served: {status} {body[:200]!r}")
    return body


def _round(server: Running, url: str, headers: tuple[str, ...]) -> tuple[float]:
    """Microseconds of CPU a request."""
    before = server.usage()
    load: Load = asyncio.run(hammer(url, (MATCH,), REQUESTS, headers))
    if load.statuses != {200: REQUESTS}:
        raise ProofError(f"not every answer was a match: {load.statuses}")
    return (1e6 * (server.usage().cpu_seconds - before.cpu_seconds) / REQUESTS,)
