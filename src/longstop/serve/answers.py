"""An answer as bytes, with all that says how old it is; and 304 for whoever has it already.

The tag is weak: ages run on in every body, and what they are about stays the same. An answer is kept as long as nothing
about it changes, so that a match which many read is written out once a second at most.
"""

import hashlib
from collections import OrderedDict
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
from litestar import Request, Response

from longstop.serve import matches, wire
from longstop.serve.conditional import http_date, is_known_to, told_change
from longstop.serve.freshness import Age, KnownMatch, age_of
from longstop.serve.origins import metadata
from longstop.serve.reading import ReadModel
from longstop.serve.recollection import Recollection, Remembered

JSON: Final = "application/json"
ANSWERS_MAX: Final = 2_000
_STALE: Final = '110 longstop "Response is Stale"'
_DEGRADED: Final = '111 longstop "Revalidation Failed"'
_NO_AGES: Final = wire.Ages(None, None, None)

_encode = msgspec.json.Encoder().encode
T = TypeVar("T", wire.Metadata, wire.ListMetadata)


class Answer(msgspec.Struct, frozen=True):
    """Ready to be sent, in the form in which a server takes it."""

    body: bytes
    headers: dict[str, str]
    tag: str
    modified_at: datetime | None = None
    media_type: str = JSON

    def changed_at(self, modified_at: datetime | None) -> "Answer":
        """With the moment of its last change, where that may be told."""
        if modified_at is None:
            return self
        headers = self.headers | {"last-modified": http_date(modified_at)}
        return msgspec.structs.replace(self, headers=headers, modified_at=modified_at)

    def to(self, request: Request[Any, Any, Any]) -> "Ready":
        return Ready.of(self, self.encoded(), request.scope)

    def encoded(self) -> list[tuple[bytes, bytes]]:
        return [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]


class Ready(Response[Any]):
    """An answer that goes out as it is. The framework would look at every header of it again, each time."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self._status = status
        self._headers = headers
        self._body = body

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self.send

    @classmethod
    def of(cls, answer: Answer, headers: list[tuple[bytes, bytes]], scope: Any) -> "Ready":
        """Asked for with conditions it may be that whoever asks has it already."""
        tags = since = None
        for name, value in scope["headers"]:
            if name == b"if-none-match":
                tags = value.decode("latin-1") if tags is None else f"{tags}, {value.decode('latin-1')}"
            elif name == b"if-modified-since":
                since = value.decode("latin-1")
        if (tags is not None or since) and is_known_to(answer.tag, answer.modified_at, tags, since):
            return cls(304, headers, b"")
        media = (b"content-type", answer.media_type.encode())
        length = (b"content-length", b"%d" % len(answer.body))
        return cls(200, [media, length, *headers], answer.body)

    async def send(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG002 - as ASGI has it
        await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})


def headers_of(age: Age, tag: str, modified_at: datetime | None = None, *, is_degraded: bool) -> dict[str, str]:
    """`no-cache`: it may be kept, and must be asked for again each time, which a 304 makes cheap."""
    found = age.headers() | {"etag": tag, "age": str(age.whole_seconds), "cache-control": "private, no-cache"}
    if modified_at is not None:
        found["last-modified"] = http_date(modified_at)
    warnings = [text for text, is_so in ((_STALE, age.is_stale), (_DEGRADED, is_degraded)) if is_so]
    if warnings:
        found["warning"] = ", ".join(warnings)
    return found


def tag_of(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(part)
    return f'W/"{digest.hexdigest()}"'


def timeless(found: T) -> T:
    """Without what only the passing of time changes."""
    if isinstance(found, wire.ListMetadata):
        return msgspec.structs.replace(found, scraped_at="", data_age_seconds=0)
    return msgspec.structs.replace(
        found, scraped_at="", data_age_seconds=0, source_age_seconds=None, ages=_NO_AGES, fields={}
    )


def answer_of(body: Any, age: Age) -> Answer:
    """For any answer with `_metadata`, whose other parts say what it is about."""
    found = body.metadata
    tag = tag_of(_encode(msgspec.structs.replace(body, metadata=timeless(found))))
    return Answer(_encode(body), headers_of(age, tag, is_degraded=found.degraded), tag)


def answer_of_fields(fields: dict[str, Any], found: wire.Metadata, age: Age) -> Answer:
    """The same for what has no form of its own."""
    tag = tag_of(_encode(fields), _encode(timeless(found)))
    return Answer(_encode(fields | {"_metadata": found}), headers_of(age, tag, is_degraded=found.degraded), tag)


class _Kept(msgspec.Struct):
    """What was written out of one match: the content, its tag, and the whole answer of the second in which it was."""

    key: tuple[Any, ...]
    content: bytes
    tag: str
    since: datetime
    moment: tuple[Any, ...] = ()
    answer: Answer | None = None
    headers: list[tuple[bytes, bytes]] = []


class MatchAnswers:
    """The whole answer about one match, as it is now."""

    def __init__(self, model: ReadModel, recollection: Recollection) -> None:
        self._model = model
        self._recollection = recollection
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def now(self, match_id: str, found: Remembered, scope: Any) -> Ready:
        known = self._recollection.known(found)
        age = age_of(known, self._model)
        kept = self._content(match_id, found, known, age)
        source_at = known.live.source_at if known.live else None
        now = self._model.clock.now()
        changed = told_change(kept.since, now)
        moment = (age.captured_at, age.whole_seconds, _seconds(now, source_at), _seconds(now, known.told_at), changed)
        if kept.answer is None or kept.moment != moment:
            kept.moment, kept.answer = moment, self._written(kept, known, age, changed)
            kept.headers = kept.answer.encoded()
        return Ready.of(kept.answer, kept.headers, scope)

    def _content(self, match_id: str, found: Remembered, known: KnownMatch, age: Age) -> _Kept:
        key = self._key(found, known, age)
        kept = self._kept.get(match_id)
        if kept is None or kept.key != key:
            content = _encode(matches.match_body(known, self._model))
            plain = timeless(metadata(known, age, self._model))
            tag, now = tag_of(content, _encode(plain)), self._model.clock.now()
            since = kept.since if kept is not None and kept.tag == tag else now
            kept = self._kept[match_id] = _Kept(key, content, tag, since)
            while len(self._kept) > ANSWERS_MAX:
                self._kept.popitem(last=False)
        return kept

    def _key(self, found: Remembered, known: KnownMatch, age: Age) -> tuple[Any, ...]:
        """Equal keys mean that content and tag would come out the same."""
        ref, watched = found.row.ref, known.watched
        names = self._model.names(ref.source)
        return (
            found.version,
            (watched.revision, watched.rung, watched.hold) if watched is not None else None,
            age.is_stale,
            known.is_degraded,
            (len(names.players), len(names.teams), len(names.teams_short), len(names.series)),
            self._model.approach.why(ref.source, ref.key),
        )

    def _written(self, kept: _Kept, known: KnownMatch, age: Age, modified_at: datetime | None) -> Answer:
        told = _encode(metadata(known, age, self._model, has_fields=True))
        headers = headers_of(age, kept.tag, modified_at, is_degraded=known.is_degraded)
        return Answer(_joined(kept.content, told), headers, kept.tag, modified_at=modified_at)


def _joined(content: bytes, told: bytes) -> bytes:
    return b'%b,"_metadata":%b}' % (content[:-1], told)


def _seconds(now: datetime, then: datetime | None) -> int | None:
    return None if then is None else int((now - then).total_seconds())


class LastAnswers:
    """What was answered last at each address, for the time that the database is away. Bounded; the oldest go."""

    def __init__(self, kept_max: int = 256) -> None:
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._kept_max = kept_max

    def keep(self, address: str, body: Any) -> None:
        self._kept[address] = body
        self._kept.move_to_end(address)
        while len(self._kept) > self._kept_max:
            self._kept.popitem(last=False)

    def recall(self, address: str, metadata_now: Any) -> Any | None:
        """The same, with the metadata of now."""
        found = self._kept.get(address)
        return None if found is None else msgspec.structs.replace(found, metadata=metadata_now)
