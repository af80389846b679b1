"""What the site shows of one match at one moment, kept up to date change by change."""

from collections.abc import Iterator

from msgspec import Raw

from longstop_origin import timeline
from longstop_origin.script import BOWLER_KINDS, Delivery, MatchScript, ScriptInnings, Wicket, result_text

STATE_WORDS = {"D": "Drinks", "L": "Lunch", "T": "Tea", "S": "Stumps", "I": "Innings Break", "R": "Rain stopped play"}


class Shown:
    """A ball on show: its content may be revised, its time stays."""

    __slots__ = ("at_seconds", "delivery", "encoded")

    def __init__(self, delivery: Delivery, at_seconds: float) -> None:
        self.delivery, self.at_seconds = delivery, at_seconds
        # As it goes over the wire, once somebody has asked; it is shown many times, and changes hardly ever.
        self.encoded: Raw | None = None

    def revise(self, delivery: Delivery) -> None:
        self.delivery, self.encoded = delivery, None


class InningsBoard:
    """Scores and figures of one innings, as the balls on show add up."""

    def __init__(self, innings: ScriptInnings, balls_per_over: int) -> None:
        self.innings = innings
        self.balls_per_over = balls_per_over
        self.is_closed = False
        self.overs: dict[int, list[Shown]] = {}
        self.clear()

    def clear(self) -> None:
        self.runs = self.penalty = self.innings.penalty_pre
        if self.is_closed:
            self._award_after()
        self.wickets = self.legal_balls = self.wides = self.noballs = self.byes = self.legbyes = 0
        self.batting: dict[str, list[int]] = {}
        self.bowling: dict[str, list[int]] = {}
        self.out: dict[str, tuple[Wicket, str]] = {}
        self.over = -1
        self._legal_in: dict[int, int] = {}
        self._conceded_in: dict[int, int] = {}

    def show(self, over: int, shown: Shown) -> None:
        self.overs.setdefault(over, []).append(shown)
        self._count(over, shown.delivery)

    def revise(self, over: int, position: int, delivery: Delivery | None) -> None:
        """Changes are rare, so everything is added up afresh."""
        balls = self.overs[over]
        if delivery is None:
            del balls[position - 1]
            if not balls:
                del self.overs[over]
        else:
            balls[position - 1].revise(delivery)
        current = self.over
        self.clear()
        for number, each in self.overs.items():
            for shown in each:
                self._count(number, shown.delivery)
        if current in self.overs:
            self.over = current

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._award_after()

    def _award_after(self) -> None:
        self.runs += self.innings.penalty_post
        self.penalty += self.innings.penalty_post

    @property
    def last(self) -> Delivery | None:
        balls = self.overs.get(self.over)
        return balls[-1].delivery if balls else None

    @property
    def legal_in_over(self) -> int:
        return self._legal_in.get(self.over, 0)

    @property
    def is_over_complete(self) -> bool:
        return self.legal_in_over >= self.innings.miscounted.get(self.over, self.balls_per_over)

    @property
    def overs_text(self) -> str:
        """Overs as the board shows them: a miscounted over counts as one."""
        if self.is_over_complete:
            return f"{len(self.overs)}.0"
        return f"{max(len(self.overs) - 1, 0)}.{self.legal_in_over}"

    def _count(self, over: int, delivery: Delivery) -> None:
        self.over = over
        extras = delivery.extras
        self.runs += delivery.runs_batter
        if extras.total:
            self.runs += extras.total
            self.wides += extras.wides
            self.noballs += extras.noballs
            self.byes += extras.byes
            self.legbyes += extras.legbyes
            self.penalty += extras.penalty
        self._count_batting(delivery)
        self._count_bowling(delivery)
        for wicket in delivery.wickets:
            self._count_wicket(wicket, delivery.bowler)

    def _count_batting(self, delivery: Delivery) -> None:
        self.batting.setdefault(delivery.non_striker, [0, 0, 0, 0])
        figures = self.batting.setdefault(delivery.batter, [0, 0, 0, 0])
        runs = delivery.runs_batter
        figures[0] += runs
        figures[1] += not delivery.extras.wides
        if runs == 4 and not delivery.non_boundary:
            figures[2] += 1
        elif runs == 6 and not delivery.non_boundary:
            figures[3] += 1

    def _count_bowling(self, delivery: Delivery) -> None:
        extras = delivery.extras
        figures = self.bowling.setdefault(delivery.bowler, [0, 0, 0, 0])
        conceded = delivery.runs_batter + extras.wides + extras.noballs
        figures[0] += conceded
        over = self.over
        self._conceded_in[over] = self._conceded_in.get(over, 0) + conceded
        if delivery.is_legal:
            self.legal_balls += 1
            figures[1] += 1
            self._legal_in[over] = legal = self._legal_in.get(over, 0) + 1
            if legal == self.balls_per_over and not self._conceded_in[over]:
                figures[2] += 1

    def _count_wicket(self, wicket: Wicket, bowler: str) -> None:
        self.out[wicket.player] = (wicket, bowler)
        self.wickets += wicket.is_counted
        if wicket.kind in BOWLER_KINDS:
            self.bowling[bowler][3] += 1

    def recent_overs(self, count: int) -> list[tuple[int, list[Shown]]]:
        """The current over and those before it, oldest first."""
        return list(self._backwards(count))[::-1]

    def _backwards(self, count: int) -> Iterator[tuple[int, list[Shown]]]:
        for over in reversed(self.overs):
            if count == 0:
                return
            count -= 1
            yield over, self.overs[over]


class MatchBoard:
    """The whole match at `seconds`. It only goes forward; whoever asks for the past makes a new one."""

    def __init__(self, script: MatchScript) -> None:
        self.script = script
        self._changes = timeline.changes_of(script)
        self._applied = 0
        self.seconds = float("-inf")
        self.changed_seconds: float | None = None
        self.state = "N"
        self.announcement = ""
        self.innings: list[InningsBoard] = []
        # Bodies made of this state, by name, each with its version: the same state is encoded once.
        self.bodies: dict[str, tuple[int, bytes]] = {}

    @property
    def version(self) -> int:
        return self._applied + 1

    @property
    def headline(self) -> str:
        """What happened last, in the site's short words."""
        if self.state == "E":
            return result_text(self.script.outcome)
        if self.state in STATE_WORDS:
            return STATE_WORDS[self.state]
        last = self.innings[-1].last if self.innings else None
        return "" if last is None else ball_text(last)

    def advance(self, seconds: float) -> None:
        changes, at = self._changes, self._applied
        while at < len(changes) and changes[at].at_seconds <= seconds:
            self._apply(changes[at])
            at += 1
        if at > self._applied:
            self._applied, self.changed_seconds = at, changes[at - 1].at_seconds
        self.seconds = seconds

    def _apply(self, change: timeline.Change) -> None:
        kind = change.kind
        if kind == timeline.BALL_SHOWN and change.delivery is not None:
            self.innings[change.innings].show(change.over, Shown(change.delivery, change.at_seconds))
        elif kind == timeline.BALL_REVISED:
            self.innings[change.innings].revise(change.over, change.position, change.delivery)
        elif kind == timeline.INNINGS_BEGUN:
            self.innings.append(InningsBoard(self.script.innings[change.innings], self.script.balls_per_over))
        elif kind == timeline.INNINGS_CLOSED:
            self.innings[change.innings].close()
        elif kind == timeline.ANNOUNCED:
            self.announcement = change.text
        else:
            self.state = change.text if kind == timeline.PAUSED else "E" if kind == timeline.ENDED else "P"


def ball_text(delivery: Delivery) -> str:
    """A ball in short: "4", "w", "1wd", "2nb", "1lb"."""
    extras = delivery.extras
    if delivery.wickets_lost:
        return f"{delivery.runs}w" if delivery.runs else "w"
    if extras.wides:
        return f"{extras.wides}wd"
    if extras.noballs:
        return f"{delivery.runs}nb"
    if extras.byes:
        return f"{extras.byes}b"
    return f"{extras.legbyes}lb" if extras.legbyes else str(delivery.runs_batter)
