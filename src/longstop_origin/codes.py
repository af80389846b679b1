"""Short codes for names, as the site uses them: base 36, upper case, stable, unique within a world.

Names of scripts are known beforehand and get hashed codes; collisions are settled in the order of the alphabet,
so the same set of names always gets the same codes. Invented names have ordinals and get theirs by arithmetic,
which needs no memory however long a world rolls. The two kinds have different lengths and never meet.
"""

from collections.abc import Iterable
from hashlib import blake2b

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def base36(number: int) -> str:
    """A whole number in base 36, upper case."""
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = ALPHABET[rest] + digits
    return digits or "0"


class OrdinalCodes:
    """Codes of one length for the numbers from 0, spread so that neighbours look nothing alike."""

    FACTOR = 777_769  # No common factor with 36, so the spread is one to one.

    def __init__(self, length: int, offset: int) -> None:
        self.length = length
        self.size: int = 36**length
        self._offset = offset % self.size
        self._inverse: int = pow(self.FACTOR, -1, self.size)

    def code(self, ordinal: int) -> str:
        if not 0 <= ordinal < self.size:
            raise ValueError(f"{ordinal} is beyond the {self.size} codes of {self.length} letters")
        return base36((ordinal * self.FACTOR + self._offset) % self.size).rjust(self.length, "0")

    def ordinal(self, code: str) -> int | None:
        """The number behind a code, None when it is none of these."""
        if len(code) != self.length or any(letter not in ALPHABET for letter in code):
            return None
        return int((int(code, 36) - self._offset) * self._inverse % self.size)


def hashed_codes(names: Iterable[str], lengths: tuple[int, ...]) -> dict[str, str]:
    """A code for each name, of the first length that leaves the codes sparse enough."""
    ordered = sorted(set(names))
    length = next((size for size in lengths if 36**size >= 4 * len(ordered)), lengths[-1])
    taken: set[str] = set()
    codes = {}
    for name in ordered:
        codes[name] = _free_code(name, length, taken)
        taken.add(codes[name])
    return codes


def _free_code(name: str, length: int, taken: set[str]) -> str:
    size = 36**length
    start = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()) % size
    for step in range(size):
        code = base36((start + step) % size).rjust(length, "0")
        if code not in taken:
            return code
    raise ValueError(f"no code of {length} letters is left for {name!r}")
