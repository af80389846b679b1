"""Streams are shared out: nobody takes the places of all, with however many keys, logins or requests at once."""

import pytest

from longstop.serve.entry.visit import LOCAL, Caller, Visit, reader_of
from longstop.serve.problems import ApiError
from longstop.serve.streaming.readers import Readers

pytestmark = [pytest.mark.req("G1"), pytest.mark.req("G2")]


def test_one_reader_has_his_share_and_leaves_the_rest_to_others() -> None:
    readers = Readers(5, 2)
    with readers.reading("a") as first, readers.reading("a") as second:
        assert (first, second) == (True, True)
        with pytest.raises(ApiError, match="You have 2 streams open"):
            readers.require_room("a")
        with readers.reading("a") as third:
            assert not third
        readers.require_room("b")
    readers.require_room("a")
    assert readers.count == 0


def test_all_readers_together_have_what_there_is() -> None:
    readers = Readers(1, 2)
    with readers.reading("a"):
        with pytest.raises(ApiError, match="1 streams are open"):
            readers.require_room("b")
        with readers.reading("b") as has_place:
            assert not has_place


def test_whoever_has_a_token_is_counted_by_consumer_and_others_by_address() -> None:
    known = Visit("r1", Caller("acme", "k1", frozenset(), None, bucket="consumer acme"))
    local = Visit("r2", Caller(LOCAL, "", frozenset(), None))
    assert reader_of({"client": ("192.0.2.9", 1), "state": {"visit": known}}) == "consumer acme"
    assert reader_of({"client": ("127.0.0.1", 1), "state": {"visit": local}}) == "address 127.0.0.1"
