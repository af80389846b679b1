"""Names made from names: addresses and abbreviations."""

import re
import unicodedata


def slug(*parts: str) -> str:
    """The parts as one lower-case address: "usa-vs-uae-32nd-match-cwc-league-2"."""
    plain = unicodedata.normalize("NFKD", " ".join(parts)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower().replace("'", "")).strip("-") or "match"


def short_name(name: str) -> str:
    """Initials of a name of several words, else its first three letters."""
    words = re.findall(r"\w+", name)
    letters = "".join(word[0] for word in words) if len(words) > 1 else name[:3]
    return letters.upper()[:4]
