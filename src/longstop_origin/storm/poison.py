"""Live states that contradict themselves: what a broken or a lying site may answer with 200."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec

State = dict[str, Any]
DAY_MILLIS = 24 * 3600 * 1000


def poisoned(body: bytes, chance: Random) -> bytes | None:
    """None when there is nothing in it yet that could contradict anything."""
    state = msgspec.json.decode(body)
    if not state.get("in") or not state.get("rb"):
        return None
    chance.choice(WAYS)(state)
    return msgspec.json.encode(state)


def _other_score(state: State) -> None:
    """The score stands in two places; in one of them it is another now."""
    score = state["in"][0]
    runs, _, rest = score["d"].partition("/")
    score["d"] = f"{int(runs) + 7}/{rest}"


def _strange_team(state: State) -> None:
    state["in"][-1]["c"] = "Q9Q"


def _same_team_twice(state: State) -> None:
    state["a"] = ".".join([state["a"].partition(".")[0]] * 2)


def _over_twice(state: State) -> None:
    state["rb"].append(state["rb"][0])


def _impossible_ball(state: State) -> None:
    _some_ball(state)["r"] = 25


def _nobody_bats(state: State) -> None:
    _some_ball(state)["bf"] = _some_ball(state)["p"] = ""


def _clock_of_tomorrow(state: State) -> None:
    state["ts"] += 2 * DAY_MILLIS


def _more_wickets_than_men(state: State) -> None:
    score = state["in"][-1]
    runs, _, rest = score["d"].partition("/")
    score["d"] = f"{runs}/14{rest.lstrip('0123456789')}"


def _some_ball(state: State) -> State:
    balls: list[State] = next((over["b"] for over in state["rb"] if over["b"]), [{}])
    return balls[0]


WAYS: tuple[Callable[[State], None], ...] = (
    _other_score,
    _strange_team,
    _same_team_twice,
    _over_twice,
    _impossible_ball,
    _nobody_bats,
    _clock_of_tomorrow,
    _more_wickets_than_men,
)


def without_overs(body: bytes, is_forgotten: Callable[[int, int], bool]) -> bytes:
    """The ball feed of a site that has lost some overs for good."""
    feed: Mapping[str, Any] = msgspec.json.decode(body)
    kept = [over for over in feed["rb"] if not is_forgotten(feed["inning"], over["o"])]
    return msgspec.json.encode({**feed, "rb": kept})
