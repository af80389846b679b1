"""Payloads of the Sofascore-like site for tests, in the shapes of docs/sources/sofascore.md."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import msgspec

from longstop.fetch.snapshot import FetchRequest, Snapshot

NOW = datetime(2026, 5, 24, 18, 0, tzinfo=UTC)
KICKOFF = 1_779_631_200
Item = dict[str, Any]
SCORE_KEYS = ("current", "display", "period1", "period2", "normaltime")
ENDED = {"code": 100, "description": "Ended", "type": "finished"}
STATUSES = {
    "not started": {"code": 0, "description": "Not started", "type": "notstarted"},
    "first half": {"code": 6, "description": "1st half", "type": "inprogress"},
    "half time": {"code": 31, "description": "Halftime", "type": "inprogress"},
    "second half": {"code": 7, "description": "2nd half", "type": "inprogress"},
    "started": {"code": 20, "description": "Started", "type": "inprogress"},
    "extra time": {"code": 41, "description": "1st extra", "type": "inprogress"},
    "penalties": {"code": 50, "description": "Penalties", "type": "inprogress"},
    "ended": ENDED,
    "after extra time": {"code": 110, "description": "AET", "type": "finished"},
    "after penalties": {"code": 120, "description": "AP", "type": "finished"},
    "postponed": {"code": 60, "description": "Postponed", "type": "postponed"},
    "cancelled": {"code": 70, "description": "Canceled", "type": "canceled"},
    "abandoned": {"code": 90, "description": "Abandoned", "type": "canceled"},
    "walkover": {"code": 91, "description": "Walkover", "type": "finished"},
    "awarded": {"code": 100, "description": "Awarded win", "type": "finished"},
    "annulled": {"code": 100, "description": "Annulled", "type": "finished"},
    "interrupted": {"code": 80, "description": "Interrupted", "type": "interrupted"},
    "unheard of": {"code": 777, "description": "Moved to the moon", "type": "elsewhere"},
}


def score(first: int, second: int, **more: int | None) -> Item:
    whole = first + second
    return {**dict(zip(SCORE_KEYS, (whole, whole, first, second, whole), strict=True)), **more}


def event(status: str = "ended", **changes: Any) -> Item:
    """Reds 2-1 Blues, 1-1 at half time."""
    told = {
        "tournament": {
            "name": "League",
            "slug": "league",
            "category": {"sport": {"slug": "football", "id": 1}},
            "id": 1,
        },
        "season": {"name": "League 25/26", "year": "25/26", "id": 61},
        "roundInfo": {"round": 38},
        "customId": "rsP",
        "status": STATUSES[status],
        "winnerCode": 1,
        "homeTeam": {"id": 43, "name": "Reds", "slug": "reds", "type": 0},
        "awayTeam": {"id": 17, "name": "Blues", "slug": "blues", "type": 0},
        "homeScore": score(1, 1),
        "awayScore": score(1, 0),
        "time": {"injuryTime1": 1, "injuryTime2": 4, "currentPeriodStartTimestamp": KICKOFF + 3700},
        "changes": {"changes": ["status.code"], "changeTimestamp": KICKOFF + 6800},
        "id": 12345678,
        "slug": "reds-blues",
        "startTimestamp": KICKOFF,
        "defaultPeriodCount": 2,
        "defaultPeriodLength": 45,
        **changes,
    }
    return {key: value for key, value in told.items() if value is not None}


def player(key: int, name: str = "") -> Item:
    return {"id": key, "name": name or f"Player {key}", "slug": f"player-{key}", "position": "M"}


def period(text: str, minute: int, home: int, away: int, *, is_live: bool = False) -> Item:
    return {
        "text": text,
        "homeScore": home,
        "awayScore": away,
        "isLive": is_live,
        "time": minute,
        "addedTime": 999,
        "timeSeconds": 60 * minute,
        "reversedPeriodTime": 1,
        "periodTimeSeconds": 2700,
        "incidentType": "period",
    }


def timed(kind: str, minute: int, *, is_home: bool = True, added: int | None = None, **more: Any) -> Item:
    end = next(end for end in (45, 90, 105, 120) if minute <= end)
    row = {
        "id": 1000 + minute,
        "time": minute,
        "isHome": is_home,
        "incidentClass": "regular",
        "reversedPeriodTime": end + 1 - minute,
        "incidentType": kind,
        **more,
    }
    return row if added is None else {**row, "addedTime": added}


def goal(minute: int, home: int, away: int, *, is_home: bool, scorer: int = 0, **more: Any) -> Item:
    scored_by = player(scorer or (9 if is_home else 109))
    told = {"id": 5000 + 100 * home + away, "homeScore": home, "awayScore": away, "player": scored_by, **more}
    return timed("goal", minute, is_home=is_home, **told)


def incidents() -> list[Item]:
    """The newest first, as the site shows them: the Reds score two, one of them by a Blue, and the Blues one."""
    return [
        period("FT", 90, 2, 1),
        goal(90, 2, 1, is_home=True, added=3, incidentClass="penalty"),
        {"length": 4, "time": 90, "addedTime": 0, "reversedPeriodTime": 1, "incidentType": "injuryTime"},
        {"incidentType": "card", "incidentClass": "yellow", "time": -5, "benchTime": 88, "isHome": True, "id": 3},
        {"incidentType": "inGamePenalty", "incidentClass": "missed", "isHome": True, "id": 5, "player": player(9)},
        timed("varDecision", 80, is_home=False, incidentClass="goalNotAwarded", player=player(110), confirmed=True),
        timed("card", 75, is_home=False, incidentClass="yellowRed", player=player(104), reason="Foul"),
        timed("substitution", 46, playerIn=player(12), playerOut=player(8), injury=False),
        period("HT", 45, 1, 1),
        goal(45, 1, 1, is_home=True, added=1, scorer=105, incidentClass="ownGoal"),
        {"length": 1, "time": 45, "addedTime": 0, "reversedPeriodTime": 1, "incidentType": "injuryTime"},
        timed("card", 44, incidentClass="yellow", player=player(4)),
        goal(20, 0, 1, is_home=False, assist1=player(107)),
    ]


def squad(first: int, *, has_ratings: bool = True) -> list[Item]:
    rows = []
    for number in range(1, 19):
        row: Item = {
            "player": player(first + number),
            "teamId": 43,
            "shirtNumber": number,
            "jerseyNumber": str(number),
            "position": "G" if number == 1 else "M",
            "substitute": number > 11,
            "statistics": {"minutesPlayed": 90, "rating": 6.8} if number <= 11 and has_ratings else {},
        }
        rows.append({**row, "captain": True} if number == 5 else row)
    return rows


def lineups(**changes: Any) -> Item:
    return {
        "confirmed": True,
        "home": {"players": squad(0), "supportStaff": [], "formation": "4-3-3", "missingPlayers": []},
        "away": {
            "players": squad(100),
            "formation": "3-4-2-1",
            "missingPlayers": [{"player": player(199), "type": "missing", "reason": 1}],
        },
        **changes,
    }


def statistics() -> Item:
    possession = {"name": "Ball possession", "home": "45%", "away": "55%", "homeValue": 45, "awayValue": 55}
    dribbles = {"name": "Dribbles", "home": "12/20 (60%)", "away": "7/9 (78%)", "homeValue": 12, "awayValue": 7}
    groups = [{"groupName": "Possession", "statisticsItems": [possession, dribbles]}]
    return {"statistics": [{"period": period, "groups": deepcopy(groups)} for period in ("ALL", "1ST", "2ND")]}


def snapshot(content: object, *, filed_as: str = "saved.json", purpose: str = "read") -> Snapshot:
    body = content if isinstance(content, bytes) else msgspec.json.encode(content)
    return Snapshot(FetchRequest("sofascore", filed_as, purpose), 200, body, NOW, NOW, rung="file")
