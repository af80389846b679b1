"""A wave of bans on 40 % of the exits, with real proxies: what gets through, and whether banned exits rest."""

import asyncio
import shutil
from collections.abc import Iterator

from benchmarks.figures import Figure, ProofError, Wishes, at_least, exactly, noted
from longstop.fetch.exits.quarantine import Rest
from tests.ban_wave import Account, Wave, banning_site
from tests.servers.tinyproxy import TinyProxies

EXITS, MATCHES, SHARE = 20, 400, 0.4
SEEDS = (1, 2, 3)
PERCENT_MIN = 95.0
# Long enough that none ends within the run, and so short that each ends several times.
RESTS = {"long": Rest(base_seconds=600.0), "short": Rest(base_seconds=0.2)}


def prove_exits(_: Wishes) -> Iterator[Figure]:
    if shutil.which("tinyproxy") is None:
        raise ProofError("tinyproxy is not installed; on Debian, as root: apt-get install tinyproxy")
    proxies = TinyProxies([])
    try:
        for name, rest in RESTS.items():
            yield from _figures(name, [asyncio.run(_wave(proxies, rest, seed)) for seed in SEEDS])
    finally:
        proxies.stop()


def _figures(name: str, accounts: list[Account]) -> Iterator[Figure]:
    worst = min(account.percent for account in accounts)
    yield at_least(f"{name} rests: captured within four attempts, the worst of three", worst, PERCENT_MIN, "%")
    broken = sum(account.broken_rests for account in accounts)
    yield exactly(f"{name} rests: sessions by an exit that had to rest", broken, 0)
    yield noted(f"{name} rests: calls that met a ban", sum(account.banned_calls for account in accounts))
    yield noted(f"{name} rests: attempts", sum(account.attempts for account in accounts))
    yield noted(f"{name} rests: exits sent to rest", sum(account.ejected for account in accounts))


async def _wave(proxies: TinyProxies, rest: Rest, seed: int) -> Account:
    async with banning_site() as site:
        return await Wave(site, proxies.take(EXITS), rest, seed).run(MATCHES, SHARE)
