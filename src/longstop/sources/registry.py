"""Finds the vendors there are. A vendor is a folder; adding one means adding a line here."""

from collections.abc import Callable

from longstop.domain.errors import InputError, UnknownSourceError
from longstop.domain.match import MatchRef
from longstop.sources.contract import Source
from longstop.sources.crex import CrexSource

VENDORS: dict[str, Callable[[str | None], Source]] = {"crex": CrexSource}


def names() -> tuple[str, ...]:
    return tuple(sorted(VENDORS))


def create(name: str, base_url: str | None = None) -> Source:
    try:
        vendor = VENDORS[name]
    except KeyError:
        raise UnknownSourceError(
            f"There is no source {name[:40]!r}.", hint=f"The sources are: {', '.join(names())}."
        ) from None
    return vendor(base_url)


def match_for_url(sources: tuple[Source, ...], url: str) -> MatchRef:
    """The first source that knows the shape of this address."""
    for source in sources:
        try:
            return source.match_for_url(url)
        except InputError:
            continue
    known = ", ".join(source.manifest.name for source in sources) or "none"
    raise InputError(f"{url[:120]!r} is a match page of no source.", hint=f"The sources that are switched on: {known}.")
