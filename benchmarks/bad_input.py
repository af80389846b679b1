"""What people get wrong, and what they must be told: one sentence and an exit code of its own for each.

The proof runs the figures of the issue; the tests of the command line run all of them.
"""

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import LONGSTOP, own_environment

SECONDS_MAX = 60.0


@dataclass(frozen=True)
class Ended:
    code: int
    said: str
    complained: str

    @property
    def sentence(self) -> str:
        """The first line of the complaint, without our name."""
        return self.complained.removeprefix("longstop: ").partition("\n")[0]

    @property
    def has_traceback(self) -> bool:
        return "Traceback" in self.complained + self.said

    @property
    def is_one_sentence(self) -> bool:
        """Faults of a configuration are listed below their sentence, each on a line of its own."""
        lines = self.complained.strip().splitlines()
        is_list = len(lines) > 1 and all(line.startswith(" ") for line in lines[1:])
        return self.complained.startswith("longstop: ") and (len(lines) == 1 or is_list) and not self.has_traceback


def run(words: tuple[str, ...], folder: Path, *, stdin: bytes = b"") -> Ended:
    done = subprocess.run(
        [str(LONGSTOP), *words],
        cwd=folder,
        env=own_environment(),
        input=stdin,
        capture_output=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass(frozen=True)
class Mistake:
    """`words` are what was typed; `code` and `says` what must come of it."""

    name: str
    words: tuple[str, ...]
    code: int
    says: str


TAKEN = "{port}"
MISTAKES = (
    Mistake("a broken config", ("up", "--config", "broken.yaml"), 78, "cannot be used"),
    Mistake("a file that is not JSON", ("replay", "letter.json"), 65, "not JSON"),
    Mistake("a Cricsheet file with a missing innings", ("replay", "half.json"), 67, "an innings is missing"),
    Mistake("an unknown source", ("read", "crick", "letter.json"), 68, "There is no source 'crick'"),
    Mistake("a port in use", ("up", "--origin", "--set", f"api.port={TAKEN}"), 69, "in use"),
)


def write_bad_files(folder: Path) -> None:
    (folder / "broken.yaml").write_text("api:\n  port: [8000\n", encoding="utf-8")
    (folder / "letter.json").write_text("Dear sir or madam, the match was lovely.\n", encoding="utf-8")
    (folder / "half.json").write_text(json.dumps(half_a_match()), encoding="utf-8")


def half_a_match() -> dict[str, Any]:
    """Won by runs, which needs two innings; it holds one."""
    runs = {"batter": 1, "extras": 0, "total": 1}
    ball = {"batter": "A One", "non_striker": "A Two", "bowler": "B Eleven", "runs": runs}
    return {
        "meta": {"data_version": "1.1.0"},
        "info": {
            "teams": ["Reds", "Blues"],
            "match_type": "T20",
            "overs": 20,
            "balls_per_over": 6,
            "outcome": {"winner": "Reds", "by": {"runs": 3}},
        },
        "innings": [{"team": "Reds", "overs": [{"over": 0, "deliveries": [ball] * 6}]}],
    }


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield int(holder.getsockname()[1])


def make(mistake: Mistake, folder: Path, runner: Callable[..., Ended] = run) -> Ended:
    with taken_port() as port:
        return runner(tuple(word.replace(TAKEN, str(port)) for word in mistake.words), folder)
