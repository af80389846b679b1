"""Broken payloads of ours: one clear sentence each."""

from typing import Any

import pytest

from longstop.domain.errors import MalformedPayloadError
from longstop.sources.crex import CrexSource
from tests.crex import BALL, INNINGS, OVER, REF, capture, changed, snapshot, state

SOURCE = CrexSource()


def innings(**changes: Any) -> dict[str, Any]:
    return state(**{"in": [changed(INNINGS, **changes)]})


def ball(**changes: Any) -> dict[str, Any]:
    return state(rb=[{"o": 31, "b": [changed(BALL, **changes)]}])


BROKEN: dict[str, Any] = {
    "empty body": b"",
    "html": b"<html>Just a moment...</html>",
    "truncated": b'{"a":"CD.11","B":"4"',
    "two values": b'{"a":"CD.11"}{"a":"CD.11"}',
    "a list": [],
    "null": b"null",
    "not utf-8": b'{"a":"\xff\xfe.11"}',
    "lone surrogate": b'{"a":"\\ud800.11"}',
    "lone surrogate in words": b'{"a":"CD.11","B":"\\udc00"}',
    "raw control character": b'{"a":"CD.\x0011"}',
    "nested too deep": b'{"a":"CD.11","zz":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "no teams": state(a=None),
    "null teams": state(a=...),
    "one team": state(a="CD"),
    "three teams": state(a="CD.11.XY"),
    "teams without a name": state(a="."),
    "teams as a list": state(a=["CD", "11"]),
    "endless team": state(a="C" * 1000 + ".11"),
    "score in words": state(j="yet to bat"),
    "score without wickets": state(j="106(31.1"),
    "negative score": state(j="-5/1(3.0"),
    "score beyond all numbers": state(j="999999999/1(3.0"),
    "score as a number": state(j=106),
    "capture with a broken score": capture(j="106-10(31.1"),
    "innings as an object": state(**{"in": {}}),
    "innings without a team": innings(c=None),
    "innings without a total": innings(d=None),
    "total in words": innings(d="lots"),
    "total without balls": innings(d="106/9"),
    "unknown innings state": innings(z="paused"),
    "overs in words": innings(ov="thirty"),
    "overs without balls": innings(ov="31"),
    "unknown extras": innings(x="wd5.zz1"),
    "extras without numbers": innings(x="wd.nb"),
    "penalty as text": innings(pp="5"),
    "penalty beyond all numbers": innings(pp=10**30),
    "target beyond all numbers": innings(tg=10**12),
    "absent as text": innings(ab="XX"),
    "clock as text": state(ts="now"),
    "clock beyond the calendar": state(ts=10**18),
    "clock beyond all numbers": state(ts=10**30),
    "negative clock": state(ts=-1),
    "number of 100,000 digits": b'{"a":"CD.11","ts":' + b"9" * 100_000 + b"}",
    "sequence beyond the database": state(sq=2**63),
    "sequence of 10^30": state(sq=10**30),
    "sequence as a fraction": state(sq=1.5),
    "no ball an over": state(bpo=0),
    "negative balls an over": state(bpo=-6),
    "too many balls an over": state(bpo=10**6),
    "negative over limit": state(ov=-1),
    "over as text": state(rb=[changed(OVER, o="31")]),
    "negative over": state(rb=[changed(OVER, o=-1)]),
    "over beyond all matches": state(rb=[changed(OVER, o=10**9)]),
    "over without balls": state(rb=[{"o": 31}]),
    "balls as an object": state(rb=[{"o": 31, "b": {}}]),
    "ball without a batter": ball(p=None),
    "ball without a bowler": ball(bf=...),
    "ball with a number for a batter": ball(p=7),
    "runs as text": ball(r="1"),
    "runs beyond all numbers": ball(r=10**30),
    "broken extras of a ball": ball(e="wide"),
    "wicket without a kind": ball(w=[{"p": "XX"}]),
    "wicket as text": ball(w="caught"),
    "replacement without a name": ball(x=[{"t": "match"}]),
    "ball bowled beyond the calendar": ball(ts=10**17),
    "endless code": ball(p="X" * 10_000),
    "batter without figures": state(p1="XX"),
    "batter with words for figures": state(p1="XX.a.b.c.d"),
    "batter with endless figures": state(p1="XX.1." + "9" * 5000 + ".0.0"),
    "batter as a number": state(p1=5),
    "bowler without figures": state(bw="F7.24"),
    "unknown result": state(ps="E", rs={"res": "stolen"}),
    "result as text": state(rs="CD"),
    "margin as text": state(rs={"w": "CD", "by": "62"}),
}


@pytest.mark.req("B10")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_state_is_told_in_one_sentence_with_a_hint(name: str) -> None:
    with pytest.raises(MalformedPayloadError) as refused:
        SOURCE.parse_state(REF, snapshot(BROKEN[name]))
    said = refused.value.message
    assert said.endswith(".")
    assert said[0].isupper()
    assert said.isprintable()
    assert 10 < len(said) < 250
    assert "longstop read" in refused.value.hint


@pytest.mark.parametrize(
    "name", ["clock as text", "runs as text", "unknown innings state", "score in words", "one team"]
)
def test_the_sentence_says_where_or_what_it_is(name: str) -> None:
    marks = {
        "clock as text": "$.ts",
        "runs as text": "$.rb[0].b[0].r",
        "unknown innings state": "'paused'",
        "score in words": "'yet to bat'",
        "one team": "'CD'",
    }
    with pytest.raises(MalformedPayloadError, match=r".") as refused:
        SOURCE.parse_state(REF, snapshot(BROKEN[name]))
    assert marks[name] in refused.value.message.replace("$[...]", "$").replace("[...]", "[0]")
