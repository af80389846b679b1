"""From a source's codes to names. A code without a name stays a code; nobody is ever called Unknown."""

import msgspec

from longstop.domain.match import Names


class Team(msgspec.Struct, frozen=True):
    code: str
    name: str
    short_name: str


class Player(msgspec.Struct, frozen=True):
    code: str
    name: str


class NameBook:
    """The names of one source, as they are known now."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def team(self, code: str) -> Team:
        name = self._names.teams.get(code, code)
        return Team(code, name, self._names.teams_short.get(code) or name)

    def team_name(self, code: str | None) -> str | None:
        return None if code is None else self._names.teams.get(code, code)

    def player(self, code: str) -> Player:
        return Player(code, self._names.players.get(code, code))

    def title(self, title: str, teams: tuple[str, str]) -> str:
        """A source that only gives codes is told by the names of its teams."""
        codes = f"{teams[0]} v {teams[1]}"
        if title != codes and not title.startswith(f"{codes},"):
            return title
        return f"{self.team(teams[0]).name} v {self.team(teams[1]).name}{title[len(codes) :]}"

    def series(self, code: str) -> str:
        return self._names.series.get(code, code)
