import msgspec
import pytest

from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.validators import WHOLE_EVERY_SECONDS, Validators


def asked(number: int = 1, *, is_conditional: bool = True, source: str = "crex") -> FetchRequest:
    return FetchRequest(source, f"http://site.example/{number}", "state", is_conditional=is_conditional)


def test_what_was_said_of_an_answer_is_sent_back() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": 'W/"a"', "Last-Modified": "then"}, "hash", 0.0)
    found = known.find(asked(), 0.0)
    assert found is not None
    assert found.headers() == {"If-None-Match": 'W/"a"', "If-Modified-Since": "then"}
    assert found.sha256 == "hash"


def test_the_ones_used_least_recently_are_forgotten() -> None:
    known = Validators(remembered_max=3)
    for number in (1, 2, 3):
        known.remember(asked(number), {"ETag": "x"}, "", 0.0)
    known.find(asked(1), 0.0)
    known.remember(asked(4), {"ETag": "x"}, "", 0.0)
    assert [bool(known.find(asked(number), 0.0)) for number in (1, 2, 3, 4)] == [True, False, True, True]
    assert len(known) == 3


@pytest.mark.parametrize("etag", ["a" * 501, "é", "a\r\nX: 1", ""])
def test_what_does_not_fit_into_a_header_is_not_kept(etag: str) -> None:
    known = Validators()
    known.remember(asked(), {"ETag": etag}, "", 0.0)
    assert known.find(asked(), 0.0) is None


def test_an_answer_without_a_mark_ends_what_was_known() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": "x"}, "", 0.0)
    known.remember(asked(), {}, "", 0.0)
    assert known.find(asked(), 0.0) is None


def test_one_source_knows_nothing_of_another() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": "x"}, "", 0.0)
    known.remember(asked(2, is_conditional=False), {"ETag": "x"}, "", 0.0)
    assert known.find(asked(source="espn"), 0.0) is None
    assert len(known) == 1


def test_a_match_is_not_confirmed_by_what_was_said_of_another_at_the_same_address() -> None:
    """Sites of the newer kind have one address for everything, and say in the body what is meant."""
    known = Validators()
    one, two = (
        msgspec.structs.replace(asked(), method="POST", body=b'{"match":"%s"}' % key) for key in (b"AB1", b"CD2")
    )
    known.remember(one, {"ETag": "7"}, "hash", 0.0)
    assert known.find(two, 0.0) is None
    assert known.find(one, 0.0) is None  # nor may an answer to POST be confirmed at all


def test_the_whole_is_asked_for_again_after_a_while() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": "x"}, "hash", 10.0)
    assert known.find(asked(), 10.0 + WHOLE_EVERY_SECONDS - 1) is not None
    assert known.find(asked(), 10.0 + WHOLE_EVERY_SECONDS) is None
