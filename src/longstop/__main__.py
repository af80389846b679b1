"""The command's first lines, so light that an interruption during the imports behind them ends quietly too."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """What `longstop` and `python -m longstop` run."""
    before = signal.signal(signal.SIGINT, _leave)
    from longstop.cli import main as run

    signal.signal(signal.SIGINT, before)
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Nothing was begun yet, so nothing has to be ended; an exception could be taken for a broken import."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
