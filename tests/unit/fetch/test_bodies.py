"""Bodies, packed in every way and cut everywhere, read in pieces of every size."""

import contextlib
import gzip
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longstop.domain.errors import OversizedBodyError, UnreadableBodyError
from longstop.fetch.bodies import read_body

MEBIBYTE = 1024 * 1024
TEXT = b'{"ok":true}' * 20


async def pieces(data: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "": TEXT,
    "identity": TEXT,
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    " GZip ": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
}


@pytest.mark.parametrize("size", [1, 2, 7, 10**6])
@pytest.mark.parametrize("encoding", PACKED)
async def test_a_body_comes_out_whole_however_it_arrives(encoding: str, size: int) -> None:
    assert await read_body(pieces(PACKED[encoding], size), encoding, 1000) == TEXT


@pytest.mark.parametrize("size", [1, 5, 10**6])
async def test_deflate_without_its_wrapper_and_gzip_in_members_are_read(size: int) -> None:
    assert await read_body(pieces(raw_deflate(TEXT), size), "deflate", 1000) == TEXT
    members = gzip.compress(TEXT) + gzip.compress(b"!") + bytes(20)
    assert await read_body(pieces(members, size), "gzip", 1000) == TEXT + b"!"


@given(st.integers(0, 300_000), st.sampled_from([1, 100, 65536, 65537]))
async def test_the_end_of_a_long_run_is_not_forgotten(length: int, size: int) -> None:
    """What zlib holds back when its output is full must come out too."""
    packed = gzip.compress(bytes(length))
    assert len(await read_body(pieces(packed, size), "gzip", 10**6)) == length


@pytest.mark.parametrize(
    "encoding", ["br", "zstd", "compress", "gzip, gzip", "gzip,deflate", "identity, gzip", "a" * 5000, "\0"]
)
async def test_a_packing_that_nobody_asked_for_is_refused_before_a_byte_is_unpacked(encoding: str) -> None:
    taken: list[bytes] = []

    async def noted() -> AsyncIterator[bytes]:
        taken.append(b"x")
        yield b"x"

    with pytest.raises(UnreadableBodyError, match="did not ask") as thrown:
        await read_body(noted(), encoding, 1000)
    assert taken == []
    assert len(str(thrown.value)) < 250


@given(st.integers(0, len(PACKED["gzip"]) - 1))
async def test_a_packed_body_that_is_cut_anywhere_is_no_answer(length: int) -> None:
    for encoding in ("gzip", "deflate"):
        cut = PACKED[encoding][: min(length, len(PACKED[encoding]) - 1)]
        if cut:
            with pytest.raises(UnreadableBodyError):
                await read_body(pieces(cut), encoding, 10**6)
        else:
            assert await read_body(pieces(cut), encoding, 10**6) == b""


@given(st.binary(min_size=1, max_size=200), st.sampled_from(["gzip", "deflate"]))
async def test_noise_is_an_error_of_ours_or_a_bounded_body(noise: bytes, encoding: str) -> None:
    with contextlib.suppress(UnreadableBodyError, OversizedBodyError):
        assert len(await read_body(pieces(noise, 3), encoding, 1000)) <= 1000


def bomb(kind: str) -> tuple[str, bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if kind != "deflate" else 15)
    block = bytes(MEBIBYTE)
    packed = b"".join(packer.compress(block) for _ in range(1000)) + packer.flush()
    return ("deflate" if kind == "deflate" else "gzip"), packed


@pytest.mark.req("D3")
@pytest.mark.parametrize("kind", ["gzip", "deflate"])
async def test_a_gigabyte_of_zeros_costs_no_more_than_the_bound(kind: str) -> None:
    encoding, packed = bomb(kind)
    tracemalloc.start()
    began = time.perf_counter()
    with pytest.raises(OversizedBodyError):
        await read_body(pieces(packed, 65536), encoding, 16 * MEBIBYTE)
    spent, (_, peak) = time.perf_counter() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * MEBIBYTE
    assert spent < 2.0


async def test_packing_that_holds_nothing_is_bounded_too() -> None:
    """Empty members without end unpack to nothing, and still must not be read for ever."""
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        block = gzip.compress(b"") * 3000
        while True:
            sent += len(block)
            yield block

    with pytest.raises(UnreadableBodyError, match="1000 members"):
        await read_body(endless(), "gzip", MEBIBYTE)
    assert sent < 2 * MEBIBYTE


async def test_a_body_of_exactly_the_bound_is_let_in_packed_or_not() -> None:
    for encoding, packed in (("", bytes(1000)), ("gzip", gzip.compress(bytes(1000)))):
        assert len(await read_body(pieces(packed), encoding, 1000)) == 1000
        with pytest.raises(OversizedBodyError):
            await read_body(pieces(packed), encoding, 999)
