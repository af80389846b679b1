"""A day of cricket for pictures: matches of every kind and state, ten minutes of it, always the same."""

import random
from datetime import timedelta
from typing import Any

import msgspec

from longstop.domain.cricket import (
    Delivery,
    Dismissal,
    Extras,
    InningsScore,
    InningsState,
    OverReport,
    PlayState,
    Result,
)
from longstop.domain.events import DeliveryRecord, Gap, GapState
from longstop.domain.match import MatchStatus, Names
from longstop.observe import signals as facts
from longstop.observe.signals import troubles
from tests.browser.stage import Site
from tests.unit.serve.world import NOON, World, ball

TEAMS = (
    ("Dunmarrow Rockets", "DUR"),
    ("Port Selwyn Mariners", "PSM"),
    ("Estermark Tides", "EST"),
    ("Lagoona Bay Royals", "LBR"),
    ("Highfell Sentinels", "HFS"),
    ("Coralston Gliders", "COR"),
    ("Marabindi Bears", "MAR"),
    ("Fjordheim Hornets", "FJH"),
    ("Mbelani Kestrels", "MBK"),
    ("Santa Ysolda Monsoons", "SYM"),
    ("Oakhollow Pilots", "OAK"),
    ("Ravikot Otters", "RAV"),
    ("Québrac Cobras", "QUE"),
    ("Tallowgate Thunder", "TAL"),
    ("Saint Aldhelm Wanderers", "SAW"),
    ("Whitcastle Comets", "WHC"),
)
PLAYERS = (
    "Harith Westhorne",
    "Jasper Marsinha",
    "Viraj Calley",
    "Tevin Mardale",
    "Garrick Calkoti",
    "Hamza Wesshire",
    "Tomás Marmani",
    "Ned Narpathi",
    "André Devvane",
    "Mikael Yarmani",
    "Leif Yardale",
    "Oskar Narley",
)
KINDS = ("T20", "ODI", "Test", "T10", "The Hundred", "T20", "ODI", "T20")
SERIES = ("Founders' Trophy", "Saffron Cup", "Harvest Series", "Northern Lights League")
MATCHES = 8
LATE, FAILING, RESTING = 5, 6, 7


class Season:
    def __init__(self) -> None:
        self.site = Site()
        self._chance = random.Random(11)
        self.world.names = Names(
            players={f"P{n}": name for n, name in enumerate(PLAYERS)},
            teams={code: name for name, code in TEAMS},
            teams_short={code: code for _, code in TEAMS},
            series={f"S{n}": name for n, name in enumerate(SERIES)},
        )
        self._list()
        self._play()
        self._tell()

    @property
    def world(self) -> World:
        return self.site.world

    def teams(self, number: int) -> tuple[str, str]:
        return TEAMS[2 * number % 16][1], TEAMS[(2 * number + 1) % 16][1]

    def _list(self) -> None:
        for number in range(MATCHES):
            teams = self.teams(number)
            title = f"{teams[0]} v {teams[1]}, {number + 3}th Match"
            self.world.add(
                f"M{number}",
                teams=teams,
                title=title,
                series=f"S{number % 4}",
                format=KINDS[number],
                venue="The Meadow",
            )
            self._score(number)
        later: dict[str, Any] = {"status": MatchStatus.UPCOMING, "is_watched": False}
        self.world.add(
            "SOON", teams=("TAL", "DUR"), title="TAL v DUR, Final", starts_at=NOON + timedelta(hours=2), **later
        )
        over: dict[str, Any] = {"result": Result("won", "SAW", by_wickets=4), "last_scraper_update": NOON}
        self.world.add(
            "DONE",
            teams=("SAW", "WHC"),
            title="SAW v WHC, 9th Match",
            status=MatchStatus.COMPLETED,
            is_watched=False,
            **over,
        )

    def _over(self, innings: int, over: int, count: int = 6) -> tuple[Delivery, ...]:
        told = []
        for position in range(1, count + 1):
            kind = self._chance.random()
            runs = self._chance.choice((0, 0, 0, 1, 1, 1, 2, 4, 6))
            more: dict[str, Any] = {}
            if kind < 0.06:
                runs, more = 0, {"dismissals": (Dismissal("P1", "caught", ("P9",)),)}
            elif kind < 0.12:
                runs, more = 0, {"extras": self._chance.choice((Extras(wides=1), Extras(legbyes=2), Extras(noballs=1)))}
            bowled = ball(innings, over, position, runs, **more)
            who = {"batter": f"P{position % 7}", "non_striker": f"P{(position + 1) % 7}", "bowler": f"P{7 + over % 5}"}
            told.append(msgspec.structs.replace(bowled, **who))
        return tuple(told)

    def _score(self, number: int) -> None:
        teams = self.teams(number)
        overs = 8 + number
        all_balls = [self._over(2, over) for over in range(overs)] + [self._over(2, overs, 3 + number % 3)]
        flat = [bowled for over in all_balls for bowled in over]
        runs, wickets = sum(bowled.runs for bowled in flat), sum(bowled.wickets for bowled in flat)
        legal = sum(bowled.is_legal for bowled in flat)
        first = InningsScore(1, teams[0], 160 + 7 * number, 6, 120, "20", state=InningsState.CLOSED)
        second = InningsScore(
            2,
            teams[1],
            runs,
            wickets,
            legal,
            f"{legal // 6}.{legal % 6}",
            target_runs=161 + 7 * number,
            target_overs="20",
        )
        match_id = f"crex_M{number}"
        self.world.store.ball_rows[match_id] = [
            DeliveryRecord(match_id, bowled.place, 1, bowled, NOON, NOON, "ab" * 32) for bowled in flat
        ]
        reports = tuple(OverReport(2, over, all_balls[over]) for over in (overs - 1, overs))
        play = PlayState.DRINKS if number == 4 else PlayState.PLAY
        self.world.score(
            f"M{number}", teams=teams, innings=(first, second), overs=reports, play=play, format=KINDS[number]
        )

    def _play(self) -> None:
        """Ten minutes: captures each two or three seconds, but for whom something happens."""
        due = [self._chance.uniform(0, 2.5) for _ in range(MATCHES)]
        now = 0.0
        while now < 600:
            step = min(due) - now
            self.world.clock.advance(max(0.0, step))
            now = min(due)
            number = due.index(now)
            if (
                not (number == LATE and now > 560)
                and not (number == FAILING and now > 420)
                and not (number == RESTING and now > 300)
            ):
                self.world.poll(f"M{number}")
            pause = 9.5 if number == 2 and 200 < now < 320 else self._chance.choice((2.0, 2.5, 2.5, 2.5, 3.0))
            due[number] = now + pause + (14 if self._chance.random() < 0.01 else 0)

    def _tell(self) -> None:
        emit, now = self.world.signals.emit, self.world.clock.now()
        for _ in range(7):
            self.world.fail(f"M{FAILING}", message="The source answered 502 to the state call.")
        emit(
            facts.MatchPaused(
                at=now, match_id=f"crex_M{RESTING}", scraper_id="s", seconds=540, reason="20 errors in a row"
            )
        )
        self.world.open_gap("M3")
        self.world.reject("the board fell from 95 to 12 runs", key="M1")
        emit(
            facts.PaceChanged(
                at=now, match_id="crex_M2", before_seconds=2.5, seconds=2, reason="a match that matters more"
            )
        )
        emit(facts.PaceChanged(at=now, match_id="crex_M4", before_seconds=2.5, seconds=30, reason="a break"))
        emit(
            facts.ScrapersMeasured(
                at=now,
                process_bytes=1,
                browser_bytes=1,
                memory_bytes={f"crex_M{n}": (n + 2) * 700_000 for n in range(6)},
            )
        )
        emit(facts.ResourcesMeasured(at=now, rss_bytes=131 * 1024**2, cpu_percent=2.7, tasks=40, open_files=60))
        emit(
            facts.BrowsersMeasured(
                at=now, pool="plain", browsers=1, contexts=2, pages=3, pids=11, pss_bytes=430 * 1024**2, waiting=0
            )
        )
        emit(facts.BacklogMeasured(at=now))
        self._tell_troubles()

    def _tell_troubles(self) -> None:
        emit, now = self.world.signals.emit, self.world.clock.now()
        stale = facts.AlertRaised(
            at=now - timedelta(seconds=58),
            alert="stale match",
            severity="ERROR",
            match_id=f"crex_M{FAILING}",
            message="The match is overdue for 122 s; its scraper is: restarted.",
            hint="It is restarted by itself. If it stays, look at the match's page and at the source.",
        )
        emit(stale)
        emit(
            troubles.RecoveryBegun(
                at=now - timedelta(seconds=56),
                entry_id="e",
                action="soft_restart",
                subject=f"crex_M{FAILING}",
                trigger="overdue",
            )
        )
        emit(
            troubles.StalenessEnded(
                at=now - timedelta(seconds=40), match_id="crex_M2", kind="overdue", duration_seconds=131
            )
        )
        emit(
            facts.RungChanged(
                at=now - timedelta(seconds=31),
                match_id="crex_M1",
                before="replay",
                after="in_page",
                reason="The state call failed.",
            )
        )
        emit(
            facts.AdminVerbUsed(
                at=now - timedelta(seconds=9),
                verb="restart",
                outcome="done",
                match_id="crex_M0",
                reason="asked for under /admin",
            )
        )

    def break_the_ledger(self) -> None:
        """The board of one match claims more than its balls show."""
        match_id = "crex_M3"
        rows = self.world.store.ball_rows[match_id]
        self.world.store.ball_rows[match_id] = [row for row in rows if row.place.over != 5]
        first = rows[2]
        assert first.delivery is not None
        told_anew = msgspec.structs.replace(first.delivery, runs_batter=6)
        self.world.store.ball_rows[match_id].append(
            msgspec.structs.replace(first, revision=2, delivery=told_anew, captured_at=self.world.clock.now())
        )
        self.world.store.gap_rows[match_id] = [
            Gap(
                match_id,
                "g1",
                2,
                5,
                5,
                GapState.OPEN,
                "the ball feed does not answer",
                self.world.clock.now(),
                missing_balls=6,
                missing_runs=9,
            ),
            Gap(
                match_id,
                "g2",
                2,
                1,
                1,
                GapState.REPAIRED,
                "",
                NOON,
                NOON + timedelta(seconds=4),
                missing_balls=1,
                missing_runs=4,
            ),
        ]
