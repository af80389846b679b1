"""What the football site asks of callers, and how its answers go wrong: all off unless it is told otherwise."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from longstop_origin.guards import GuardError

Family = Literal["", "event", "lineups", "incidents", "statistics", "list", "all"]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Percent = Annotated[float, Meta(ge=0, le=100)]


class FootballGuards(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Each field by the name it has for people.

    limit          calls a minute for each address; more get 429 with `retry-after`
    ban-after      so many 429s, and the address is banned for `ban` seconds
    challenge      per cent of all requests that meet a challenge instead
    token          how long what a page's script shows with its calls is good for, in seconds
    down           5xx, reset or hang, of every request; with `share` only of some
    slow           seconds that each answer takes longer
    empty, swapped, schema, heavy   which family is empty, of another match, broken, padded by `heavy-kb`
    schema-kind    how it is broken: a field that is needed is renamed, or of another type
    share          per cent of the requests that `down`, `slow`, `empty` and `swapped` hit
    """

    limit: Count | None = None
    retry_after: Count = field(default=30, name="retry-after")
    ban_after: Count | None = field(default=None, name="ban-after")
    ban: Seconds = 900.0
    challenge: Percent = 0.0
    token: Seconds | None = None
    down: Literal["", "500", "502", "503", "reset", "hang"] = ""
    slow: Seconds | None = None
    empty: Family = ""
    swapped: Family = ""
    schema: Family = ""
    schema_kind: Literal["renamed", "retyped"] = field(default="renamed", name="schema-kind")
    heavy: Family = ""
    heavy_kb: Count = field(default=2000, name="heavy-kb")
    share: Percent = 100.0

    @classmethod
    def from_words(cls, words: Iterable[str]) -> "FootballGuards":
        """From `name=value` each."""
        pairs = (word.partition("=") for word in words)
        return cls().changed({name.strip(): value.strip() for name, _, value in pairs})

    def changed(self, values: Mapping[str, object]) -> "FootballGuards":
        """These ones otherwise, the rest as they are; null, false and the empty word take a guard away."""
        known = {each.encode_name for each in msgspec.structs.fields(FootballGuards)}
        for name in values:
            if name not in known:
                raise GuardError(f"There is no guard {name[:40]!r}. Choose from {', '.join(sorted(known))}.")
        given = {name: value for name, value in values.items() if value not in (None, False, "")}
        kept = {name: value for name, value in self.shown().items() if name not in values}
        try:
            return msgspec.convert({**kept, **given}, FootballGuards, strict=False)
        except msgspec.ValidationError as error:
            raise GuardError(f"That is no such guard: {error}. See `longstop origin-football --help`.") from error

    def shown(self) -> dict[str, Any]:
        """Those that are on, by name."""
        return dict(msgspec.to_builtins(self))


def hits(family: str, kind: str) -> bool:
    """Whether a guard for a family is meant for a request of this kind. Lists are one family."""
    return family != "" and (family in (kind, "all") or (family == "list" and kind == "live"))
