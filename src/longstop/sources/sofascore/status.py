"""The site's status of a match: a code, a type and words. The code is exact; what it leaves open, words tell."""

import re

from longstop.domain.football import Phase, Stage
from longstop.sources.sofascore.shapes import Status

_BY_CODE = {
    0: Phase.NOT_STARTED,
    6: Phase.FIRST_HALF,
    7: Phase.SECOND_HALF,
    20: Phase.IN_PLAY,
    30: Phase.IN_PLAY,
    31: Phase.HALF_TIME,
    32: Phase.EXTRA_TIME,
    33: Phase.EXTRA_TIME,
    34: Phase.SHOOT_OUT,
    40: Phase.EXTRA_TIME,
    41: Phase.EXTRA_TIME,
    42: Phase.EXTRA_TIME,
    50: Phase.SHOOT_OUT,
    60: Phase.POSTPONED,
    61: Phase.NOT_STARTED,
    70: Phase.CANCELLED,
    80: Phase.INTERRUPTED,
    81: Phase.INTERRUPTED,
    90: Phase.ABANDONED,
    91: Phase.AWARDED,
    92: Phase.AWARDED,
    100: Phase.FINISHED,
    110: Phase.AFTER_EXTRA_TIME,
    120: Phase.AFTER_PENALTIES,
}
_BY_TYPE = {
    "notstarted": Stage.UPCOMING,
    "inprogress": Stage.LIVE,
    "finished": Stage.OVER,
    "postponed": Stage.OFF,
    "canceled": Stage.OFF,
    "cancelled": Stage.OFF,
    "abandoned": Stage.OFF,
}
# Tried in order, and before the code: a match that was decided on paper keeps the code of an ended one at times.
_BY_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE), phase)
    for pattern, phase in (
        (r"award|walkover|annul|forfeit|retired|removed|technical", Phase.AWARDED),
        (r"abandon", Phase.ABANDONED),
        (r"cancel", Phase.CANCELLED),
        (r"postpon", Phase.POSTPONED),
        (r"interrupt|suspend", Phase.INTERRUPTED),
    )
)
_FALLBACK = {
    Stage.UPCOMING: Phase.NOT_STARTED,
    Stage.LIVE: Phase.IN_PLAY,
    Stage.OFF: Phase.CANCELLED,
}
_WORDS_MAX = 80


def read_phase(status: Status) -> Phase:
    words = status.description[:_WORDS_MAX]
    told = next((phase for pattern, phase in _BY_WORDS if pattern.search(words)), None)
    return told or _BY_CODE.get(status.code) or _FALLBACK.get(read_stage(status.type), Phase.UNKNOWN)


def read_stage(kind: str) -> Stage:
    return _BY_TYPE.get(kind.strip().lower(), Stage.UNKNOWN)
