"""A payload of the site, of whichever kind: what is it, and what does it say?"""

from typing import Any, TypeVar

import msgspec

from longstop.domain.errors import ErrorAnswerError, ForeignPayloadError, SchemaBreakError
from longstop.domain.football import MatchReport, Phase
from longstop.fetch.snapshot import Snapshot
from longstop.sources.brasileirao import parser, shapes
from longstop.sources.contract import Reading

T = TypeVar("T")

_ROW_MARKS = frozenset({"equipes", "data_realizacao", "placar_oficial_mandante", "placar_oficial_visitante", "sede"})
_MATCH_MARKS = frozenset({"clubs", "goals", "goalsPlayer", "cards", "stats", "formation"})
_MARKS_MIN = 3


def read(snapshot: Snapshot) -> Reading:
    content = parser.decoded(snapshot.body)
    if is_round(content):
        return _read_round(content, "round")
    if isinstance(content, dict) and is_round(content.get("lista_jogos")):
        return _read_round(content["lista_jogos"], "table")
    if is_match(content):
        return Reading("match", football=_report_of(content), schema=parser.MATCH_SCHEMA)
    if _is_season(content):
        return _read_season(content)
    require_no_error(content)
    raise ForeignPayloadError("It is none of the answers of this site: no round, no table, no match.")


def _read_round(rows: Any, kind: str) -> Reading:
    events = parser.read_round(converted(rows, tuple[shapes.RoundRow, ...], parser.ROUND_SCHEMA))
    return Reading(kind, football=MatchReport(events=events), schema=parser.ROUND_SCHEMA)


def _report_of(content: Any) -> MatchReport:
    """Told by the site itself it says which match it is; kept by somebody else it is one that was played."""
    if "id" in content:
        answer = answer_of(content)
        return parser.read_match(answer, str(answer.id), parser.phase_of(answer.status))
    body = converted(content, shapes.MatchBody, parser.MATCH_SCHEMA)
    return parser.read_match(body, "saved", Phase.FINISHED)


def _read_season(content: Any) -> Reading:
    """Every match of a season in one file, by round."""
    events = []
    for number, rows in content.items():
        for place, row in enumerate(rows, start=1):
            body = converted(row, shapes.MatchBody, parser.MATCH_SCHEMA)
            event = parser.read_match(body, f"{number}-{place}", Phase.FINISHED).event
            events += [event] if event else []
    return Reading("season", football=MatchReport(events=tuple(events)), schema=parser.MATCH_SCHEMA)


def round_of(snapshot: Snapshot) -> tuple[shapes.RoundRow, ...]:
    content = parser.decoded(snapshot.body)
    require_no_error(content)
    if isinstance(content, dict) and "lista_jogos" in content:
        content = content["lista_jogos"]
    if not isinstance(content, list):
        raise SchemaBreakError(
            f"It breaks {parser.ROUND_SCHEMA}: no list of matches.", contract=parser.ROUND_SCHEMA, missing=("[0]",)
        )
    return converted(content, tuple[shapes.RoundRow, ...], parser.ROUND_SCHEMA)


def answer_of(content: Any) -> shapes.MatchAnswer:
    return converted(content, shapes.MatchAnswer, parser.MATCH_SCHEMA)


def is_round(content: object) -> bool:
    rows = content if isinstance(content, list) else []
    return bool(rows) and all(_has(row, _ROW_MARKS) for row in rows[:20])


def is_match(content: object) -> bool:
    return _has(content, _MATCH_MARKS)


def _is_season(content: object) -> bool:
    if not isinstance(content, dict) or not content or not all(name.isdigit() for name in content):
        return False
    return all(isinstance(rows, list) and all(map(is_match, rows)) for rows in content.values())


def _has(row: object, marks: frozenset[str]) -> bool:
    return isinstance(row, dict) and len(row.keys() & marks) >= _MARKS_MIN


def require_no_error(content: object) -> None:
    if not isinstance(content, dict) or not content.keys() & {"error", "erro"}:
        return
    told = content.get("error", content.get("erro"))
    words = told.get("message", "") if isinstance(told, dict) else told
    raise ErrorAnswerError(f"The answer is an error: {str(words)[:80]!r}.")


def converted(content: object, shape: type[T], contract: str) -> T:
    try:
        return msgspec.convert(content, shape)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        wrong = str(error)
        path = wrong.partition("`$")[2].partition("`")[0].lstrip(".") or wrong[:80]
        is_missing = "missing required field" in wrong
        raise SchemaBreakError(
            f"It breaks {contract}: {wrong[:160]}.",
            contract=contract,
            missing=(_missing_of(wrong, path),) if is_missing else (),
            wrong=() if is_missing else (path,),
        ) from error


def _missing_of(text: str, path: str) -> str:
    name = text.partition("missing required field `")[2].partition("`")[0]
    return f"{path}.{name}" if " - at " in text else name
