"""`kill -9` at each write and sync of the spool, and again at each of its recovery. `make proof-ledger` tries more."""

import pytest

from tests.contract.store.kills import (
    CALLS,
    POINTS_MAX,
    is_possible,
    killed_life,
    killed_recoveries,
    require_nothing_lost,
)

pytestmark = [
    pytest.mark.req("B9"),
    pytest.mark.skipif(not is_possible(), reason="strace is missing or may not trace; apt-get install strace"),
]
POINTS_AT_LEAST = {"write": 10, "pwrite64": 7, "fsync": 15, "ftruncate": 6, "unlink": 2, "rename": 1}


@pytest.mark.parametrize("call", CALLS)
def test_nothing_acknowledged_is_lost_by_a_kill_at_any_write_or_sync(call: str) -> None:
    """At the third of each, its recovery is killed too, at each of its own calls in turn."""
    points, killed_in_recovery = 0, 0
    for number in range(1, POINTS_MAX):
        with killed_life(call, number) as (folder, life):
            if life.is_whole:
                break
            points += 1
            if number == 3:
                killed_in_recovery = killed_recoveries(folder)
            require_nothing_lost(folder, life)
    assert points >= POINTS_AT_LEAST[call]
    assert killed_in_recovery > 3 or points < 3
