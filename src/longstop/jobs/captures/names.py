"""Is this the same team? Told by the words of both names, in steps of certainty.

Accents, case, punctuation and the letters of the kind of club say nothing. What tells a second team from a first (B, 2,
U21, Women) must agree in both names, always: a wrong match is worse than none. A number that belongs to the name
(Schalke 04, 1860, 1. FC) may be left away.
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
_MARKS = {
    "women": "women woman ladies w f fem femenino femenina femeni feminino feminina feminine feminin feminines"
    " femminile frauen dames damer kvinner girls wfc",
    "second": "b ii",
    "third": "c iii",
    "fourth": "iv",
    "reserves": "reserve reserves reserva reservas",
    "youth": "youth academy juvenil primavera colts espoirs",
    "amateurs": "amateur amateurs amateure zondag zaterdag",
} | {word: word for word in ("castilla", "jong", "mestalla", "fabril", "promesas", "futuro", "next")}
_MARK_OF = {word: mark for mark, words in _MARKS.items() for word in words.split()}
_TEAM_NUMBERS = {"2": "second", "3": "third", "4": "fourth"}
_AGES = re.compile(r"\b(?:u|o|sub|under|onder)[\s-]*(\d{2})s?\b")
_AGE = re.compile(r"u\d{2}")
_NUMBER = re.compile(r"\d+")
# Beside the name of another club these are its second team.
_SECOND_TEAMS = frozenset({"atletic", "atletico"})
_SAME_WORDS = {
    "utd": "united",
    "atl": "atletico",
    "ath": "athletic",
    "st": "saint",
    "dep": "deportivo",
    "int": "internacional",
    "bor": "borussia",
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
    if not first or not second or _marks(first) != _marks(second) or _are_other_numbers(first, second):
        return Likeness.NONE
    if _core(first) == _core(second):
        return Likeness.SAME
    shorter, longer = sorted((_core(first), _core(second)), key=len)
    if len(longer) > _WORDS_MAX:
        return Likeness.NONE
    if _are_initials(shorter, longer, max((first, second), key=len)):
        return Likeness.SHORT
    if len(shorter) == len(longer):
        return Likeness.SHORT if _begin_each_other(shorter, longer) else Likeness.NONE
    numbered, other = (first, second) if _core(first) == shorter else (second, first)
    return _as_part(shorter, longer) if _numbers(numbered) <= _numbers(other) else Likeness.NONE


def _as_part(shorter: frozenset[str], longer: frozenset[str]) -> Likeness:
    is_second = bool((longer - shorter) & _SECOND_TEAMS)
    is_some = shorter <= longer and max(map(len, shorter)) > _PREFIX_MIN and not is_second
    return Likeness.PART if is_some else Likeness.NONE


def _words(name: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = _AGES.sub(r" u\1 ", letters.replace("'", "").replace("’", "").replace(".", ""))
    return tuple(_SAME_WORDS.get(word, word) for word in re.findall(r"[^\W_]+", plain))


def _marks(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(mark for place in range(len(words)) if (mark := _mark(words, place)))


def _mark(words: tuple[str, ...], place: int) -> str:
    """A lone number is one of a team behind the name only: 9 de Octubre and 2 de Mayo are called so."""
    word = words[place]
    if word in _TEAM_NUMBERS and place > 0 and words[place + 1 : place + 2] != ("de",):
        return _TEAM_NUMBERS[word]
    return word if _AGE.fullmatch(word) else _MARK_OF.get(word, "")


def _numbers(words: tuple[str, ...]) -> frozenset[str]:
    """Those that belong to the name; that of the first club of a town, 1. FC, says nothing."""
    told = (word for place, word in enumerate(words) if _NUMBER.fullmatch(word) and not _mark(words, place))
    return frozenset(word for word in told if word != "1")


def _are_other_numbers(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Both have some, and none is short for one of the other: 9 and 12 de Octubre are two clubs."""
    left, right = _numbers(first), _numbers(second)
    return bool(left and right) and not any(a.endswith(b) or b.endswith(a) for a in left for b in right)


def _core(words: tuple[str, ...]) -> frozenset[str]:
    """Without the kind of club and the marks; a name that is nothing else stays as it is."""
    told = [word for place, word in enumerate(words) if not _mark(words, place)]
    left = frozenset(word for word in told if not _KINDS_OF_CLUB.fullmatch(word))
    return left or frozenset(told) or frozenset(words)


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
