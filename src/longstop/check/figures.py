"""What one payload shows of an innings in several places: overs and balls, batters, bowler, recent overs, target."""

from collections.abc import Iterator, Sequence

from longstop.domain.cricket import BatterFigures, BowlerFigures, InningsScore, InningsState, OverReport, PlayState
from longstop.domain.observation import Observation

# Umpires miscount: an over of five or of seven stays one over. More than this is no miscount.
BALLS_MISCOUNTED_MAX = 12
ORDINARY_INNINGS_MAX = 4
INNINGS_A_TEAM_MAX = 2
# Between two parts of a payload a ball may have been bowled.
RUNS_OF_LAG_MAX = 20
WICKETS_OF_LAG_MAX = 2
BALLS_OF_LAG_MAX = 20
OVERS_OF_LAG_MAX = 1
# The second wicket ends it.
SUPER_OVER_WICKETS_MAX = 2
# An over of eight shows seven balls before it ends; one of nine nobody has miscounted.
BALLS_OVER_THE_OVER_MAX = 1
# The longest innings there is. One-day matches were of sixty overs once; rain makes them shorter, never longer.
OVERS_BY_FORMAT = {"T10": 10, "T20": 20, "IT20": 20, "T20I": 20, "ODI": 60}
# Some scorers count no ball faced for a no-ball.
RUNS_OFF_NO_BALL_MAX = 18
RUNS_A_BALL_FACED_MAX = 7
# With fewer out than this nobody is the last who stands, and bats alone.
WICKETS_BEFORE_THE_LAST = 5


def reasons(observation: Observation) -> Iterator[str]:
    yield from _order_reasons(observation.innings)
    for score in observation.innings:
        yield from _count_reasons(score, observation.balls_per_over)
    yield from _length_reasons(observation)
    yield from _recent_reasons(observation)
    yield from _people_reasons(observation)


def _order_reasons(innings: tuple[InningsScore, ...]) -> Iterator[str]:
    if [score.number for score in innings] != list(range(1, len(innings) + 1)):
        yield f"its innings are numbered {', '.join(str(score.number) for score in innings)}"
    ordinary = [score for score in innings if not score.is_super_over]
    if len(ordinary) > ORDINARY_INNINGS_MAX:
        yield f"it has {len(ordinary)} innings"
    for team in dict.fromkeys(score.team for score in ordinary):
        turns = sum(score.team == team for score in ordinary)
        if turns > INNINGS_A_TEAM_MAX:
            yield f"{team} bats {turns} times"
    if ordinary and list(innings[: len(ordinary)]) != ordinary:
        yield "a super over comes before an ordinary innings"
    for score in innings[:-1]:
        if score.state is InningsState.LIVE:
            yield f"innings {score.number} is under way, and so is innings {innings[-1].number}"
    if innings and innings[0].target_runs is not None and not innings[0].is_super_over:
        yield f"innings 1 chases {innings[0].target_runs}, and nothing came before it"


def _count_reasons(score: InningsScore, balls_per_over: int) -> Iterator[str]:
    """The balls are counted one by one and in overs."""
    counted = overs_and_balls(score.overs)
    if counted is None or balls_per_over < 1:
        return
    overs, balls = counted
    shown = overs * balls_per_over + balls
    if score.legal_balls is not None and abs(score.legal_balls - shown) > BALLS_MISCOUNTED_MAX:
        yield f"innings {score.number} has {score.legal_balls} balls in {score.overs} overs"
    if balls > balls_per_over + BALLS_OVER_THE_OVER_MAX:
        yield f"innings {score.number} is of {score.overs} overs, and one has {balls_per_over} balls"
    if score.is_super_over and score.wickets > SUPER_OVER_WICKETS_MAX:
        yield f"innings {score.number} is a super over of {score.wickets} wickets"
    if score.target_runs is not None and score.target_runs < 1:
        yield f"innings {score.number} chases {score.target_runs}"


def _length_reasons(observation: Observation) -> Iterator[str]:
    """Of what is played: a match that rain made shorter may have longer innings behind it."""
    longest = OVERS_BY_FORMAT.get(observation.format.upper())
    for each in observation.innings if longest is not None else ():
        if (each.legal_balls or 0) > (longest or 0) * observation.balls_per_over + BALLS_MISCOUNTED_MAX:
            yield f"innings {each.number} has {each.legal_balls} balls, and it is a {observation.format}"
    score, limit = observation.current_innings, observation.overs_limit
    if score is None or score.legal_balls is None or limit is None or not _is_played(observation):
        return
    balls_max = limit * observation.balls_per_over + BALLS_MISCOUNTED_MAX
    if not score.is_super_over and score.legal_balls > balls_max:
        yield f"innings {score.number} has {score.legal_balls} balls, and overs are {limit}"


def _is_played(observation: Observation) -> bool:
    score = observation.current_innings
    return observation.play is PlayState.PLAY and score is not None and score.state is InningsState.LIVE


def overs_and_balls(text: str) -> tuple[int, int] | None:
    whole, _, part = text.partition(".")
    if not (whole.isascii() and whole.isdecimal() and len(whole) <= 4):
        return None
    return int(whole), int(part) if part.isascii() and part.isdecimal() and len(part) <= 2 else 0


def _recent_reasons(observation: Observation) -> Iterator[str]:
    """Recent overs are of the innings they say, and belong to its score."""
    by_number = {score.number: score for score in observation.innings}
    for number in dict.fromkeys(report.innings for report in observation.overs):
        score = by_number.get(number)
        shown = [report for report in observation.overs if report.innings == number]
        if score is None:
            yield f"overs of innings {number} are shown, which has not begun"
            continue
        counted = overs_and_balls(score.overs)
        newest = max(report.over for report in shown if report.deliveries) if any(r.deliveries for r in shown) else 0
        if counted is not None and newest > counted[0] + OVERS_OF_LAG_MAX:
            yield f"over {newest} of innings {number} is shown, and the score is of {score.overs} overs"
        runs = sum(delivery.runs for report in shown for delivery in report.deliveries)
        if runs > score.runs + RUNS_OF_LAG_MAX:
            yield f"the last overs of innings {number} have {runs} runs, and all of it {score.runs}"
        wickets = sum(delivery.wickets for report in shown for delivery in report.deliveries)
        if wickets > score.wickets + WICKETS_OF_LAG_MAX:
            yield f"the last overs of innings {number} have {wickets} wickets, and all of it {score.wickets}"
        yield from _over_length_reasons(shown, observation.balls_per_over)
        if score.wickets < WICKETS_BEFORE_THE_LAST:
            yield from _ends_reasons(shown)


def _over_length_reasons(shown: Sequence[OverReport], balls_per_over: int) -> Iterator[str]:
    """An umpire may miscount by one or two, not by a whole over."""
    for report in shown:
        legal = sum(delivery.is_legal for delivery in report.deliveries)
        if balls_per_over > 0 and legal > 2 * balls_per_over:
            yield f"over {report.over} of innings {report.innings} has {legal} legal balls"


def _ends_reasons(shown: Sequence[OverReport]) -> Iterator[str]:
    for delivery in (delivery for report in shown for delivery in report.deliveries):
        if delivery.batter and delivery.batter == delivery.non_striker:
            yield f"{delivery.batter} bats at both ends at ball {delivery.place}"


def _people_reasons(observation: Observation) -> Iterator[str]:
    """Only while an innings is played: in a break sources show whom they like."""
    score = observation.current_innings
    batting = observation.batting
    for batter in batting:
        yield from _batter_reasons(batter)
    if len({batter.player for batter in batting}) < len(batting):
        yield f"{batting[0].player} bats at both ends"
    if score is None or not _is_played(observation) or not score.legal_balls:
        return
    for batter in batting:
        if batter.balls > score.legal_balls + BALLS_OF_LAG_MAX:
            yield f"batter {batter.player} faced {batter.balls} balls of {score.legal_balls}"
    yield from _crease_reasons(batting, score)
    if observation.bowling is not None:
        yield from _bowler_reasons(observation.bowling, score)
        # At the start of an innings a source may show who bowled last in the one before, and he may bat now.
        if score.legal_balls > BALLS_OF_LAG_MAX and observation.bowling.player in {batter.player for batter in batting}:
            yield f"{observation.bowling.player} bats and bowls"


def _crease_reasons(batting: Sequence[BatterFigures], score: InningsScore) -> Iterator[str]:
    off_the_bat = sum(batter.runs for batter in batting)
    extras = score.extras.total if score.extras is not None else 0
    if off_the_bat > score.runs + RUNS_OF_LAG_MAX:
        yield f"its batters have {off_the_bat} runs of {score.runs}"
    elif off_the_bat + extras > score.runs + RUNS_OF_LAG_MAX:
        yield f"its batters have {off_the_bat} runs of {score.runs}, and {extras} are extras"
    if sum(batter.is_on_strike for batter in batting) > 1:
        yield "both batters are on strike"


def _batter_reasons(batter: BatterFigures) -> Iterator[str]:
    if min(batter.runs, batter.balls, batter.fours, batter.sixes) < 0:
        yield f"batter {batter.player} has a negative count"
    if 4 * batter.fours + 6 * batter.sixes > batter.runs:
        yield f"batter {batter.player} has {batter.runs} runs, {batter.fours} fours and {batter.sixes} sixes"
    if batter.runs > RUNS_OFF_NO_BALL_MAX + RUNS_A_BALL_FACED_MAX * batter.balls:
        yield f"batter {batter.player} has {batter.runs} runs off {batter.balls} balls"


def _bowler_reasons(bowler: BowlerFigures, score: InningsScore) -> Iterator[str]:
    if min(bowler.runs, bowler.balls, bowler.maidens, bowler.wickets) < 0:
        yield f"bowler {bowler.player} has a negative count"
    if bowler.runs > score.runs + RUNS_OF_LAG_MAX:
        yield f"bowler {bowler.player} gave {bowler.runs} runs of {score.runs}"
    if bowler.wickets > score.wickets + 1:
        yield f"bowler {bowler.player} took {bowler.wickets} wickets of {score.wickets}"
