"""The innings of a Cricsheet file: overs, deliveries, wickets, replacements."""

from collections.abc import Iterator
from typing import Any

from longstop_origin.cricsheet_reading import (
    LARGEST_OVER,
    FieldError,
    Mapping,
    count,
    flag,
    listing,
    mapping,
    need_count,
    need_list,
    need_mapping,
    need_text,
    optional_count,
    optional_list,
    optional_mapping,
    optional_text,
    text,
)
from longstop_origin.script import NO_EXTRAS, Delivery, Extras, Replacement, ScriptBall, ScriptInnings, Wicket

EXTRA_KINDS = ("wides", "noballs", "byes", "legbyes", "penalty")


def read_innings(raw: object, number: int, teams: tuple[str, str]) -> ScriptInnings:
    where = f"innings {number}"
    innings = mapping(raw, where)
    team = need_text(innings, "team", where)
    if team not in teams:
        raise FieldError(f'{where} is batted by "{team}", but the teams are {teams[0]} and {teams[1]}')
    target = optional_mapping(innings, "target", where)
    penalty = optional_mapping(innings, "penalty_runs", where)
    declared, forfeited = flag(innings, "declared", where), flag(innings, "forfeited", where)
    return ScriptInnings(
        team=team,
        balls=tuple(_balls(innings, where, may_lack_overs=forfeited or declared)),
        super_over=flag(innings, "super_over", where),
        declared=declared,
        forfeited=forfeited,
        absent_hurt=tuple(text(name, f"{where}.absent_hurt") for name in optional_list(innings, "absent_hurt", where)),
        penalty_pre=optional_count(penalty, "pre", f"{where}.penalty_runs") or 0,
        penalty_post=optional_count(penalty, "post", f"{where}.penalty_runs") or 0,
        target_runs=optional_count(target, "runs", f"{where}.target"),
        target_overs=_target_overs(target, where),
        miscounted=_miscounted(optional_mapping(innings, "miscounted_overs", where), where),
    )


def _target_overs(target: Mapping, where: str) -> float | None:
    value = target.get("overs")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1000:
        raise FieldError(f"{where}.target.overs should be a number of overs")
    return value


def _miscounted(raw: Mapping, where: str) -> dict[int, int]:
    """Cricsheet writes the balls as a text or as a number, and may leave them out."""
    found = {}
    for over, details in raw.items():
        balls = details.get("balls") if isinstance(details, dict) else None
        if over.isdecimal() and str(balls).isdecimal():
            found[int(over)] = count(int(str(balls)), f"{where}.miscounted_overs")
    return found


def _balls(innings: Mapping, where: str, *, may_lack_overs: bool) -> Iterator[ScriptBall]:
    if "overs" not in innings and may_lack_overs:
        return
    positions: dict[int, int] = {}
    for index, raw in enumerate(need_list(innings, "overs", where), 1):
        over = mapping(raw, f"{where}, item {index} of its overs")
        number = need_count(over, "over", f"{where}, item {index} of its overs", LARGEST_OVER)
        place = f"{where}, over {number}"
        for raw_delivery in need_list(over, "deliveries", place):
            # An over number that comes again goes on where it stopped, so that no two balls share a place.
            position = positions[number] = positions.get(number, 0) + 1
            yield ScriptBall(number, position, _delivery(raw_delivery, f"{place}, delivery {position}"))


def _delivery(raw: object, where: str) -> Delivery:
    ball = mapping(raw, where)
    runs = need_mapping(ball, "runs", where)
    extras = _extras(ball, where)
    _check_runs(runs, extras, where)
    return Delivery(
        batter=need_text(ball, "batter", where),
        non_striker=need_text(ball, "non_striker", where),
        bowler=need_text(ball, "bowler", where),
        runs_batter=runs["batter"],
        extras=extras,
        wickets=tuple(_wicket(item, where) for item in optional_list(ball, "wickets", where)),
        replacements=tuple(_replacements(optional_mapping(ball, "replacements", where), where)),
        non_boundary=flag(runs, "non_boundary", where),
    )


def _extras(ball: Mapping, where: str) -> Extras:
    raw = optional_mapping(ball, "extras", where)
    if not raw:
        return NO_EXTRAS
    return Extras(*(optional_count(raw, kind, f"{where}.extras") or 0 for kind in EXTRA_KINDS))


def _check_runs(runs: Mapping, extras: Extras, where: str) -> None:
    batter, extra, total = (need_count(runs, name, f"{where}.runs") for name in ("batter", "extras", "total"))
    if total != batter + extra:
        raise FieldError(f"{where}: runs.total is {total}, but batter and extras add up to {batter + extra}")
    if extra != extras.total:
        raise FieldError(f"{where}: runs.extras is {extra}, but its extras add up to {extras.total}")


def _wicket(raw: object, where: str) -> Wicket:
    wicket = mapping(raw, f"{where}.wickets")
    fielders = optional_list(wicket, "fielders", f"{where}.wickets")
    return Wicket(
        player=need_text(wicket, "player_out", f"{where}.wickets"),
        kind=need_text(wicket, "kind", f"{where}.wickets"),
        fielders=tuple(_fielder_names(fielders, f"{where}.wickets.fielders")),
    )


def _fielder_names(fielders: list[Any], where: str) -> Iterator[str]:
    """A substitute may stand there without a name."""
    for raw in fielders:
        name = optional_text(mapping(raw, where), "name", where)
        if name is not None:
            yield name


def _replacements(raw: Mapping, where: str) -> Iterator[Replacement]:
    for scope in ("match", "role"):
        for item in listing(raw.get(scope) or [], f"{where}.replacements.{scope}"):
            yield _replacement(scope, mapping(item, f"{where}.replacements.{scope}"), where)


def _replacement(scope: str, item: Mapping, where: str) -> Replacement:
    place = f"{where}.replacements.{scope}"
    return Replacement(
        scope=scope,
        player_in=need_text(item, "in", place),
        player_out=optional_text(item, "out", place),
        team=optional_text(item, "team", place),
        reason=optional_text(item, "reason", place) or "",
        role=optional_text(item, "role", place),
    )
