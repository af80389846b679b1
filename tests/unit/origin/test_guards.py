"""Guards read from words and from JSON: what is meant is understood, what means nothing is told."""

import pytest

from longstop_origin.guards import GuardError, Guards


def test_nothing_is_guarded_unless_it_is_told_so() -> None:
    assert Guards().shown() == {}
    assert Guards.from_words([]) == Guards()


def test_every_guard_is_read_by_its_name() -> None:
    words = ["token=30", "token-scope=match", "cookie=60", "page-only", "refuse-every=40", "login=5", "challenge=503"]
    words += ["challenge-share=25", "server-rendered", "dom=shifted", "poll=0.5", "heavy=100", "hang=3", "silent=4"]
    words += ["hostile=http://127.0.0.1:9", "trap=drip?seconds=5"]
    shown = Guards.from_words(words).shown()
    assert shown == {
        "token": 30, "token-scope": "match", "cookie": 60, "page-only": True, "refuse-every": 40, "login": 5,
        "challenge": 503, "challenge-share": 25, "server-rendered": True, "dom": "shifted", "poll": 0.5, "heavy": 100,
        "hang": 3, "silent": 4, "hostile": "http://127.0.0.1:9", "trap": "drip?seconds=5",
    }  # fmt: skip
    assert Guards().changed(shown) == Guards.from_words(words)


def test_a_cookie_wall_needs_no_figure() -> None:
    assert Guards.from_words(["cookie"]).cookie == 3600


@pytest.mark.parametrize("off", [None, False, 0, "0", "no", "off", ""])
def test_a_guard_can_be_taken_away(off: object) -> None:
    guards = Guards.from_words(["token=30", "page-only", "cookie", "refuse-every=2", "challenge=200", "trap=endless"])
    assert guards.changed(dict.fromkeys(guards.shown(), off)) == Guards()


def test_a_change_leaves_the_others_as_they_are() -> None:
    guards = Guards.from_words(["token=30", "page-only"]).changed({"token": 60, "cookie": True})
    assert guards.shown() == {"token": 60, "page-only": True, "cookie": 3600}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("tokens=30", "There is no guard 'tokens'"),
        ("=30", "There is no guard ''"),
        ("token", "Give one from 1 to 86400"),
        ("token=soon", "Give one from 1 to 86400"),
        ("token=nan", "Give one from 1 to 86400"),
        ("token=-1", "Give one from 1 to 86400"),
        ("token=1e9", "Give one from 1 to 86400"),
        ("refuse-every=2.5", "Give a whole number"),
        ("page-only=perhaps", "Give page-only alone"),
        ("dom=round", "plain, shifted, alien"),
        ("dom=shifted", "Give server-rendered too"),
        ("challenge=404", "200, 403, 503"),
        ("challenge-share=101", "from 0.01 to 100"),
        ("token-scope=world", "source, match"),
        ("trap=door", "redirect, drip, bomb"),
    ],
)
def test_what_means_nothing_is_told_in_a_sentence(word: str, said: str) -> None:
    with pytest.raises(GuardError) as caught:
        Guards.from_words([word])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
