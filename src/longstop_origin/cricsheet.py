"""A Cricsheet JSON file (1.0.0, 1.1.0) as a match script without times; `timing` gives it those.

Keys that are not known are ignored. What contradicts itself is refused; what is merely odd is played as it stands.
"""

import zlib
from pathlib import Path

import msgspec

from longstop_origin.codes import base36
from longstop_origin.cricsheet_checks import check_complete
from longstop_origin.cricsheet_innings import read_innings
from longstop_origin.cricsheet_reading import (
    LARGEST_OVER,
    MOST_BALLS_PER_OVER,
    CricsheetError,
    FieldError,
    Mapping,
    NotJsonError,
    UnreadableFileError,
    count,
    flag,
    listing,
    mapping,
    need_list,
    need_text,
    optional_count,
    optional_mapping,
    optional_text,
    text,
)
from longstop_origin.naming import short_name, slug
from longstop_origin.script import MatchScript, Outcome, ScriptInnings, Team, Toss

__all__ = ["CricsheetError", "load_cricsheet", "parse_cricsheet"]

# The longest Test has less than two. A device or a film that was named by mistake has no end.
FILE_BYTES_MAX = 32 * 1024 * 1024
ORDINALS = {1: "st", 2: "nd", 3: "rd"}
NOT_CRICSHEET = "Give a match file in Cricsheet's JSON format (cricsheet.org/format/json)."


def load_cricsheet(path: Path) -> MatchScript:
    """The script of the match in that file."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnreadableFileError(
            str(path), f"it cannot be read ({reason})", "Check the path and its rights."
        ) from None
    if len(raw) > FILE_BYTES_MAX:
        raise CricsheetError(str(path), f"it is larger than {FILE_BYTES_MAX >> 20} MiB, as no match is", NOT_CRICSHEET)
    return parse_cricsheet(_decoded(raw, str(path)), source=str(path), identity=path.stem)


def parse_cricsheet(document: object, *, source: str = "the document", identity: str = "") -> MatchScript:
    """The script of a decoded file. `identity` names the match: Cricsheet's number, which is the file's name."""
    try:
        return _script(_whole(document), identity or source)
    except FieldError as error:
        raise CricsheetError(source, error.problem, error.hint) from None


def _decoded(raw: bytes, source: str) -> object:
    try:
        return msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotJsonError(source, "it is not JSON", NOT_CRICSHEET) from None


def _whole(document: object) -> Mapping:
    if not isinstance(document, dict):
        raise FieldError("it is JSON, but not an object", NOT_CRICSHEET)
    for name in ("info", "innings"):
        if name not in document:
            raise FieldError(f'it has no "{name}"', NOT_CRICSHEET)
    return document


def _script(document: Mapping, identity: str) -> MatchScript:
    info = mapping(document["info"], "info")
    names = _team_names(info)
    innings = tuple(
        read_innings(raw, number, names) for number, raw in enumerate(listing(document["innings"], "innings"), 1)
    )
    script = _match(info, names, innings, identity)
    check_complete(script)
    return script


def _match(info: Mapping, names: tuple[str, str], innings: tuple[ScriptInnings, ...], identity: str) -> MatchScript:
    event = optional_mapping(info, "event", "info")
    series = optional_text(event, "name", "info.event") or f"{names[0]} v {names[1]}"
    match_name = _match_name(event)
    return MatchScript(
        key=match_key(identity),
        slug=slug(names[0], "vs", names[1], match_name, series),
        format=need_text(info, "match_type", "info"),
        teams=_teams(names),
        innings=innings,
        outcome=_outcome(info, names),
        players=_players(info),
        venue=_venue(info),
        series=series,
        match_name=match_name,
        toss=_toss(info, names),
        overs_limit=optional_count(info, "overs", "info", LARGEST_OVER),
        balls_per_over=_balls_per_over(info),
    )


def match_key(identity: str) -> str:
    """Five letters or more, where those of invented matches have four: the two never meet."""
    number = int(identity) if identity.isdecimal() and len(identity) < 16 else zlib.crc32(identity.encode())
    return "C" + base36(number).rjust(4, "0")


def _team_names(info: Mapping) -> tuple[str, str]:
    teams = [text(name, "info.teams") for name in need_list(info, "teams", "info")]
    if len(teams) != 2 or teams[0] == teams[1]:
        raise FieldError(f"info.teams should name two teams, but names {len(set(teams))}")
    return teams[0], teams[1]


def _teams(names: tuple[str, str]) -> tuple[Team, Team]:
    first, second = short_name(names[0]), short_name(names[1])
    return Team(names[0], first), Team(names[1], second if second != first else f"{second}2")


def _balls_per_over(info: Mapping) -> int:
    balls = optional_count(info, "balls_per_over", "info", MOST_BALLS_PER_OVER)
    if balls == 0:
        raise FieldError("info.balls_per_over is 0")
    return balls or 6


def _match_name(event: Mapping) -> str:
    stage = optional_text(event, "stage", "info.event")
    if stage:
        return stage
    number = event.get("match_number")
    if number is None:
        return ""
    number = count(number, "info.event.match_number")
    suffix = "th" if 10 <= number % 100 <= 20 else ORDINALS.get(number % 10, "th")
    return f"{number}{suffix} Match"


def _venue(info: Mapping) -> str:
    venue, city = optional_text(info, "venue", "info") or "", optional_text(info, "city", "info") or ""
    return venue if not city or city in venue else f"{venue}, {city}".strip(", ")


def _players(info: Mapping) -> dict[str, tuple[str, ...]]:
    squads = optional_mapping(info, "players", "info")
    return {
        team: tuple(text(name, f"info.players of {team}") for name in listing(squad, f"info.players of {team}"))
        for team, squad in squads.items()
    }


def _toss(info: Mapping, names: tuple[str, str]) -> Toss | None:
    raw = optional_mapping(info, "toss", "info")
    if not raw.get("winner") or not raw.get("decision"):
        return None
    winner = need_text(raw, "winner", "info.toss")
    _known_team(winner, names, "info.toss.winner")
    return Toss(winner, need_text(raw, "decision", "info.toss"), flag(raw, "uncontested", "info.toss"))


def _outcome(info: Mapping, names: tuple[str, str]) -> Outcome:
    raw = optional_mapping(info, "outcome", "info")
    by = optional_mapping(raw, "by", "info.outcome")
    outcome = Outcome(
        winner=optional_text(raw, "winner", "info.outcome"),
        by={unit: count(by[unit], f"info.outcome.by.{unit}") for unit in ("innings", "runs", "wickets") if unit in by},
        method=optional_text(raw, "method", "info.outcome"),
        result=optional_text(raw, "result", "info.outcome"),
        eliminator=optional_text(raw, "eliminator", "info.outcome"),
        bowl_out=optional_text(raw, "bowl_out", "info.outcome"),
    )
    for role in ("winner", "eliminator", "bowl_out"):
        _known_team(getattr(outcome, role), names, f"info.outcome.{role}")
    return outcome


def _known_team(name: str | None, names: tuple[str, str], where: str) -> None:
    if name is not None and name not in names:
        raise FieldError(f'{where} is "{name}", but the teams are {names[0]} and {names[1]}')
