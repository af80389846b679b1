"""Times as people write them on a command line."""

import re

from longstop.domain.errors import InputError

_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DAYS_MAX = 366


def read_duration(text: str) -> float:
    """`90`, `60s`, `10m`, `2h`, `1d` → seconds."""
    found = _DURATION.fullmatch(text.strip().lower())
    seconds = float(found[1]) * _SECONDS[found[2] or "s"] if found else 0.0
    if not 0 < seconds <= DAYS_MAX * 86400:
        raise InputError(f"{text[:20]!r} is no duration.", hint="Write it as 60s, 10m or 2h.")
    return seconds
