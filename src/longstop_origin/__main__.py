"""The origin as a process of its own: `python -m longstop_origin`. With --announce it ends when its input does; with
--football it is the football site, which may run beside the other."""

import sys
from collections.abc import Callable

from longstop_origin.commands import announced_origin, origin, run_alone
from longstop_origin.football.command import announced_football, origin_football

ANNOUNCE, FOOTBALL = "--announce", "--football"
COMMANDS: dict[tuple[bool, bool], Callable[..., None]] = {
    (False, False): origin,
    (False, True): announced_origin,
    (True, False): origin_football,
    (True, True): announced_football,
}

if __name__ == "__main__":
    command = COMMANDS[FOOTBALL in sys.argv, ANNOUNCE in sys.argv]
    sys.argv = [word for word in sys.argv if word not in (ANNOUNCE, FOOTBALL)]
    run_alone(command)
