"""Finds the vendors there are. A vendor is a folder; adding one means adding a line here.

Saved payloads of every vendor can be read. Those that can also be watched stand in a table of their own, and only they
have a name for whoever asks what there is to watch.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from longstop.domain.errors import InputError, UnknownSourceError
from longstop.domain.match import MatchRef
from longstop.sources.brasileirao import BrasileiraoSource
from longstop.sources.contract import Reader, RoundSource, Source
from longstop.sources.crex import CrexSource
from longstop.sources.sofascore import SofascoreReader

WATCHED: dict[str, Callable[[str | None], Source]] = {"crex": CrexSource}
BY_ROUNDS: dict[str, Callable[[str | None], RoundSource]] = {"brasileirao": BrasileiraoSource}
VENDORS: dict[str, Callable[[str | None], Reader]] = {**WATCHED, **BY_ROUNDS, "sofascore": SofascoreReader}
# Captured before kickoff by a service of its own, and not watched.
CAPTURED = frozenset({"sofascore"})

T = TypeVar("T")


def names() -> tuple[str, ...]:
    """The sources that can be watched."""
    return tuple(sorted(WATCHED))


def by_rounds(name: str, base_url: str | None = None) -> RoundSource:
    """A source whose rounds are to be asked for."""
    if name in VENDORS and name not in BY_ROUNDS:
        raise UnknownSourceError(
            f"The source {name} has no rounds.", hint=f"Those that have are: {', '.join(sorted(BY_ROUNDS))}."
        )
    return _find(BY_ROUNDS, name)(base_url)


def create(name: str, base_url: str | None = None) -> Source:
    """A source to be watched."""
    if name in VENDORS and name not in WATCHED:
        raise UnknownSourceError(
            f"The source {name} can be read and not watched yet.", hint=f"Those to watch are: {', '.join(names())}."
        )
    return _find(WATCHED, name)(base_url)


def reader(name: str, base_url: str | None = None) -> Reader:
    """A source whose saved payloads are to be read."""
    return _find(VENDORS, name)(base_url)


def _find(vendors: Mapping[str, T], name: str) -> T:
    try:
        return vendors[name]
    except KeyError:
        raise UnknownSourceError(
            f"There is no source {name[:40]!r}.", hint=f"The sources are: {', '.join(sorted(vendors))}."
        ) from None


def match_for_url(sources: tuple[Source, ...], url: str) -> MatchRef:
    """The first source that knows the shape of this address."""
    for source in sources:
        try:
            return source.match_for_url(url)
        except InputError:
            continue
    known = ", ".join(source.manifest.name for source in sources) or "none"
    raise InputError(f"{url[:120]!r} is a match page of no source.", hint=f"The sources that are switched on: {known}.")
