"""Bodies read in pieces and unpacked under a bound, so that a bomb is dropped at the bound and not after it.

We unpack ourselves: an HTTP client unpacks what arrives before anybody can look at it, in every encoding that happens
to be installed, and 455 bytes of brotli become 300 MB in one piece.
"""

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

from longstop.domain.errors import OversizedBodyError, UnreadableBodyError

ACCEPT_ENCODING: Final = "gzip, deflate"
_PIECE_BYTES: Final = 64 * 1024
_GZIP: Final = frozenset({"gzip", "x-gzip"})
# Empty members cost a moment each and add nothing to the size; honest files have a handful.
_MEMBERS_MAX: Final = 1000
_GZIP_FIRST_BYTE: Final = b"\x1f"
_ZLIB_WINDOW, _GZIP_WINDOW, _RAW_WINDOW = 15, 31, -15


async def read_body(pieces: AsyncIterator[bytes], encoding: str, bytes_max: int, *, head_only: bool = False) -> bytes:
    """Neither what comes over the wire nor what it unpacks to may be larger than the bound."""
    unpack = _Unpacker(encoding.strip().lower())
    body = bytearray()
    packed_bytes = 0
    async for packed in pieces:
        packed_bytes += len(packed)
        for piece in unpack.pieces(packed):
            body += piece
            if len(body) > bytes_max:
                if head_only:
                    return bytes(body[:bytes_max])
                raise _too_large(bytes_max)
        if packed_bytes > bytes_max:
            raise _too_large(bytes_max)
    unpack.require_end()
    return bytes(body)


class _Unpacker:
    """One layer of gzip or deflate; a second layer inside is somebody's trick and stays packed."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._stream = _stream_for(encoding)
        self._has_begun = False
        self._members = 1

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        if self._encoding in ("", "identity"):
            yield packed
            return
        try:
            yield from self._unpacked(packed)
        except zlib.error as error:
            raise UnreadableBodyError("The answer is packed and damaged.") from error

    def require_end(self) -> None:
        if self._stream is not None and self._has_begun and not self._stream.eof:
            raise UnreadableBodyError("The answer is packed and ends too early.")

    def _unpacked(self, packed: bytes) -> Iterator[bytes]:
        """A full piece may mean that more is ready inside, even when nothing is left to put in."""
        is_more = bool(packed)
        while is_more:
            stream = self._ready(packed)
            if stream is None:
                return
            piece = stream.decompress(packed, _PIECE_BYTES)
            yield piece
            packed = stream.unused_data if stream.eof else stream.unconsumed_tail
            is_more = bool(packed) or (not stream.eof and len(piece) == _PIECE_BYTES)

    def _ready(self, packed: bytes) -> "zlib._Decompress | None":
        """Gzip may come in several members; what follows the last one is padding.

        Deflate comes with its wrapper, or without, as some servers have it.
        """
        if not self._has_begun and self._encoding == "deflate" and packed[0] & 0x0F != zlib.DEFLATED:
            self._stream = zlib.decompressobj(_RAW_WINDOW)
        elif self._stream is not None and self._stream.eof:
            if self._encoding == "deflate" or packed[:1] != _GZIP_FIRST_BYTE:
                return None
            self._members += 1
            if self._members > _MEMBERS_MAX:
                raise UnreadableBodyError(f"The answer is packed in more than {_MEMBERS_MAX} members.")
            self._stream = zlib.decompressobj(_GZIP_WINDOW)
        self._has_begun = True
        return self._stream


def _stream_for(encoding: str) -> "zlib._Decompress | None":
    if encoding in ("", "identity"):
        return None
    if encoding in _GZIP:
        return zlib.decompressobj(_GZIP_WINDOW)
    if encoding == "deflate":
        return zlib.decompressobj(_ZLIB_WINDOW)
    raise UnreadableBodyError(f"The answer is packed as {encoding[:40]!r}, which we did not ask for.")


def _too_large(bytes_max: int) -> OversizedBodyError:
    return OversizedBodyError(f"The answer is larger than {bytes_max} bytes.")
