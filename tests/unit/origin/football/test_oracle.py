"""The oracle of the football site: a whole account is clean, and each way of spoiling one is told by its name."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from longstop_origin.football.fixture import Fixture
from longstop_origin.football.oracle import (
    CONFIRMED,
    PREDICTED,
    FootballVerdict,
    KeptLineUps,
    KeptSheet,
    is_due,
    judged,
)
from longstop_origin.football.play import AWAY, HOME
from longstop_origin.football.world import DAY, FootballOptions, FootballWorld
from tests.football import EPOCH

END = EPOCH + 6 * DAY
Rows = list[KeptLineUps]


def world(**options: float) -> FootballWorld:
    return FootballWorld(FootballOptions(epoch=EPOCH, seed=4, matches=60, **options))  # type: ignore[arg-type]  # shares


def kept(fixture: Fixture, side: str) -> KeptSheet:
    sheet = fixture.story.sheets[side]
    return KeptSheet(tuple(str(player.id) for player in sheet.starters), sheet.formation)


def row(fixture: Fixture, seconds_before: float = 60) -> KeptLineUps:
    return KeptLineUps(
        key=str(fixture.id),
        captured_at=fixture.final_kickoff - seconds_before,
        home=kept(fixture, HOME),
        away=kept(fixture, AWAY),
    )


def account(of: FootballWorld) -> Rows:
    return [row(fixture) for fixture in of.fixtures if is_due(fixture, END)]


@pytest.mark.req("D2")
def test_an_account_with_every_line_up_that_came_out_in_time_is_clean() -> None:
    of = world()
    verdict = judged(of, account(of), END)
    assert verdict.is_clean
    assert verdict.due == verdict.captured > 45


def missing(rows: Rows) -> Rows:
    return rows[1:]


def after_kickoff(rows: Rows) -> Rows:
    return [replace(rows[0], captured_at=rows[0].captured_at + 60), *rows]


def twice(rows: Rows) -> Rows:
    return [rows[0], *rows]


def too_early(rows: Rows) -> Rows:
    return [replace(rows[0], captured_at=rows[0].captured_at - 3 * 3600), *rows[1:]]


def swapped(rows: Rows) -> Rows:
    return [replace(rows[0], home=rows[0].away, away=rows[0].home), *rows[1:]]


def nobody(rows: Rows) -> Rows:
    return [replace(rows[0], home=KeptSheet(())), *rows[1:]]


def unheard_of(rows: Rows) -> Rows:
    return [*rows, replace(rows[0], key="1")]


def guessed(rows: Rows) -> Rows:
    return [replace(rows[0], snapshot=PREDICTED), *rows[1:]]


@pytest.mark.req("D2")
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (missing, {"lost"}),
        (after_kickoff, {"late", "duplicated"}),
        (twice, {"duplicated"}),
        (too_early, {"wrong"}),
        (swapped, {"wrong"}),
        (nobody, {"wrong"}),
        (unheard_of, {"wrong"}),
        (guessed, {"lost", "wrong"}),
    ],
)
def test_what_is_spoilt_in_an_account_is_told_by_its_name(spoil: Callable[[Rows], Rows], words: set[str]) -> None:
    of = world()
    verdict = judged(of, spoil(account(of)), END)
    assert {finding.what for finding in verdict.findings} == words


@pytest.mark.req("D2")
def test_a_row_that_a_moved_kickoff_overtook_is_late_unless_it_is_flagged() -> None:
    of = world(moved=0.0)
    fixture = next(each for each in of.fixtures if is_due(each, END) and each.plan.lead > 3000)
    captured = replace(row(fixture), captured_at=fixture.final_kickoff - 600, snapshot=CONFIRMED)
    fixture.move(fixture.final_kickoff - 900, fixture.final_kickoff - 1800)

    def judged_alone(rows: Rows) -> FootballVerdict:
        others = [each for each in account(of) if each.key != str(fixture.id)]
        return judged(of, [*others, *rows], END)

    assert {finding.what for finding in judged_alone([captured]).findings} == {"late", "lost"}
    assert {finding.what for finding in judged_alone([replace(captured, is_flagged=True)]).findings} == {"lost"}


def test_before_its_kickoff_no_match_is_lost_yet() -> None:
    assert judged(world(), [], EPOCH).is_clean
