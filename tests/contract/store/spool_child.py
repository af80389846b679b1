"""A process that lives a small life with a spool and says what it has done, until it is killed at some call.

    python -m tests.contract.store.spool_child FOLDER write|recover

Every line is one write of its own, so that what is on the pipe had really come so far. It imports as little as it can:
it is started hundreds of times.
"""

import os
import sys
from pathlib import Path

from longstop.store.disk import OsDisk
from longstop.store.spool import Spool, SpoolLimits

LIMITS = SpoolLimits(max_bytes=10**6, segment_bytes=900, reserve_bytes=0)
GROUPS, GROUP = 7, 2


def payload(number: int) -> bytes:
    return f"{number}:".encode().ljust(260, b"x")


def say(word: str, number: int) -> None:
    os.write(1, f"{word} {number}\n".encode())


def write(spool: Spool) -> None:
    for group in range(GROUPS):
        numbers = range(group * GROUP, (group + 1) * GROUP)
        spool.append([payload(number) for number in numbers], 1000)
        say("acknowledged", numbers[-1])
        if group in {3, 5}:
            take(spool, 3)
    spool.set_aside(spool.read(1, 10**6)[0])
    say("whole", 0)


def take(spool: Spool, count: int) -> None:
    """Said first: from then on they are durable elsewhere, whatever becomes of the release."""
    frames = spool.read(count, 10**6)
    say("elsewhere", int(frames[-1].payload.partition(b":")[0]))
    spool.release(frames[-1])


def main(folder: Path, mode: str) -> None:
    spool = Spool(folder, OsDisk(), LIMITS)
    spool.open()
    say("opened", 0)
    if mode == "write":
        write(spool)
    spool.close()
    say("closed", 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
