"""What a site said of its last answer, so that we can ask whether it still holds."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

import msgspec

from longstop.fetch.snapshot import FetchRequest

REMEMBERED_MAX: Final = 4000
_LENGTH_MAX: Final = 500
# Sites that answer "unchanged" for ever would freeze a match, so the whole is asked for now and then.
WHOLE_EVERY_SECONDS: Final = 60.0
# Only of these calls an answer may be confirmed instead of given.
_METHODS: Final = frozenset({"GET", "HEAD"})
_Key = tuple[str, str, str, bytes | None]


class Validator(msgspec.Struct, frozen=True):
    etag: str
    last_modified: str
    sha256: str
    since: float = 0.0

    def headers(self) -> dict[str, str]:
        """The entity tag is the sharper of the two, and a server that knows it must ignore the date."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


class Validators:
    """The last ones of each address; the ones used least recently go first."""

    def __init__(self, remembered_max: int = REMEMBERED_MAX) -> None:
        self._known: OrderedDict[_Key, Validator] = OrderedDict()
        self._remembered_max = remembered_max

    def __len__(self) -> int:
        return len(self._known)

    def find(self, request: FetchRequest, now: float) -> Validator | None:
        if not _may_confirm(request):
            return None
        found = self._known.get(_key(request))
        if found is None or now - found.since >= WHOLE_EVERY_SECONDS:
            return None
        self._known.move_to_end(_key(request))
        return found

    def remember(self, request: FetchRequest, headers: Mapping[str, str], sha256: str, now: float) -> None:
        """Only of calls that ask for it: most answers are never asked for again under the same address."""
        if not _may_confirm(request):
            return
        etag, last_modified = _plain(headers.get("ETag", "")), _plain(headers.get("Last-Modified", ""))
        if not etag and not last_modified:
            self._known.pop(_key(request), None)
            return
        self._known[_key(request)] = Validator(etag, last_modified, sha256, now)
        self._known.move_to_end(_key(request))
        while len(self._known) > self._remembered_max:
            self._known.popitem(last=False)


def _may_confirm(request: FetchRequest) -> bool:
    return request.is_conditional and request.method in _METHODS


def _key(request: FetchRequest) -> _Key:
    """Two matches may be asked for at one address, told apart by what is sent along."""
    return (request.source, request.method, request.url, request.body)


def _plain(value: str) -> str:
    return value if len(value) <= _LENGTH_MAX and value.isascii() and value.isprintable() else ""
