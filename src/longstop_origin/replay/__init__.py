"""Real matches played through the whole engine on virtual time.

Here, and in the commands, the origin knows Longstop; nowhere else.
"""

from longstop_origin.replay.run import ReplayOptions, replay_file

__all__ = ["ReplayOptions", "replay_file"]
