"""What is wrong with the settings: one fault a sentence, all faults in one error."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from longstop.domain import errors

FAULTS_SHOWN_MAX = 60
NAME_MAX = 64
HINT = "Correct them together and start again; docs/settings.md lists every setting."


class Rank(IntEnum):
    """The layers, weakest first."""

    DEFAULT = 0
    FILE = 1
    ENVIRONMENT = 2
    COMMAND_LINE = 3


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where a value came from."""

    rank: Rank
    name: str = ""
    line: int = 0

    def __str__(self) -> str:
        match self.rank:
            case Rank.DEFAULT:
                return "default"
            case Rank.FILE:
                return f"{_tail(self.name)}:{self.line}" if self.line else _tail(self.name)
            case Rank.ENVIRONMENT:
                return f"environment {self.name}"
            case Rank.COMMAND_LINE:
                return "command line"


DEFAULT = Origin(Rank.DEFAULT)
COMMAND_LINE = Origin(Rank.COMMAND_LINE)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong: where, what, and what to do. `key` is the path of the setting when there is one."""

    origin: Origin
    key: str
    problem: str
    remedy: str

    @property
    def where(self) -> str:
        """Where to look. A variable that spells the path out needs no second naming."""
        spelled = self.key.replace(".", "_").upper()
        if not self.key or (self.origin.rank is Rank.ENVIRONMENT and self.origin.name.endswith(spelled)):
            return str(self.origin)
        return f"{self.origin} ({self.key})" if self.origin.rank is Rank.ENVIRONMENT else f"{self.origin} {self.key}"

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}; {self.remedy}{'?' if self.remedy.startswith('did you mean') else '.'}"


class SettingsError(errors.SettingsError):
    """The settings cannot be used. `faults` holds every reason, sorted by where they are."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        shown = [f"  {fault}" for fault in self.faults[:FAULTS_SHOWN_MAX]]
        if len(self.faults) > FAULTS_SHOWN_MAX:
            shown.append(f"  and {len(self.faults) - FAULTS_SHOWN_MAX} more.")
        count = "One setting cannot" if len(self.faults) == 1 else f"{len(self.faults)} settings cannot"
        super().__init__("\n".join([f"{count} be used:", *shown, ""]), hint=HINT)


def _tail(name: str) -> str:
    """The end of a long path, in plain letters: a file name may hold anything."""
    plain = ascii(name)[1:-1]
    return plain if len(plain) <= NAME_MAX else "..." + plain[-(NAME_MAX - 3) :]
