"""Is this the same team? Told by the words of both names, in steps of certainty.

Accents, case, punctuation and the letters of the kind of club say nothing. What tells a second team from a first (B,
U21, Women) must agree in both names, always: a wrong match is worse than none.
"""

import re
import unicodedata
from enum import IntEnum
from itertools import permutations

_LETTERS = str.maketrans({"ø": "o", "ß": "ss", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_KINDS_OF_CLUB = re.compile(
    r"fc|cf|sc|ac|afc|cfc|cd|ud|ca|sd|rcd?|ec|se|cr|sv|vfl|vfb|tsv|fk|sk|nk|bk|if|ik|aif|ff|kv|krc|rsc|ssc|as|us|ss|acf"
    r"|cp|gd|club|clube|calcio|fute?bol|football|fussball|kulubu|spor|jk|hsc|osc|ogc|de|da|do|del|of|the|and|\d+"
)
_TELLING = re.compile(
    r"b|ii|iii|iv|u\d{2}|sub\d{2}|women|woman|femenino|feminino|feminine|femeni|frauen|ladies|w|youth"
    r"|reserves?|castilla|primavera|jong|juvenil|academy"
)
_SAME_WORDS = {
    "utd": "united",
    "atl": "atletico",
    "ath": "athletic",
    "st": "saint",
    "dep": "deportivo",
    "int": "internacional",
    "bor": "borussia",
    "woman": "women",
    "ladies": "women",
    "w": "women",
    "munchen": "munich",
    "koln": "cologne",
    "milano": "milan",
    "roma": "rome",
}
_PREFIX_MIN = 3
_INITIALS_MAX = 5
_WORDS_MAX = 8


class Likeness(IntEnum):
    NONE = 0
    PART = 1  # one name is some of the words of the other
    SHORT = 2  # each word of the shorter begins one of the other, or it is its initials
    SAME = 3


def likeness(ours: str, theirs: str) -> Likeness:
    first, second = _words(ours), _words(theirs)
    if not first or not second or _told_apart(first) != _told_apart(second):
        return Likeness.NONE
    if _core(first) == _core(second):
        return Likeness.SAME
    shorter, longer = sorted((_core(first), _core(second)), key=len)
    if not shorter:
        return Likeness.NONE
    if _are_initials(shorter, longer, max((first, second), key=len)):
        return Likeness.SHORT
    if len(shorter) == len(longer):
        return Likeness.SHORT if _begin_each_other(shorter, longer) else Likeness.NONE
    return _as_part(shorter, longer)


def _as_part(shorter: frozenset[str], longer: frozenset[str]) -> Likeness:
    is_some = shorter <= longer and max(map(len, shorter)) > _PREFIX_MIN
    return Likeness.PART if is_some else Likeness.NONE


def _words(name: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.findall(r"[^\W_]+", letters.replace("'", "").replace("’", "").replace(".", ""))
    return tuple(_SAME_WORDS.get(word, word) for word in words[:_WORDS_MAX])


def _told_apart(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for word in words if _TELLING.fullmatch(word))


def _core(words: tuple[str, ...]) -> frozenset[str]:
    """Without the kind of club; a name that is nothing else stays as it is."""
    left = frozenset(word for word in words if not _KINDS_OF_CLUB.fullmatch(word))
    return left or frozenset(words)


def _are_initials(shorter: frozenset[str], longer: frozenset[str], whole: tuple[str, ...]) -> bool:
    if len(shorter) != 1 or len(longer) < 2:
        return False
    word = next(iter(shorter))
    spoken = ("".join(part[0] for part in whole), "".join(part[0] for part in whole if part in longer))
    return 2 <= len(word) <= _INITIALS_MAX and word in spoken


def _begin_each_other(first: frozenset[str], second: frozenset[str]) -> bool:
    """Every word has one in the other name that begins with it, or with which it begins."""
    left, right = sorted(first - second), sorted(second - first)
    if len(left) > 3:
        return False
    return any(all(map(_begins, left, order)) for order in permutations(right))


def _begins(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= _PREFIX_MIN and longer.startswith(shorter)
