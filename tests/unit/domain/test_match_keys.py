import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.errors import InputError
from longstop.domain.match import MatchPriority, MatchRef, require_safe_key

TRAVERSALS = [
    "..", ".", "../", "../../etc/passwd", "..\\..\\windows", "a/../b", "a/b", "/", "/etc/passwd", "\\", "a\\b", "./a",
    "~", "~root", "%2e%2e%2f", "%2e%2e", "..%2f", "..%5c", "a%00", "....//", "file:a", "C:", "C:a", "NUL.",
    "a.", "a.txt",
]  # fmt: skip
CONTROLS = [
    "a\0", "\0", "a\0.png", "a\n", "\na", "a\nb", "a\r\nSet-Cookie: x", "a\t", " ", " a", "a ", "a b", "\x1b[31m",
    "a\x7f", "\x08", "a\u2028b", "a\u2029b", "a\u0085", "\u200ba", "a\u200d", "\ufeffa", "\u202ea", "a\u00a0", "\u3000",
]  # fmt: skip
SYNTAX = [
    "a;b", "a'b", 'a"b', "a--b;drop", "' or 1=1 --", "a|b", "a&b", "$(id)", "`id`", "${x}", "{{x}}", "{x}", "a=b",
    "a?b", "a#b", "a*b", "a:b", "a@b", "a,b", "a+b", "<script>", "<b>", "a>b", "[a]", "(a)", "a!b", "a^b", "a%b", "*",
    "?", "key\\0",
]  # fmt: skip
LETTERS = [
    "Ä", "ａ", "①", "٣", "²", "ß", "é", "match№1", "🏏", "मैच", "比赛", "a\u0301",
    "\ud800", "\u212a", "\u017f", "-a", "_a", "-", "_", "--help", "",
]  # fmt: skip
LENGTHS = ["a" * 65, "a" * 300, "0" * 100_000, "a" * 64 + "/", "a" * 64 + "\n"]
HOSTILE = TRAVERSALS + CONTROLS + SYNTAX + LETTERS + LENGTHS


def test_the_list_of_hostile_keys_is_long_enough() -> None:
    assert len(set(HOSTILE)) >= 100


@pytest.mark.parametrize("key", HOSTILE, ids=lambda key: ascii(key)[:30])
def test_a_hostile_key_is_refused_in_one_short_sentence(key: str) -> None:
    with pytest.raises(InputError) as refused:
        require_safe_key(key)
    said = str(refused.value)
    assert len(said) < 400
    assert not any(ord(letter) < 32 or ord(letter) == 127 for letter in said)
    assert "1 to 64" in refused.value.hint


@pytest.mark.parametrize("key", ["QUY", "0", "a", "1JK", "AB-12_c", "a" * 64, "12436559"])
def test_the_keys_of_real_sites_are_let_in(key: str) -> None:
    assert require_safe_key(key) == key


@given(st.text(max_size=80))
def test_what_is_let_in_is_a_plain_file_name(key: str) -> None:
    try:
        require_safe_key(key)
    except InputError:
        return
    assert key.isascii()
    assert key.replace("-", "").replace("_", "").isalnum()
    assert 1 <= len(key) <= 64


def test_a_match_id_names_its_source_and_its_key() -> None:
    assert MatchRef("crex", "QUY").match_id == "crex_QUY"
    assert MatchRef("espn", "QUY").match_id != MatchRef("crex", "QUY").match_id


def test_a_lower_priority_number_is_sooner() -> None:
    assert sorted(MatchPriority, key=lambda priority: priority.value) == [
        MatchPriority.LIVE,
        MatchPriority.IMMINENT,
        MatchPriority.COMPLETED,
    ]
