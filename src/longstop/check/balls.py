"""What the laws of cricket let no ball be, however it is corrected.

What a review may show half done is left alone: a catch off what was called wide, a wicket off what is found a no-ball.
"""

from collections.abc import Iterator

from longstop.domain.cricket import Delivery

RUNS_A_BALL_MAX = 20
# Each of them is the striker's. Run out, timed out and retired need not be of the two who bat.
_OF_WHO_BATS = frozenset({"bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"})
_NEVER_OFF_A_WIDE = frozenset({"bowled", "lbw"})


def reasons(delivery: Delivery) -> Iterator[str]:
    if delivery.runs_batter < 0 or delivery.runs > RUNS_A_BALL_MAX:
        yield f"ball {delivery.place} has {delivery.runs} runs"
    if not delivery.batter or not delivery.bowler:
        yield f"ball {delivery.place} has no batter or no bowler"
    elif delivery.bowler in (delivery.batter, delivery.non_striker):
        yield f"ball {delivery.place} is bowled by {delivery.bowler}, who bats"
    yield from _extras_reasons(delivery)
    if delivery.dismissals:
        yield from _dismissal_reasons(delivery)


def _extras_reasons(delivery: Delivery) -> Iterator[str]:
    """A no-ball is no wide, and all runs off a wide are wides; a ball that was hit gives no byes."""
    extras, off_the_bat = delivery.extras, delivery.runs_batter
    ran = extras.byes + extras.legbyes
    if extras.wides and (extras.noballs or ran or off_the_bat):
        yield f"ball {delivery.place} is a wide, and more than that"
    if off_the_bat and ran:
        yield f"ball {delivery.place} has {off_the_bat} runs off the bat and {ran} byes"
    if extras.byes and extras.legbyes:
        yield f"ball {delivery.place} has byes and leg byes"


def _dismissal_reasons(delivery: Delivery) -> Iterator[str]:
    players = [dismissal.player for dismissal in delivery.dismissals]
    if len(set(players)) < len(players):
        yield f"{players[0]} is out more than once at ball {delivery.place}"
    for dismissal in delivery.dismissals:
        if dismissal.kind in _OF_WHO_BATS and dismissal.player not in (delivery.batter, delivery.non_striker):
            yield f"{dismissal.player} is {dismissal.kind} at ball {delivery.place} and does not bat"
        if delivery.extras.wides and dismissal.kind in _NEVER_OFF_A_WIDE:
            yield f"{dismissal.player} is {dismissal.kind} off a wide at ball {delivery.place}"
