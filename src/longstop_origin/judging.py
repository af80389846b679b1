"""The whole verdict on one match: the balls, their history, the innings and the result, held against the truth."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from longstop_origin.fixture import Fixture
from longstop_origin.oracle import Counts, InningsTruth, MatchTruth, compare, never_shown, truth_of, versions_of

INNINGS_FACTS = (
    "team",
    "runs",
    "wickets",
    "legal_balls",
    "overs",
    "extras",
    "penalty_pre",
    "penalty_post",
    "super_over",
    "declared",
    "forfeited",
)


class Account(Struct, frozen=True):
    """What somebody kept of a match: the valid balls, every content ever stored, the innings, the result."""

    balls: Sequence[Mapping[str, Any]] = ()
    history: Sequence[Mapping[str, Any]] = ()
    innings: Sequence[Mapping[str, Any]] = ()
    result: Mapping[str, Any] | None = None


class Verdict(Struct, frozen=True):
    """`faults` says in words what the numbers do not: an innings or a result that is not as it was."""

    counts: Counts
    faults: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return self.counts.is_clean and not self.faults


def judge(fixture: Fixture, at: float, account: Account) -> Verdict:
    truth = truth_of(fixture, at)
    counts = compare(truth.balls, account.balls)
    invented = never_shown(versions_of(fixture, at), account.history)
    faults = [*_innings_faults(truth, account), *_result_faults(truth, account, fixture)]
    faults += [f"a content of ball {place} that was never shown" for place in invented[:10]]
    return Verdict(Counts(**{**counts.to_dict(), "unexpected": counts.unexpected + len(invented)}), faults)


def _innings_faults(truth: MatchTruth, account: Account) -> Iterator[str]:
    if len(truth.innings) != len(account.innings):
        yield f"{len(account.innings)} innings are kept of {len(truth.innings)}"
    for true, kept in zip(truth.innings, account.innings, strict=False):
        for fact in INNINGS_FACTS:
            if kept.get(fact) != _fact(true, fact):
                yield f"innings {true.number}: {fact} is {kept.get(fact)!r}, and was {_fact(true, fact)!r}"


def _fact(true: InningsTruth, fact: str) -> Any:
    return getattr(true, fact)


def _result_faults(truth: MatchTruth, account: Account, fixture: Fixture) -> Iterator[str]:
    expected = None if truth.result is None else _with_codes(truth.result, fixture.codes.teams)
    if expected != account.result:
        yield f"the result is {account.result!r}, and was {expected!r}"


def _with_codes(result: Mapping[str, Any], codes: Mapping[str, str]) -> dict[str, Any]:
    named = ("winner", "eliminator", "bowl_out")
    return {name: codes[value] if name in named else value for name, value in result.items()}
