"""The live state against docs/sources/crex.md, key by key."""

from typing import Any

import pytest

from longstop.clock import from_millis
from longstop.domain.cricket import (
    BatterFigures,
    BowlerFigures,
    Delivery,
    Dismissal,
    Extras,
    InningsScore,
    InningsState,
    Place,
    PlayState,
    Replacement,
    Result,
    Toss,
)
from longstop.domain.match import MatchStatus
from longstop.domain.observation import Observation
from longstop.sources.crex import CrexSource
from tests.crex import INNINGS, MILLIS, NOW, OVER, REF, RICH_BALL, capture, changed, snapshot, state

SOURCE = CrexSource()


def parsed(content: Any) -> Observation:
    return SOURCE.parse_state(REF, snapshot(content))


def test_the_state_says_which_match_it_is_of_and_where_it_comes_from() -> None:
    shot = snapshot(state())
    told = SOURCE.parse_state(REF, shot)
    assert told.ref == REF
    assert told.provenance.source == "crex"
    assert told.provenance.rung == "replay"
    assert told.provenance.payload_sha256 == shot.sha256()
    assert told.provenance.captured_at == NOW
    assert told.provenance.source_at == from_millis(MILLIS)


def test_the_plain_keys_are_taken_over() -> None:
    told = parsed(state())
    assert told.teams == ("CD", "11")
    assert (told.format, told.balls_per_over, told.overs_limit) == ("ODI", 6, 50)
    assert (told.last_event, told.announcement) == ("4", "Match reduced to 38 overs")
    assert told.sequence == 312
    assert told.toss == Toss("CD", "bat")
    assert told.headline == (("CD", ((106, 9),)), ("11", ((0, 0),)))
    assert told.headline_overs == (("CD", ("31.1",)), ("11", ("0.0",)))
    assert (told.play, told.status, told.result) == (PlayState.PLAY, MatchStatus.LIVE, None)


def test_a_winner_who_is_told_while_play_goes_on_is_no_result_and_not_forgotten() -> None:
    told = parsed(state(rs={"w": "CD", "by": {"runs": 10}}))
    assert (told.result, told.told_winner) == (None, "CD")


def test_an_unlimited_match_has_no_limit_of_overs() -> None:
    assert parsed(state(ov=...)).overs_limit is None


def test_batters_and_bowler_have_their_figures() -> None:
    told = parsed(state())
    assert told.batting == (
        BatterFigures("XX", 11, 33, 0, 0, is_on_strike=True),
        BatterFigures("6A5", 6, 21, 1, 0),
    )
    assert told.bowling == BowlerFigures("F7", 24, 17, 0, 2)


def test_an_empty_place_at_the_crease_is_no_batter() -> None:
    told = parsed(state(p1="", bw=""))
    assert [batter.player for batter in told.batting] == ["6A5"]
    assert told.bowling is None


def test_an_innings_is_read_with_all_its_counts() -> None:
    first = changed(INNINGS, d="250/7(300", ov="50.0", z="closed", pp=5, pq=10, ab=["9Z"], x="wd5.nb1.b2.lb4.pn15")
    second = changed(INNINGS, c="11", tg=251, to="38.3")
    told = parsed(state(j="250/7(50.0", k="106/9(31.1", **{"in": [first, second]}))
    assert told.innings == (
        InningsScore(
            number=1,
            team="CD",
            runs=250,
            wickets=7,
            legal_balls=300,
            overs="50.0",
            extras=Extras(wides=5, noballs=1, byes=2, legbyes=4, penalty=15),
            state=InningsState.CLOSED,
            penalty_before=5,
            penalty_after=10,
            absent_hurt=("9Z",),
        ),
        InningsScore(
            number=2,
            team="11",
            runs=106,
            wickets=9,
            legal_balls=187,
            overs="31.1",
            extras=Extras(wides=5, noballs=1, byes=2, legbyes=4),
            target_runs=251,
            target_overs="38.3",
        ),
    )
    assert told.overs[0].innings == 2


@pytest.mark.parametrize("to", ["38", 38, 38.4, "38.4"])
def test_the_target_overs_may_be_a_number_or_a_text(to: Any) -> None:
    told = parsed(state(**{"in": [changed(INNINGS, to=to)]}))
    assert told.innings[0].target_overs == str(to)


@pytest.mark.parametrize("word", [state.value for state in InningsState])
def test_each_state_of_an_innings_is_known(word: str) -> None:
    assert parsed(state(**{"in": [changed(INNINGS, z=word)]})).innings[0].state.value == word


def test_a_super_over_is_told_from_an_innings() -> None:
    both = [changed(INNINGS, z="closed"), changed(INNINGS, c="11", d="12/1(6", ov="1.0", so=1)]
    told = parsed(state(**{"in": both}))
    assert [score.is_super_over for score in told.innings] == [False, True]


def test_overs_are_counted_from_balls_when_the_board_shows_none() -> None:
    told = parsed(state(bpo=5, **{"in": [changed(INNINGS, ov=None)]}))
    assert told.innings[0].overs == "37.2"


def test_a_ball_stands_at_its_index_and_brings_all_it_has() -> None:
    told = parsed(state()).overs[1]
    assert (told.innings, told.over) == (1, 31)
    assert told.deliveries[0] == Delivery(Place(1, 31, 1), "XX", "6A5", "F7", 1, bowled_at=from_millis(MILLIS))
    assert told.deliveries[1] == Delivery(
        place=Place(1, 31, 2),
        batter="XX",
        non_striker="6A5",
        bowler="F7",
        runs_batter=0,
        extras=Extras(noballs=1, byes=4),
        dismissals=(Dismissal("XX", "run out", ("6WQ", "3DX")), Dismissal("6A5", "retired hurt")),
        replacements=(
            Replacement("match", "7B", "XX", "CD", "concussion_substitute"),
            Replacement("role", "8C", reason="injury", role="bowler"),
        ),
        is_non_boundary=True,
        bowled_at=from_millis(MILLIS + 30_000),
    )
    assert told.deliveries[1].wickets == 1


@pytest.mark.parametrize(
    ("text", "extras"),
    [
        ("wd1", Extras(wides=1)),
        ("nb1.lb2", Extras(noballs=1, legbyes=2)),
        ("b4", Extras(byes=4)),
        ("pn5", Extras(penalty=5)),
        ("wd1.pn5", Extras(wides=1, penalty=5)),
        ("", Extras()),
    ],
)
def test_the_extras_of_a_ball_are_read_by_kind(text: str, extras: Extras) -> None:
    over = {"o": 31, "b": [changed(RICH_BALL, e=text)]}
    assert parsed(state(rb=[over])).overs[0].deliveries[0].extras == extras


def test_no_over_is_shown_before_an_innings_has_begun() -> None:
    told = parsed(state(j="", k="", rb=[OVER], **{"in": []}))
    assert told.innings == ()
    assert told.overs == ()


@pytest.mark.parametrize(
    ("letter", "play", "status"),
    [
        ("N", PlayState.NOT_STARTED, MatchStatus.UPCOMING),
        ("P", PlayState.PLAY, MatchStatus.LIVE),
        ("D", PlayState.DRINKS, MatchStatus.LIVE),
        ("L", PlayState.LUNCH, MatchStatus.LIVE),
        ("T", PlayState.TEA, MatchStatus.LIVE),
        ("S", PlayState.STUMPS, MatchStatus.LIVE),
        ("I", PlayState.INNINGS_BREAK, MatchStatus.LIVE),
        ("R", PlayState.RAIN, MatchStatus.LIVE),
        ("E", PlayState.ENDED, MatchStatus.COMPLETED),
        ("?", PlayState.UNKNOWN, MatchStatus.LIVE),
    ],
)
@pytest.mark.req("A5")
def test_the_letter_of_the_state_decides_whatever_the_words_say(
    letter: str, play: PlayState, status: MatchStatus
) -> None:
    told = parsed(state(ps=letter, B="IND won by 8 wickets"))
    assert (told.play, told.status) == (play, status)


@pytest.mark.parametrize(
    ("rs", "result"),
    [
        ({"w": "CD", "by": {"runs": 62}, "m": "D/L"}, Result("won", "CD", by_runs=62, method="D/L")),
        ({"w": "CD", "by": {"wickets": 8}}, Result("won", "CD", by_wickets=8)),
        ({"w": "CD", "by": {"innings": 1, "runs": 5}}, Result("won", "CD", by_innings=1, by_runs=5)),
        ({"res": "tie", "el": "11"}, Result("tie", eliminator="11")),
        ({"res": "tie", "bo": "11"}, Result("tie", bowl_out="11")),
        ({"res": "draw"}, Result("draw")),
        ({"res": "no result"}, Result("no result")),
    ],
)
def test_the_result_is_read_with_its_margin_and_method(rs: Any, result: Result) -> None:
    assert parsed(state(ps="E", B="", rs=rs)).result == result


def test_an_end_without_a_result_is_not_given_one() -> None:
    told = parsed(state(ps="E", B="w"))
    assert (told.status, told.result) == (MatchStatus.COMPLETED, None)
    assert parsed(state(ps="E", B="w", rs={})).result is None


def test_a_result_before_the_end_is_not_taken_for_one() -> None:
    assert parsed(state(rs={"w": "CD"})).result is None


def test_what_the_parser_does_not_use_is_let_pass() -> None:
    told = parsed(state(zz={"deep": [1, None, "x"]}, i=5, g=[], A=...))
    assert (told.innings, told.overs, told.batting) == (
        parsed(state()).innings,
        parsed(state()).overs,
        parsed(state()).batting,
    )


@pytest.mark.parametrize("key", sorted(set(state()) - {"a"}))
def test_every_key_but_the_teams_may_be_missing(key: str) -> None:
    assert parsed(state(**{key: None})).teams == ("CD", "11")


@pytest.mark.parametrize(
    ("j", "k", "innings"),
    [
        ("106/10(31.1", "0/0(0.0", [("CD", 106, 10, 187)]),
        ("0/0(0.0", "12/0(1.3", [("11", 12, 0, 9)]),
        ("234/10(80.1", "50/2(10.0", [("CD", 234, 10, 481), ("11", 50, 2, 60)]),
        ("234/10(80.1&50/2(10.0", "300/10(90.0", [("CD", 234, 10, 481), ("11", 300, 10, 540), ("CD", 50, 2, 60)]),
        ("234/10(80.1&50/2(10.0", "300/10(90.0&1/0(0.1", [("CD", 234), ("11", 300), ("CD", 50), ("11", 1)]),
        ("", "", []),
        ("0/0(0.0", "0/0(0.0", []),
        ("106/3(31.1)", "", [("CD", 106, 3, 187)]),
        ("0/0(0.1", "", [("CD", 0, 0, 1)]),
    ],
)
def test_innings_are_read_from_the_scores_when_the_site_shows_no_more(j: str, k: str, innings: list[Any]) -> None:
    found = parsed(capture(j=j, k=k)).innings
    told = [(score.team, score.runs, score.wickets, score.legal_balls) for score in found]
    assert [row[: len(expected)] for row, expected in zip(told, innings, strict=True)] == innings
    assert [score.number for score in found] == list(range(1, len(found) + 1))


def test_only_the_last_innings_of_a_bare_score_can_be_live() -> None:
    states = [score.state for score in parsed(capture(j="234/8(80.1", k="50/2(10.0")).innings]
    assert states == [InningsState.CLOSED, InningsState.LIVE]
    assert parsed(capture(j="234/8(50.0", k="", B="Innings Break")).innings[0].state is InningsState.CLOSED
    assert parsed(capture(j="234/10(50.0", k="")).innings[0].state is InningsState.CLOSED
    assert parsed(capture(j="234/8(50.0", k="", B="Drinks")).innings[0].state is InningsState.LIVE


def test_the_same_bytes_give_the_same_answer() -> None:
    assert parsed(state()) == parsed(state())
