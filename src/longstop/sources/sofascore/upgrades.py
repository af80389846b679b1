"""From one version of the normalised payload to the next, so that what was stored years ago can still be read.

What is written is `normalized.NORMALIZED`. A row keeps the version it was written in; whoever wants a newer one asks
for it, and is led there step by step.
"""

from collections.abc import Callable, Mapping
from typing import Any

from longstop.domain.errors import InputError
from longstop.sources.sofascore.normalized import NORMALIZED

Payload = dict[str, Any]
Step = tuple[str, Callable[[Payload], Payload]]

V1 = "sofascore.event.v1"
V2 = "sofascore.event.v2"


def _one_list_of_players(payload: Payload) -> Payload:
    """Version 2 has one list for each side, each player with a role, in place of a list for each role."""
    lineups = payload["lineups"]
    return payload | {"lineups": lineups | {side: _with_roles(lineups[side]) for side in ("home", "away")}}


def _with_roles(sheet: Payload | None) -> Payload | None:
    if sheet is None:
        return None
    lists = (("xi", "starter"), ("bench", "substitute"))
    players = [player | {"role": role} for name, role in lists for player in sheet[name]]
    return {"formation": sheet["formation"], "players": players, "missing": sheet["missing"]}


def upgraded_sheet(sheet: Payload, version: str, wanted: str) -> Payload:
    """One side of a stored payload."""
    whole = upgraded({"lineups": {"confirmed": False, "home": sheet, "away": None}}, version, wanted)
    home: Payload = whole["lineups"]["home"]
    return home


STEPS: Mapping[str, Step] = {V1: (V2, _one_list_of_players)}
NEWEST = V2


def upgraded(payload: Payload, version: str = NORMALIZED, wanted: str = NEWEST) -> Payload:
    """The same payload in the version that is wanted. It is not changed itself; there is no way back."""
    while version != wanted:
        if version not in STEPS:
            raise InputError(
                f"There is no way from {version[:40]!r} to {wanted[:40]!r}.",
                hint=f"Versions are upgraded one by one, up to {NEWEST}; none is taken back.",
            )
        version, step = STEPS[version]
        payload = step(payload)
    return payload
