"""Codes are short, stable and nobody else's."""

from longstop_origin.codes import ALPHABET, OrdinalCodes, base36, hashed_codes


def test_a_number_reads_in_base_36() -> None:
    assert [base36(number) for number in (0, 35, 36, 1679615)] == ["0", "Z", "10", "ZZZZ"]


def test_names_get_codes_that_depend_on_nothing_but_the_names() -> None:
    names = [f"Player {number}" for number in range(500)]
    one = hashed_codes(names, (3, 5))
    assert one == hashed_codes(reversed(names), (3, 5))
    assert len(set(one.values())) == 500
    assert all(len(code) == 3 and set(code) <= set(ALPHABET) for code in one.values())


def test_many_names_get_longer_codes() -> None:
    codes = hashed_codes([str(number) for number in range(20_000)], (3, 5))
    assert {len(code) for code in codes.values()} == {5}
    assert len(set(codes.values())) == 20_000


def test_crowded_codes_are_still_unique() -> None:
    codes = hashed_codes([str(number) for number in range(1296)], (2,))
    assert len(set(codes.values())) == 1296


def test_ordinals_are_found_again_behind_their_codes() -> None:
    codes = OrdinalCodes(3, offset=17)
    assert [codes.ordinal(codes.code(number)) for number in range(2000)] == list(range(2000))


def test_what_is_no_code_has_no_ordinal() -> None:
    codes = OrdinalCodes(3, offset=17)
    assert [codes.ordinal(text) for text in ("", "AB", "ABCD", "ab1", "A-1", "ÄBC", "A 1")] == [None] * 7
