"""What the operator may set of captures."""

from collections.abc import Callable

import msgspec

FAMILIES = ("event", "lineups")


class CaptureOptions(msgspec.Struct, frozen=True):
    """`families` are asked for in each visit; line-ups need not be published yet. `at_once` matches are captured at the
    same time; of no tournament but those whose name has one of these words, if there are any."""

    attempts_max: int = 4
    base_seconds: float = 2.0
    jitter_seconds: float = 1.0
    visit_seconds: float = 45.0
    window_seconds: float = 72 * 3600.0
    null_rate_max: float = 0.2
    families: tuple[str, ...] = FAMILIES
    at_once: int = 4
    list_seconds: float = 900.0
    tournaments: tuple[str, ...] = ()
    keeps_raw: bool = True


Options = Callable[[], CaptureOptions]
