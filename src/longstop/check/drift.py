"""Does a source's page still look as it did? Counts which of the fallback selectors found each field.

A site that is rebuilt seldom breaks at once: first the usual selector finds nothing, and one behind it still does. That
is the time to mend the list.
"""

from collections import Counter, deque
from collections.abc import Mapping

PAGES = 20


class SelectorDrift:
    """`matched` is by field the place of the selector that helped; 0 is the usual one."""

    def __init__(self, pages: int = PAGES) -> None:
        self._pages = pages
        self._recent: dict[str, deque[dict[str, int]]] = {}
        self._counts: Counter[tuple[str, str, int]] = Counter()

    def note(self, source: str, matched: Mapping[str, int]) -> None:
        """One page that was read."""
        self._recent.setdefault(source, deque(maxlen=self._pages)).append(dict(matched))
        self._counts.update((source, field, index) for field, index in matched.items())

    def counts(self, source: str) -> dict[str, dict[int, int]]:
        """By field, how many pages each selector has helped with."""
        found: dict[str, dict[int, int]] = {}
        for (owner, field, index), pages in sorted(self._counts.items()):
            if owner == source:
                found.setdefault(field, {})[index] = pages
        return found

    def is_drifting(self, source: str, field: str) -> bool:
        """The usual selector found nothing in the last pages, while a later one did. Too few pages tell nothing."""
        pages = self._recent.get(source, ())
        places = [matched.get(field) for matched in pages]
        return len(places) >= self._pages and 0 not in places and any(place is not None for place in places)

    def drifting(self, source: str) -> tuple[str, ...]:
        """The fields whose selectors need a look."""
        return tuple(field for field in self.counts(source) if self.is_drifting(source, field))
