import pytest

from longstop.fetch.snapshot import FetchRequest
from longstop.fetch.validators import Validators


def asked(number: int = 1, *, is_conditional: bool = True, source: str = "crex") -> FetchRequest:
    return FetchRequest(source, f"http://site.example/{number}", "state", is_conditional=is_conditional)


def test_what_was_said_of_an_answer_is_sent_back() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": 'W/"a"', "Last-Modified": "then"}, "hash")
    found = known.find(asked())
    assert found is not None
    assert found.headers() == {"If-None-Match": 'W/"a"', "If-Modified-Since": "then"}
    assert found.sha256 == "hash"


def test_the_ones_used_least_recently_are_forgotten() -> None:
    known = Validators(remembered_max=3)
    for number in (1, 2, 3):
        known.remember(asked(number), {"ETag": "x"}, "")
    known.find(asked(1))
    known.remember(asked(4), {"ETag": "x"}, "")
    assert [bool(known.find(asked(number))) for number in (1, 2, 3, 4)] == [True, False, True, True]
    assert len(known) == 3


@pytest.mark.parametrize("etag", ["a" * 501, "é", "a\r\nX: 1", ""])
def test_what_does_not_fit_into_a_header_is_not_kept(etag: str) -> None:
    known = Validators()
    known.remember(asked(), {"ETag": etag}, "")
    assert known.find(asked()) is None


def test_an_answer_without_a_mark_ends_what_was_known() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": "x"}, "")
    known.remember(asked(), {}, "")
    assert known.find(asked()) is None


def test_one_source_knows_nothing_of_another() -> None:
    known = Validators()
    known.remember(asked(), {"ETag": "x"}, "")
    known.remember(asked(2, is_conditional=False), {"ETag": "x"}, "")
    assert known.find(asked(source="espn")) is None
    assert len(known) == 1
