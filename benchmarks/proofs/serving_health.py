"""How soon `/health` answers with a thousand matches, and with the database gone."""

import asyncio
import re
from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, below, exactly, noted
from benchmarks.http_load import Load, steadily
from benchmarks.processes import empty_folder
from benchmarks.proofs.serving_cost import AT, serving

MATCHES = 1_000
_AWAY = re.compile(r"(the database is away)")
PER_SECOND = 20.0
SECONDS = 15.0
P95_MILLIS = 10.0
P99_AWAY_MILLIS = 25.0


def prove_health(_: Wishes) -> Iterator[Figure]:
    with empty_folder("health") as folder, serving("full", folder / "full", MATCHES) as server:
        url = server.until_said(AT)
        load = asyncio.run(_asked(url))
        yield noted("bytes of /health", load.bytes_last)
        yield noted("/health p50", load.percentile_ms(0.5), "ms")
        yield below("/health p95 with 1,000 matches", load.percentile_ms(0.95), P95_MILLIS, "ms")
        assert server.popen.stdin is not None
        server.popen.stdin.write(b"away\n")
        server.popen.stdin.flush()
        server.until_said(_AWAY)
        gone = asyncio.run(_asked(url))
        yield below("/health p99 with the database gone", gone.percentile_ms(0.99), P99_AWAY_MILLIS, "ms")
        yield exactly("answers that were not 200", _others(load) + _others(gone), 0)


async def _asked(url: str) -> Load:
    await steadily(url, ("/health",), PER_SECOND, 2.0, connections=4)
    return await steadily(url, ("/health",), PER_SECOND, SECONDS, connections=4)


def _others(load: Load) -> int:
    return sum(count for status, count in load.statuses.items() if status != 200)
