"""The origin as a process of its own: `python -m longstop_origin`. With --announce it ends when its input does."""

import sys

from longstop_origin.commands import announced_origin, origin, run_alone

ANNOUNCE = "--announce"

if __name__ == "__main__":
    announces = ANNOUNCE in sys.argv
    sys.argv = [word for word in sys.argv if word != ANNOUNCE]
    run_alone(announced_origin if announces else origin)
