"""Invents whole matches from a seed: believable cricket whose result follows from its balls."""

from random import Random

from longstop_origin.chances import FORMATS
from longstop_origin.invented import InventedTeam, Pairing
from longstop_origin.model_innings import Side
from longstop_origin.model_limited import LimitedMatch
from longstop_origin.model_multiday import MultiDayMatch
from longstop_origin.naming import slug
from longstop_origin.script import MatchScript, Team, Toss


def invent_match(pairing: Pairing, format_name: str, rng: Random) -> MatchScript:
    """A match without times and without a key; the world gives it both."""
    match_format = FORMATS[format_name]
    home, guest = (_side(team, rng) for team in pairing.teams)
    toss = Toss(rng.choice((home, guest)).name, rng.choice(("bat", "field")))
    first, second = (home, guest) if (toss.winner == home.name) == (toss.decision == "bat") else (guest, home)
    kind = MultiDayMatch if match_format.overs is None else LimitedMatch
    played = kind(match_format, first, second, rng)
    innings, outcome = played.play()
    return MatchScript(
        key="",
        slug=slug(home.name, "vs", guest.name, pairing.match_name, pairing.series),
        format=format_name,
        teams=_teams(pairing),
        innings=innings,
        outcome=outcome,
        players={side.name: (*side.order, *_substitutes(side)) for side in (home, guest)},
        venue=pairing.venue,
        series=pairing.series,
        match_name=pairing.match_name,
        toss=toss,
        overs_limit=match_format.overs,
        balls_per_over=match_format.balls_per_over,
    )


def _teams(pairing: Pairing) -> tuple[Team, Team]:
    home, guest = pairing.teams
    short = guest.short if guest.short != home.short else f"{guest.short}2"
    return Team(home.name, home.short), Team(guest.name, short)


def _substitutes(side: Side) -> tuple[str, ...]:
    return side.bench[:1]


def _side(team: InventedTeam, rng: Random) -> Side:
    """Eleven of fifteen: four batters, a keeper, two all-rounders, four bowlers; one batter bowls a little."""
    squad = team.squad
    batters = [squad[place] for place in sorted(rng.sample(range(6), 4))]
    bowlers = [squad[place] for place in sorted(rng.sample(range(9, 15), 4))]
    keeper, all_rounders = squad[6], [squad[7], squad[8]]
    order = (*batters, keeper, *all_rounders, *bowlers)
    return Side(
        name=team.name,
        order=order,
        keeper=keeper,
        bowlers=(*bowlers, *all_rounders, batters[-1]),
        bench=tuple(name for name in squad if name not in order),
        form=rng.choice((-1, 0, 0, 0, 1)),
    )
