"""Answers for rounds and their matches, as they stand at a moment, with the faults of a plan and poison by choice."""

import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from longstop_origin import wire
from longstop_origin.exchange import Reply, Request, error
from longstop_origin.faults import Fault, FaultPlan
from longstop_origin.league.season import FIRST_CLUB, MATCH_SECONDS, Fixture, Season

PREFIXES = ("/tabela/", "/jogo/")
POISONS = ("server error", "not found", "schema", "contradiction", "truncated", "hang", "another match")
# What the plan of faults knows requests by: these names fit to no fault that hides a match for good.
ROUND, MATCH = "round", "report"

_HERE = ZoneInfo("America/Sao_Paulo")
_ROUND_PATH = re.compile(r"/tabela/([^/]+)/fase/([^/]+)/rodada/([0-9]{1,3})/jogos/?")
_MATCH_PATH = re.compile(r"/jogo/([0-9]{1,9})/?")


class LeagueSite:
    """`poison` names what is wrong with single matches, by key, until it is taken away."""

    def __init__(
        self,
        season: Season,
        plan: FaultPlan | None = None,
        hang_seconds: float = 30.0,
        answer_seconds: float = 0.0,
    ) -> None:
        self.season = season
        self.plan = plan or FaultPlan()
        self.poison: dict[int, str] = {}
        self.asked: Counter[str] = Counter()
        self._hang_seconds = hang_seconds
        self._answer_seconds = answer_seconds
        self._clubs: dict[str, int] = {}

    def respond(self, request: Request, now: float) -> Reply:
        self.asked[request.path] += 1
        if found := _ROUND_PATH.fullmatch(request.path):
            return self._faulty(request, ROUND, found[3], now, self._round(int(found[3]), now))
        if found := _MATCH_PATH.fullmatch(request.path):
            return self._poisoned(request, int(found[1]), now)
        return error(404, "no such page")

    def _round(self, number: int, now: float) -> Reply:
        rows = self.season.listed(number)
        if not rows:
            return error(404, "no such round")
        return Reply(200, wire.encode([self._row(fixture, now) for fixture in rows]))

    def _poisoned(self, request: Request, key: int, now: float) -> Reply:
        fixture = self.season.by_key.get(key)
        if fixture is None:
            return error(404, "no such match")
        kind = self.poison.get(key, "")
        if kind == "server error":
            return error(500, "it broke")
        if kind == "not found":
            return error(404, "no such match")
        if kind == "hang":
            return Reply(0, delay_seconds=self._hang_seconds, broken="hang")
        reply = Reply(200, wire.encode(self._spoilt(fixture, kind, now)), delay_seconds=self._answer_seconds)
        if kind == "truncated":
            return Reply(200, reply.body[: len(reply.body) // 2])
        return reply if kind else self._faulty(request, MATCH, str(key), now, reply)

    def _spoilt(self, fixture: Fixture, kind: str, now: float) -> dict[str, Any]:
        told = self._report(fixture, now)
        if kind == "schema":
            told["scorers"] = told.pop("goalsPlayer")
        elif kind == "contradiction":
            told["goals"] = {"home": "9", "away": "9"}
        elif kind == "another match":
            told["id"] = fixture.key + 1
        return told

    def _faulty(self, request: Request, asked: str, key: str, now: float, reply: Reply) -> Reply:
        fault = self.plan.decide(key, self.asked[request.path], asked, now)
        return reply if fault is None else _bent(fault, reply)

    # ---- what is told ----

    def _row(self, fixture: Fixture, now: float) -> dict[str, Any]:
        goals = fixture.report["goals"] if _is_over(fixture, now) else {"home": None, "away": None}
        day, hour = _local(fixture.kicks_off)
        return {
            "id": fixture.key,
            "data_realizacao": f"{day:%Y-%m-%d}T{hour}" if day else None,
            "hora_realizacao": hour or None,
            "placar_oficial_mandante": _number(goals["home"]),
            "placar_oficial_visitante": _number(goals["away"]),
            "placar_penaltis_mandante": None,
            "placar_penaltis_visitante": None,
            "equipes": {"mandante": self._team(fixture.home), "visitante": self._team(fixture.away)},
            "sede": {"nome_popular": fixture.report["stadium"]},
            "transmissao": None,
        }

    def _team(self, name: str) -> dict[str, Any]:
        number = self._clubs.setdefault(name, FIRST_CLUB + len(self._clubs))
        return {"id": number, "nome_popular": name, "sigla": name[:3].upper(), "escudo": ""}

    def _report(self, fixture: Fixture, now: float) -> dict[str, Any]:
        day, hour = _local(fixture.kicks_off)
        told = {
            "id": fixture.key,
            "round": fixture.listed_in,
            "status": _status(fixture, now),
            "date": f"{day:%d/%m/%Y}" if day else None,
            "hour": hour or None,
            **{name: value for name, value in fixture.report.items() if name not in ("date", "hour")},
        }
        return told if _is_over(fixture, now) else told | _nothing_yet()


def _nothing_yet() -> dict[str, Any]:
    return {
        "goals": {"home": "", "away": ""},
        "goalsPlayer": {"home": [], "away": []},
        "cards": {"home": {"yellow": [], "red": []}, "away": {"yellow": [], "red": []}},
        "stats": [],
        "squads": None,
    }


def _status(fixture: Fixture, now: float) -> str:
    if fixture.kicks_off is None:
        return "adiado"
    if now < fixture.kicks_off:
        return "agendado"
    return "encerrado" if _is_over(fixture, now) else "em_andamento"


def _is_over(fixture: Fixture, now: float) -> bool:
    return fixture.kicks_off is not None and now >= fixture.kicks_off + MATCH_SECONDS


def _local(moment: float | None) -> tuple[datetime | None, str]:
    if moment is None:
        return None, ""
    local = datetime.fromtimestamp(moment, UTC).astimezone(_HERE)
    return local, f"{local:%H:%M}"


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def _bent(fault: Fault, reply: Reply) -> Reply:
    """The plan's word about one answer."""
    name = fault.kind
    if name == "latency":
        return Reply(reply.status, reply.body, delay_seconds=fault.delay_seconds, fault=name)
    if name == "hang":
        return Reply(0, delay_seconds=fault.delay_seconds, broken="hang", fault=name)
    if name == "reset":
        return Reply(0, broken="reset", fault=name)
    if name in ("truncated", "malformed"):
        return Reply(200, reply.body[: int(len(reply.body) * fault.share)], fault=name)
    headers = {} if fault.retry_after_seconds is None else {"Retry-After": str(fault.retry_after_seconds)}
    return Reply(fault.status, wire.encode({"error": name}), headers=headers, fault=name)
