"""The script as a row of changes: everything that alters what the site shows, in the order of time."""

from typing import NamedTuple

from longstop_origin.script import Delivery, MatchScript

# Changes at the same second happen in this order.
STARTED, PAUSED, RESUMED, ANNOUNCED, INNINGS_BEGUN, BALL_SHOWN, BALL_REVISED, INNINGS_CLOSED, ENDED = range(9)


class Change(NamedTuple):
    """`innings` counts from 0. What else is set depends on the kind."""

    at_seconds: float
    kind: int
    innings: int = 0
    over: int = 0
    position: int = 0
    delivery: Delivery | None = None
    text: str = ""


def changes_of(script: MatchScript) -> list[Change]:
    """All changes of the match, earliest first."""
    changes = [Change(0.0, STARTED), Change(script.end_seconds, ENDED)]
    for number in range(len(script.innings)):
        changes += _innings_changes(script, number)
    for span in script.spans:
        changes.append(Change(span.from_seconds, PAUSED, text=span.state))
        changes.append(Change(span.to_seconds, RESUMED))
    changes += [Change(each.at_seconds, ANNOUNCED, text=each.text) for each in script.announcements]
    changes.sort(key=_order)
    return changes


def _innings_changes(script: MatchScript, number: int) -> list[Change]:
    innings = script.innings[number]
    changes = [Change(innings.begins_seconds, INNINGS_BEGUN, number)]
    for ball in innings.balls:
        place = (number, ball.over, ball.position)
        changes.append(Change(ball.at_seconds, BALL_SHOWN, *place, ball.delivery))
        changes += [Change(each.at_seconds, BALL_REVISED, *place, each.delivery) for each in ball.revisions]
    changes.append(Change(innings.closes_seconds, INNINGS_CLOSED, number))
    return changes


def _order(change: Change) -> tuple[float, int]:
    return change.at_seconds, change.kind
