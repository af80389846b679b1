"""The names of the given scripts and their codes, in both directions."""

from collections.abc import Sequence

from longstop_origin.codes import hashed_codes
from longstop_origin.fixture import MatchCodes
from longstop_origin.script import MatchScript

# Invented players have four letters, invented teams three: these lengths are the other ones.
PLAYER_LENGTHS = (3, 5)
TEAM_LENGTHS = (2, 4)
SERIES_LENGTHS = (3, 5)


class ScriptLibrary:
    """One code book for all scripts of a world: the same name has the same code in all of them."""

    def __init__(self, scripts: Sequence[MatchScript]) -> None:
        shorts = {team.name: team.short for script in scripts for team in script.teams}
        names = {name for script in scripts for name in script.names()}
        self._players = hashed_codes(names, PLAYER_LENGTHS)
        self._teams = hashed_codes(_team_names(scripts), TEAM_LENGTHS)
        self._series = hashed_codes((script.series for script in scripts), SERIES_LENGTHS)
        self.players = {code: name for name, code in self._players.items()}
        self.teams = {code: (name, shorts.get(name, name[:3].upper())) for name, code in self._teams.items()}
        self.series = {code: name for name, code in self._series.items()}

    def codes_of(self, script: MatchScript) -> MatchCodes:
        players = {name: self._players[name] for name in sorted(script.names())}
        teams = {name: self._teams[name] for name in sorted(_team_names([script]))}
        return MatchCodes(players, teams, self._series[script.series])


def _team_names(scripts: Sequence[MatchScript]) -> set[str]:
    """The teams, and what else stands for one in a replacement."""
    found = {team.name for script in scripts for team in script.teams}
    for script in scripts:
        for _, ball in script.keyed_balls():
            found.update(each.team for each in ball.delivery.replacements if each.team)
    return found
