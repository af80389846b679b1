"""The scoreboard is a claim, the balls are the evidence: do they agree?"""

from collections.abc import Iterable

import msgspec

from longstop.domain.cricket import NO_EXTRAS, Delivery, Extras, InningsScore


class Totals(msgspec.Struct, frozen=True):
    """What the balls of an innings add up to. Penalty runs that came with no ball are not in here."""

    runs: int = 0
    wickets: int = 0
    legal_balls: int = 0
    extras: Extras = NO_EXTRAS

    def plus(self, delivery: Delivery) -> "Totals":
        return self._moved(delivery, 1)

    def minus(self, delivery: Delivery) -> "Totals":
        return self._moved(delivery, -1)

    def _moved(self, delivery: Delivery, sign: int) -> "Totals":
        return Totals(
            runs=self.runs + sign * delivery.runs,
            wickets=self.wickets + sign * delivery.wickets,
            legal_balls=self.legal_balls + sign * delivery.is_legal,
            extras=self.extras if delivery.extras is NO_EXTRAS else _add(self.extras, delivery.extras, sign),
        )


def _add(left: Extras, right: Extras, sign: int) -> Extras:
    return Extras(
        wides=left.wides + sign * right.wides,
        noballs=left.noballs + sign * right.noballs,
        byes=left.byes + sign * right.byes,
        legbyes=left.legbyes + sign * right.legbyes,
        penalty=left.penalty + sign * right.penalty,
    )


def add_up(deliveries: Iterable[Delivery]) -> Totals:
    totals = Totals()
    for delivery in deliveries:
        totals = totals.plus(delivery)
    return totals


class Mismatch(msgspec.Struct, frozen=True):
    """The claim minus the evidence. Positive numbers: something is missing from the ledger."""

    innings: int
    runs: int
    wickets: int
    legal_balls: int

    def describe(self) -> str:
        return f"the scoreboard has {self.runs:+d} runs, {self.wickets:+d} wickets, {self.legal_balls:+d} balls"


def compare(score: InningsScore, totals: Totals) -> Mismatch | None:
    """None when they agree in everything that the scoreboard shows."""
    found = Mismatch(
        innings=score.number,
        runs=score.runs - totals.runs - score.penalty_awarded,
        wickets=score.wickets - totals.wickets,
        legal_balls=0 if score.legal_balls is None else score.legal_balls - totals.legal_balls,
    )
    if found.runs or found.wickets or found.legal_balls or not _same_extras(score, totals):
        return found
    return None


def _same_extras(score: InningsScore, totals: Totals) -> bool:
    if score.extras is None:
        return True
    return score.extras == totals.extras.plus(Extras(penalty=score.penalty_awarded))
