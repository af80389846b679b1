"""The small languages inside the site's strings: scores, extras, figures, and the state in words."""

import re
from functools import lru_cache

from longstop.domain.cricket import (
    NO_EXTRAS,
    BatterFigures,
    BowlerFigures,
    Extras,
    PlayState,
    Toss,
)
from longstop.domain.errors import MalformedPayloadError

CODE_LENGTH_MAX = 64
_SCORES_LENGTH_MAX = 200

_SCORE = re.compile(r"(\d{1,5})/(\d{1,2})\((\d{1,4})(?:\.(\d))?\)?")
_TOTAL = re.compile(r"(\d{1,5})/(\d{1,2})\((\d{1,5})\)?")
_OVERS = re.compile(r"\d{1,4}\.\d{1,2}")
_EXTRA = re.compile(r"(wd|nb|b|lb|pn)(\d{1,4})")
_EXTRA_NAMES = {"wd": "wides", "nb": "noballs", "b": "byes", "lb": "legbyes", "pn": "penalty"}

PLAY_BY_LETTER = {
    "N": PlayState.NOT_STARTED,
    "P": PlayState.PLAY,
    "D": PlayState.DRINKS,
    "L": PlayState.LUNCH,
    "T": PlayState.TEA,
    "S": PlayState.STUMPS,
    "I": PlayState.INNINGS_BREAK,
    "R": PlayState.RAIN,
    "E": PlayState.ENDED,
}

# Longer texts than this tell no more about the state, and are not searched.
_WORDS_MAX = 200
_CALLED_OFF = r"abandon|cancel|called off|washed out"

# Tried in order. "Match abandoned due to rain" is no rain break and "Day 2 abandoned" no end of the match; a toss that
# was won and stumps that were drawn are no result, so they come before the weaker words for one.
_PLAY_BY_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE), play)
    for pattern, play in (
        (r"^(?!.*\bw[io]n).*\bsuper over", PlayState.INNINGS_BREAK),
        (
            rf"\b(?:match|game)\b.{{0,20}}(?:\b(?:drawn|tied|over|ended|finished|completed)\b|{_CALLED_OFF})",
            PlayState.ENDED,
        ),
        (
            rf"\b(?:play|day|session)\b.{{0,40}}(?:{_CALLED_OFF})|(?:{_CALLED_OFF}).{{0,20}}\bfor the day\b",
            PlayState.STUMPS,
        ),
        (_CALLED_OFF, PlayState.ENDED),
        (
            r"\btoss\b|yet to|\bstarts\b|will (?:start|begin)|upcoming|scheduled|postponed|delayed start",
            PlayState.NOT_STARTED,
        ),
        (r"\bwon by\b|\bno result\b", PlayState.ENDED),
        (r"\binn(?:s|ing|ings) (?:break|change)", PlayState.INNINGS_BREAK),
        (r"\bstumps\b|end of day|close of play|\bday \d{1,2} ends", PlayState.STUMPS),
        (r"\b(?:lunch|dinner)\b", PlayState.LUNCH),
        (r"\btea\b", PlayState.TEA),
        (r"\bdrinks\b|time[ -]?out|strategic", PlayState.DRINKS),
        (
            r"\brain|bad light|wet outfield|\bstopped\b|\bdelay|\bcovers\b|\bsuspended\b|\binterrupt|\binspect",
            PlayState.RAIN,
        ),
        (r"\bwon\b|(?<!scores )\btied?\b|\bdrawn?\b|^(?:finished|completed|ended)$", PlayState.ENDED),
        (r"^\^?\d{0,2}\+?(w|wd|wide|nb|b|lb|o|e|ball|ball start|over)?\d{0,2}$", PlayState.PLAY),
    )
)
_VERDICTS = tuple(
    (verdict, re.compile(pattern, re.IGNORECASE))
    for verdict, pattern in (
        ("tie", r"\btied?\b"),
        ("draw", r"\bdrawn?\b"),
        ("won", r"\bwon\b"),
        ("no result", rf"\bno result\b|{_CALLED_OFF}"),
    )
)


def read_play(letter: str, words: str) -> PlayState:
    if letter:
        return PLAY_BY_LETTER.get(letter, PlayState.UNKNOWN)
    text = words[:_WORDS_MAX].strip()
    if not text:
        return PlayState.UNKNOWN
    return next((play for pattern, play in _PLAY_BY_WORDS if pattern.search(text)), PlayState.UNKNOWN)


def read_verdict(words: str) -> str | None:
    """None when the words tell no result: one that nobody told is not made up."""
    text = words[:_WORDS_MAX]
    return next((verdict for verdict, pattern in _VERDICTS if pattern.search(text)), None)


def is_called_off(words: str) -> bool:
    return re.search(_CALLED_OFF, words[:_WORDS_MAX], re.IGNORECASE) is not None


def read_pair(text: str) -> tuple[str, str]:
    first, _, second = text.partition(".")
    if not first or not second or "." in second or len(text) > 2 * CODE_LENGTH_MAX:
        raise MalformedPayloadError(f"The teams {text[:40]!r} are not two codes joined by a dot.")
    return first, second


def read_team_scores(text: str) -> list[tuple[int, int, int, int]]:
    """`234/10(80.1&50/2(10.0` → runs, wickets, whole overs, balls of the current over; nothing for `0/0(0.0` alone."""
    if len(text) > _SCORES_LENGTH_MAX:
        raise MalformedPayloadError(f"The scores {text[:40]!r}… are longer than any match.")
    return [_read_team_score(part) for part in text.split("&") if part.strip()]


def _read_team_score(text: str) -> tuple[int, int, int, int]:
    found = _SCORE.fullmatch(text.strip())
    if not found:
        raise MalformedPayloadError(f"The score {text[:40]!r} does not read like 106/10(31.1.")
    runs, wickets, overs, balls = found.groups(default="0")
    return int(runs), int(wickets), int(overs), int(balls)


def read_total(text: str) -> tuple[int, int, int]:
    """`106/10(187` → runs, wickets, legal balls."""
    found = _TOTAL.fullmatch(text.strip())
    if not found:
        raise MalformedPayloadError(f"The innings total {text[:40]!r} does not read like 106/10(187.")
    runs, wickets, balls = found.groups()
    return int(runs), int(wickets), int(balls)


def read_overs(text: str, legal_balls: int, balls_per_over: int) -> str:
    if not text:
        return f"{legal_balls // balls_per_over}.{legal_balls % balls_per_over}"
    if not _OVERS.fullmatch(text):
        raise MalformedPayloadError(f"The overs {text[:20]!r} do not read like 31.1.")
    return text


def read_extras(text: str | None) -> Extras:
    return _read_extras(text) if text else NO_EXTRAS


@lru_cache(maxsize=2048)
def _read_extras(text: str) -> Extras:
    counts = dict.fromkeys(_EXTRA_NAMES.values(), 0)
    for part in text.split(".", maxsplit=len(_EXTRA_NAMES)):
        found = _EXTRA.fullmatch(part)
        if not found:
            raise MalformedPayloadError(f"The extras {text[:40]!r} do not read like nb1.b4.")
        counts[_EXTRA_NAMES[found[1]]] += int(found[2])
    return Extras(**counts)


def read_batter(text: str) -> BatterFigures | None:
    if not text:
        return None
    code, runs, balls, fours, sixes = _figures(text.removesuffix("*"), "batter")
    return BatterFigures(code, runs, balls, fours, sixes, is_on_strike=text.endswith("*"))


def read_bowler(text: str) -> BowlerFigures | None:
    if not text:
        return None
    code, runs, balls, maidens, wickets = _figures(text, "bowler")
    return BowlerFigures(code, runs, balls, maidens, wickets)


def _figures(text: str, whose: str) -> tuple[str, int, int, int, int]:
    parts = text.split(".")
    if len(parts) < 5 or not all(part.isdecimal() and len(part) <= 5 for part in parts[1:5]):
        raise MalformedPayloadError(f"The {whose}'s figures {text[:40]!r} are not a code and four numbers.")
    return parts[0], int(parts[1]), int(parts[2]), int(parts[3]), int(parts[4])


def read_toss(text: str) -> Toss | None:
    winner, dot, decision = text.partition(".")
    return Toss(winner, decision) if dot else None
