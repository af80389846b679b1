from datetime import timedelta
from typing import Any

import msgspec
import pytest

from longstop.domain.cricket import (
    KINDS_WITHOUT_WICKET,
    NO_EXTRAS,
    Delivery,
    Dismissal,
    Extras,
    InningsScore,
    Place,
    PlayState,
)
from tests.cricket import NOON, ball, observed


def test_places_stand_in_the_order_in_which_balls_are_bowled() -> None:
    shuffled = [Place(2, 0, 1), Place(1, 10, 1), Place(1, 0, 2), Place(1, 9, 6), Place(1, 0, 1)]
    assert list(map(str, sorted(shuffled))) == ["1.0.1", "1.0.2", "1.9.6", "1.10.1", "2.0.1"]


def test_a_place_reads_like_innings_over_and_position() -> None:
    assert str(Place(2, 14, 3)) == "2.14.3"


def test_equal_places_are_one_key_and_different_ones_are_not() -> None:
    places = {Place(innings, over, position) for innings in (1, 2) for over in range(60) for position in range(1, 12)}
    assert len(places) == 2 * 60 * 11
    assert Place(1, 5, 3) in places
    assert hash(Place(1, 5, 3)) == hash(Place(1, 5, 3))


def test_a_place_of_any_size_still_hashes() -> None:
    assert isinstance(hash(Place(10**30, -5, 10**40)), int)


def test_extras_add_up_kind_by_kind() -> None:
    one = Extras(wides=1, noballs=2, byes=3, legbyes=4, penalty=5)
    assert one.total == 15
    assert one.plus(one) == Extras(wides=2, noballs=4, byes=6, legbyes=8, penalty=10)
    assert one.plus(NO_EXTRAS) == one


@pytest.mark.parametrize(
    ("extras", "is_legal"),
    [
        (NO_EXTRAS, True),
        (Extras(byes=1), True),
        (Extras(legbyes=4), True),
        (Extras(penalty=5), True),
        (Extras(wides=1), False),
        (Extras(noballs=1), False),
        (Extras(noballs=1, byes=2), False),
    ],
)
def test_only_wides_and_no_balls_are_not_counted_in_the_over(extras: Extras, is_legal: bool) -> None:
    assert ball(1, 0, 1, extras=extras).is_legal is is_legal


def test_the_runs_of_a_ball_are_those_off_the_bat_and_all_extras() -> None:
    assert ball(1, 0, 1, 4, extras=Extras(noballs=1, penalty=5)).runs == 10


@pytest.mark.parametrize("kind", sorted(KINDS_WITHOUT_WICKET))
def test_leaving_hurt_or_by_leave_costs_no_wicket(kind: str) -> None:
    assert ball(1, 0, 1, out=kind).wickets == 0


@pytest.mark.parametrize(
    "kind",
    ["bowled", "caught", "lbw", "run out", "stumped", "hit wicket", "retired out", "timed out", "caught and bowled"],
)
def test_every_other_way_out_costs_a_wicket(kind: str) -> None:
    assert ball(1, 0, 1, out=kind).wickets == 1


def test_two_wickets_may_fall_on_one_ball() -> None:
    both = (Dismissal("B1", "caught", ("W3",)), Dismissal("B2", "run out"), Dismissal("B3", "retired hurt"))
    assert msgspec.structs.replace(ball(1, 0, 1), dismissals=both).wickets == 2


def test_a_ball_stamped_again_says_the_same() -> None:
    one = ball(1, 0, 1, 4)
    later = msgspec.structs.replace(one, bowled_at=NOON + timedelta(days=1))
    assert one.says_the_same_as(later)
    assert one.says_the_same_as(msgspec.structs.replace(one, bowled_at=None))
    assert one != later


def other_contents() -> dict[str, Delivery]:
    one = ball(1, 0, 1, 4)
    changed: dict[str, dict[str, Any]] = {
        "runs": {"runs_batter": 6},
        "batter": {"batter": "B9"},
        "bowler": {"bowler": "W9"},
        "non_striker": {"non_striker": "B9"},
        "extras": {"extras": Extras(byes=1)},
        "dismissals": {"dismissals": (Dismissal("B1", "lbw"),)},
        "boundary": {"is_non_boundary": True},
        "place": {"place": Place(1, 0, 2)},
    }
    return {name: msgspec.structs.replace(one, **values) for name, values in changed.items()}


@pytest.mark.parametrize("name", other_contents())
def test_a_ball_with_any_other_content_does_not_say_the_same(name: str) -> None:
    assert not ball(1, 0, 1, 4).says_the_same_as(other_contents()[name])


def test_a_ball_cannot_be_changed_after_it_was_read() -> None:
    with pytest.raises(AttributeError):
        ball(1, 0, 1).runs_batter = 6  # type: ignore[misc]  # that is what is tried


def test_penalty_runs_before_and_after_the_innings_count_together() -> None:
    assert InningsScore(1, "CD", 100, 3, penalty_before=5, penalty_after=10).penalty_awarded == 15


@pytest.mark.req("A5")
def test_only_one_play_state_is_an_end() -> None:
    assert [state for state in PlayState if "end" in state.value] == [PlayState.ENDED]
    assert {"stumps", "lunch", "tea", "rain", "drinks", "innings_break"} <= {state.value for state in PlayState}


def test_the_current_innings_is_the_last_one_begun() -> None:
    none = msgspec.structs.replace(observed([]), innings=())
    assert none.current_innings is None
    both = observed([ball(1, 0, 1)], [ball(2, 0, 1)])
    assert both.current_innings is both.innings[1]
