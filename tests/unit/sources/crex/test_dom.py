"""The dom rung: what a rendered page shows is read like the call it stands for."""

import re
from typing import Any

import msgspec
import pytest

from longstop.check import plausibility
from longstop.domain.cricket import InningsState, PlayState
from longstop.domain.errors import MalformedPayloadError, SettingsError
from longstop.domain.match import MatchRef, MatchStatus, Names
from longstop.domain.observation import Observation
from longstop.fetch.snapshot import Snapshot
from longstop.sources.crex import CrexSource, dom
from longstop.sources.crex.source import read_manifest
from longstop_origin.fixture import Fixture
from longstop_origin.guards import Guards
from longstop_origin.pages import match_path
from longstop_origin.site import Site
from longstop_origin.world import World, WorldOptions
from tests.crex import INNINGS, REF, changed, snapshot, state
from tests.unit.origin import readings

SOURCE = CrexSource()
EPOCH = 1_700_000_000.0
MOMENTS = (EPOCH + 20, EPOCH + 150, EPOCH + 333, EPOCH + 480, EPOCH + 590)
ESCAPES = (("&", "&a;"), ('"', "&q;"), ("'", "&s;"), ("<", "&l;"), (">", "&g;"))
SHOWN = {"first": ("USA", "106/9", "31.1"), "second": ("UAE", "", ""), "words": "4"}


def rendered(body: bytes) -> Snapshot:
    return msgspec.structs.replace(snapshot(body), rung="dom")


def html(carried: Any = None, *, codes: bool = True, marks: str = "", more: str = "", **shown: Any) -> bytes:
    """A match page with what is shown, and the state it carries."""
    told = SHOWN | shown
    teams = "".join(
        f'<div class="team-content"{f" data-code={code}" if codes else ""}><div class="team-name">{name}</div>'
        f'<div class="runs"><span>{runs}</span> <span>{overs}</span></div></div>'
        for code, (name, runs, overs) in (("CD", told["first"]), ("11", told["second"]))
    )
    text = "" if carried is None else msgspec.json.encode(carried).decode()
    for plain, escaped in ESCAPES:
        text = text.replace(plain, escaped)
    script = f'<script id="app-root-state" type="application/json">{text}</script>' if text else ""
    part = f'<div id="score-part"{marks}>{teams}<div class="result-box"><span>{told["words"]}</span></div>{more}</div>'
    return f"<!DOCTYPE html><html><body>{part}{script}</body></html>".encode()


def parsed(body: bytes, names: Names | None = None) -> Observation:
    return SOURCE.parse_page(REF, rendered(body), names or Names()).observation


def totals(told: Observation) -> list[tuple[Any, ...]]:
    return [(each.number, each.team, each.runs, each.wickets, each.overs, each.state) for each in told.innings]


@pytest.fixture(scope="module")
def world() -> World:
    return World(WorldOptions(epoch=EPOCH, seed=9, matches=10, speed=40.0, corrections="storm"))


def page_of(site: Site, fixture: Fixture, now: float) -> bytes:
    return readings.get(site, match_path(fixture), now).body


def told_by_json(site: Site, fixture: Fixture, now: float) -> Observation:
    return SOURCE.parse_state(MatchRef("crex", fixture.key), snapshot(readings.state(site, fixture, now)))


# ---- the pages of the origin ----


@pytest.mark.req("A2")
def test_a_fresh_page_tells_all_that_the_json_tells(world: World) -> None:
    site = Site(world)
    for now in MOMENTS:
        for fixture in world.listed(now):
            shot = rendered(page_of(site, fixture, now))
            told = SOURCE.parse_state(MatchRef("crex", fixture.key), shot)
            assert told.provenance.payload_sha256 == shot.sha256()
            assert told.provenance.rung == "dom"
            same = told_by_json(site, fixture, now)
            assert dict(told.matched)
            assert msgspec.structs.replace(told, provenance=same.provenance, matched=()) == same
            assert told.provenance.source_at == same.provenance.source_at


def test_a_page_that_was_held_open_tells_what_it_shows_now(world: World) -> None:
    """Its script has gone on; the state it carries is of the moment it was loaded."""
    site, part, seen = Site(world), re.compile(rb'<div id="score-part".*?(?=<div class="series">)', re.DOTALL), 0
    for now, later in [(now, now + seconds) for now in MOMENTS for seconds in (2, 5, 10)]:
        for fixture in (each for each in world.listed(now) if each in world.listed(later)):
            fresh = part.search(page_of(site, fixture, later))
            assert fresh is not None
            held = part.sub(fresh[0].replace(b"\\", rb"\\"), page_of(site, fixture, now))
            told = SOURCE.parse_state(MatchRef("crex", fixture.key), rendered(held))
            truth = told_by_json(site, fixture, later)
            assert (told.teams, told.play, told.status) == (truth.teams, truth.play, truth.status)
            assert [each[:5] for each in totals(told)] == [each[:5] for each in totals(truth)]
            assert told.last_event == truth.last_event
            assert plausibility.judge(told).is_accepted
            seen += told.sequence is None
    assert seen > 30, "most of these pages must show more than they carry"


@pytest.mark.parametrize(("words", "place"), [((), 0), (("dom=shifted",), 1)])
@pytest.mark.req("B10")
def test_a_page_from_the_server_is_read_by_its_own_marks(world: World, words: tuple[str, ...], place: int) -> None:
    site, refused, read = Site(world, guards=Guards.from_words(("server-rendered", *words))), 0, 0
    for now in MOMENTS:
        for fixture in world.listed(now):
            truth = told_by_json(Site(world), fixture, now)
            if truth.balls_per_over != 6 or not any(each.legal_balls for each in truth.innings):
                continue
            try:
                reading = SOURCE.parse_page(MatchRef("crex", fixture.key), rendered(page_of(site, fixture, now)))
            except MalformedPayloadError as error:
                refused += 1
                assert "innings" in error.message  # noqa: PT017 - the loop goes on
                continue
            read += 1
            assert {reading.matched[field] for field in dom.REQUIRED} == {place}
            assert [each[:5] for each in totals(reading.observation)] == [each[:5] for each in totals(truth)]
            assert reading.observation.play is truth.play
    assert read > 20
    assert refused < read / 10


def test_a_page_that_was_rebuilt_beyond_knowing_names_what_is_missing(world: World) -> None:
    site = Site(world, guards=Guards.from_words(("server-rendered", "dom=alien")))
    fixture = world.listed(MOMENTS[0])[0]
    with pytest.raises(MalformedPayloadError, match="shows no team") as told:
        SOURCE.parse_page(REF, rendered(page_of(site, fixture, MOMENTS[0])))
    assert ".team-content, .score-team" in told.value.hint
    assert "[dom]" in told.value.hint


# ---- what is shown goes before what is carried ----


def test_the_shown_score_is_newer_than_the_carried_one() -> None:
    told = parsed(html(state(), first=("USA", "110/10", "32.4"), words="w"))
    assert totals(told) == [(1, "CD", 110, 10, "32.4", InningsState.CLOSED)]
    assert told.innings[0].legal_balls == 196
    assert told.innings[0].extras is None, "those that were carried are of another moment"
    assert (told.sequence, told.overs, told.provenance.source_at) == (None, (), None)
    assert (told.format, told.overs_limit, told.last_event) == ("ODI", 50, "w")


def test_a_miscounted_over_stays_miscounted() -> None:
    carried = state(**{"in": [changed(INNINGS, d="106/9(188")]})
    assert parsed(html(carried, first=("USA", "107/9", "31.2"))).innings[0].legal_balls == 189


TWO_DAYS = state(
    fo="Test",
    j="234/10(80.1&50/2(10.0",
    k="300/10(90.0",
    **{
        "in": [
            changed(INNINGS, d="234/10(481", ov="80.1", z="closed"),
            changed(INNINGS, c="11", d="300/10(540", ov="90.0", z="closed"),
            changed(INNINGS, d="50/2(60", ov="10.0"),
        ]
    },
)


def test_innings_that_are_no_longer_shown_are_those_the_page_carries() -> None:
    told = parsed(html(TWO_DAYS, first=("USA", "51/2", "10.1"), second=("UAE", "300/10", "90.0")))
    assert [each[:5] for each in totals(told)] == [
        (1, "CD", 234, 10, "80.1"),
        (2, "11", 300, 10, "90.0"),
        (3, "CD", 51, 2, "10.1"),
    ]
    assert plausibility.judge(told).is_accepted


def test_an_innings_that_began_after_the_page_was_loaded_is_the_next() -> None:
    told = parsed(html(TWO_DAYS, first=("USA", "200/10", "60.0"), second=("UAE", "7/1", "2.3"), words="4"))
    assert totals(told)[2:] == [
        (3, "CD", 200, 10, "60.0", InningsState.CLOSED),
        (4, "11", 7, 1, "2.3", InningsState.LIVE),
    ]


def test_a_correction_is_no_new_innings() -> None:
    told = parsed(html(TWO_DAYS, first=("USA", "46/2", "9.5"), second=("UAE", "300/10", "90.0")))
    assert [each[:5] for each in totals(told)][2:] == [(3, "CD", 46, 2, "9.5")]


def test_where_the_markup_counts_the_innings_none_is_invented() -> None:
    marks = " data-innings=3 data-state=P"
    told = parsed(html(TWO_DAYS, marks=marks, first=("USA", "5/0", "1.0"), second=("UAE", "300/10", "90.0")))
    assert len(told.innings) == 3


def test_a_page_that_slept_through_an_innings_is_refused_rather_than_guessed_at() -> None:
    carried = state(j="", k="", tt="", **{"in": []})
    with pytest.raises(MalformedPayloadError, match="open for more than an innings"):
        parsed(html(carried, first=("USA", "200/4", "20.0"), second=("UAE", "30/1", "4.0")))


@pytest.mark.parametrize(("toss", "order"), [("11.bat", "11 CD"), ("11.field", "CD 11"), ("CD.bat", "CD 11")])
def test_the_toss_tells_who_came_first(toss: str, order: str) -> None:
    carried = state(j="", k="", tt=toss, **{"in": []})
    told = parsed(html(carried, first=("USA", "200/4", "20.0"), second=("UAE", "30/1", "4.0")))
    assert [each.team for each in told.innings] == order.split()


def test_an_innings_break_closes_the_innings() -> None:
    told = parsed(html(state(), words="Innings Break"))
    assert told.play is PlayState.INNINGS_BREAK
    assert told.innings[0].state is InningsState.CLOSED


@pytest.mark.parametrize(
    ("words", "result", "play", "status"),
    [
        ("Stumps", "", PlayState.STUMPS, MatchStatus.LIVE),
        ("Rain stopped play", "", PlayState.RAIN, MatchStatus.LIVE),
        ("w", "USA won by 62 runs", PlayState.ENDED, MatchStatus.COMPLETED),
        ("USA won by 62 runs", "USA won by 62 runs", PlayState.ENDED, MatchStatus.COMPLETED),
        ("4", "Match starts at 10:00", PlayState.PLAY, MatchStatus.LIVE),
        ("Match abandoned", "", PlayState.ENDED, MatchStatus.ABANDONED),
    ],
)
def test_the_words_tell_the_play(words: str, result: str, play: PlayState, status: MatchStatus) -> None:
    told = parsed(html(state(), words=words, more=f'<div class="final-result m-none">{result}</div>'))
    assert (told.play, told.status) == (play, status)
    if play is PlayState.ENDED:
        assert told.result is not None
        assert told.result.text == (result or words)


# ---- whose score it is ----


def test_codes_come_from_the_markup_where_the_page_carries_nothing() -> None:
    told = parsed(html(None, second=("UAE", "50/2", "10.0")))
    assert told.teams == ("CD", "11")
    assert [each[:5] for each in totals(told)] == [(1, "CD", 106, 9, "31.1"), (2, "11", 50, 2, "10.0")]


def test_codes_come_from_the_names_that_the_page_carries() -> None:
    carried = {"key": "QUY", "sv3": state(), "names": {"t": {"CD": "United  States", "11": "UAE"}}}
    told = parsed(html(carried, codes=False, first=("uae", "", ""), second=("United States", "107/9", "31.2")))
    assert told.teams == ("CD", "11")
    assert [each[:5] for each in totals(told)] == [(1, "CD", 107, 9, "31.2")]


def test_codes_come_from_the_order_of_the_state_where_names_say_nothing() -> None:
    assert parsed(html(state(), codes=False)).teams == ("CD", "11")


def test_codes_come_from_names_that_are_handed_in() -> None:
    names = Names(teams={"CD": "United States", "11": "UAE"}, teams_short={"CD": "USA"})
    assert parsed(html(None, codes=False), names).teams == ("CD", "11")


@pytest.mark.parametrize("names", [Names(), Names(teams_short={"CD": "USA"}), Names(teams={"A": "USA", "B": "USA"})])
def test_a_page_that_nobody_can_put_codes_to_is_refused(names: Names) -> None:
    with pytest.raises(MalformedPayloadError, match="does not tell the codes") as told:
        parsed(html(None, codes=False), names)
    assert "data-code" in told.value.hint


def test_a_page_whose_markup_and_state_name_other_teams_is_refused() -> None:
    with pytest.raises(MalformedPayloadError, match="does not tell the codes"):
        parsed(html(state(a="CD.99")))


def test_a_page_of_another_match_is_refused() -> None:
    with pytest.raises(MalformedPayloadError, match="of match 'ZZZ', not of QUY"):
        parsed(html({"key": "ZZZ", "sv3": state()}))


def test_other_matches_on_the_page_are_not_taken_for_this_one() -> None:
    other = '<div class="team-content" data-code="ZZ"><div class="runs"><span>9/9</span><span>9.0</span></div></div>'
    told = parsed(html(state(), first=("USA", "107/9", "31.2")).replace(b"<body>", f"<body>{other * 2}".encode()))
    assert [each[:3] for each in totals(told)] == [(1, "CD", 107)]


# ---- selectors ----


def test_the_first_selector_that_finds_text_wins_and_is_counted() -> None:
    empty = '<div class="final-result m-none"></div><div class="score-result">USA won by 1 run</div>'
    reading = SOURCE.parse_page(REF, rendered(html(state(), more=empty)))
    assert reading.observation.play is PlayState.ENDED
    assert reading.matched["result"] == 1
    assert reading.matched["team"] == reading.matched["runs"] == 0
    assert "ball" not in reading.matched


@pytest.mark.parametrize("field", ["runs", "state"])
def test_a_required_field_that_is_missing_is_named_with_what_was_tried(field: str) -> None:
    name = {"runs": b"runs", "state": b"result-box"}[field]
    with pytest.raises(MalformedPayloadError, match=f"shows no {field}") as told:
        parsed(html(state()).replace(name, b"moved"))
    assert SOURCE.manifest.dom[field][0] in told.value.hint


FAULTY = {
    "syntax": ('team = [".a >> b"]', "team has '.a >> b', which is no CSS selector"),
    "nothing": ('runs = [""]', "runs has '', which is no CSS selector"),
    "empty list": ("state = []", "state has no selector"),
    "unknown field": ('runz = [".a"]', "no field 'runz', did you mean runs?"),
    "one for a list": ('team = ".a"', "Expected `array`, got `str`"),
    "no toml": ("team = [", "cannot be read"),
}


@pytest.mark.parametrize("what", FAULTY)
def test_a_faulty_selector_is_found_when_the_manifest_is_read(what: str) -> None:
    line, said = FAULTY[what]
    fields = "\n".join(f'{field} = [".x"]' for field in dom.REQUIRED if not line.startswith(field))
    head = 'name = "x"\ntitle = "x"\nsport = "cricket"\nbase_url = "https://x.example"\nhosts = ["x.example"]\n'
    with pytest.raises(SettingsError) as told:
        read_manifest(f"{head}requires_javascript = true\n[dom]\n{fields}\n{line}\n")
    assert said in told.value.message
    assert "manifest.toml" in told.value.hint


def test_all_faults_of_the_selectors_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as told:
        dom.require_selectors({"team": ["["], "runs": ["]"]})
    assert told.value.message.count("no CSS selector") == 2
    assert "state has no selector" in told.value.message


# ---- odd pages ----


@pytest.mark.parametrize("front", [b"", b"\xef\xbb\xbf", b"\r\n \t", b"\xef\xbb\xbf\n"])
def test_a_page_is_known_by_its_first_sign_whatever_the_rung(front: bytes) -> None:
    assert SOURCE.parse_state(REF, snapshot(front + html(state()))).teams == ("CD", "11")


@pytest.mark.parametrize(
    "broken", ["{", "null", "[1]", '{"sv3": 5}', '{"sv3": {"a": "CD"}}', "[" * 5000, '{"a":"CD.11","j":"x"}']
)
def test_a_state_that_cannot_be_read_is_done_without(broken: str) -> None:
    body = html("here").replace(b"&q;here&q;", broken.encode())
    assert [each[:3] for each in totals(parsed(body))] == [(1, "CD", 106)]


@pytest.mark.parametrize(
    ("runs", "overs", "said"),
    [("106/9", "", "in how many overs"), ("106", "31.1", "does not read like"), ("1/1" * 200, "1.0", "longer than")],
)
def test_a_score_that_cannot_be_read_is_told_in_one_sentence(runs: str, overs: str, said: str) -> None:
    with pytest.raises(MalformedPayloadError, match=said):
        parsed(html(state(), first=("USA", runs, overs)))


@pytest.mark.parametrize(("runs", "overs"), [("106-9", "(31.1)"), ("106 / 9", "31.1 ov"), ("106/9(31.1)", "")])
def test_scores_may_be_dressed_a_little_otherwise(runs: str, overs: str) -> None:
    assert [each[:5] for each in totals(parsed(html(state(), first=("USA", runs, overs))))] == [
        (1, "CD", 106, 9, "31.1")
    ]


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "&lt;b&gt;", "\ud83c\udfcf", "\x00", "\xff" * 9])
def test_any_words_are_only_words(words: str) -> None:
    body = html(state()).replace(b">4<", b">" + words.encode("utf-8", "replace") + b"<")
    assert parsed(body + b"\xff\xfe").teams == ("CD", "11")


@pytest.mark.req("A2")
@pytest.mark.parametrize(
    ("overs", "balls", "legal_balls"),
    [
        ("18.0", ("1", "wd", "0", "4", "1", "1"), 90),
        ("18.0", ("1", "0", "4", "nb", "1", "1", "2"), 108),
        ("18.0", (), 108),
    ],
)
def test_at_an_overs_end_its_balls_tell_how_long_an_over_is(
    overs: str, balls: tuple[str, ...], legal_balls: int
) -> None:
    """The run rate is the same for every length then, and a match of five balls an over would seem to go back."""
    shown = "".join(f'<span class="over-ball">{ball}</span>' for ball in balls)
    more = (
        '<div class="team-run-rate"><span class="data">8.39</span></div>'
        f'<div id="slideOver"><div class="overs-slide">{shown}</div></div>'
    )
    marks = ' data-innings="1" data-state="P"'
    told = parsed(html(marks=marks, more=more, first=("USA", "151/4", overs)))
    assert told.innings[0].legal_balls == legal_balls
