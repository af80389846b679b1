"""What a site said of its last answer, so that we can ask whether it still holds."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

import msgspec

from longstop.fetch.snapshot import FetchRequest

REMEMBERED_MAX: Final = 4000
_LENGTH_MAX: Final = 500


class Validator(msgspec.Struct, frozen=True):
    etag: str
    last_modified: str
    sha256: str

    def headers(self) -> dict[str, str]:
        """The entity tag is the sharper of the two, and a server that knows it must ignore the date."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


class Validators:
    """The last ones of each address; the ones used least recently go first."""

    def __init__(self, remembered_max: int = REMEMBERED_MAX) -> None:
        self._known: OrderedDict[tuple[str, str, str], Validator] = OrderedDict()
        self._remembered_max = remembered_max

    def __len__(self) -> int:
        return len(self._known)

    def find(self, request: FetchRequest) -> Validator | None:
        if not request.is_conditional:
            return None
        found = self._known.get(_key(request))
        if found is not None:
            self._known.move_to_end(_key(request))
        return found

    def remember(self, request: FetchRequest, headers: Mapping[str, str], sha256: str) -> None:
        """Only of calls that ask for it: most answers are never asked for again under the same address."""
        if not request.is_conditional:
            return
        etag, last_modified = _plain(headers.get("ETag", "")), _plain(headers.get("Last-Modified", ""))
        if not etag and not last_modified:
            self._known.pop(_key(request), None)
            return
        self._known[_key(request)] = Validator(etag, last_modified, sha256)
        self._known.move_to_end(_key(request))
        while len(self._known) > self._remembered_max:
            self._known.popitem(last=False)


def _key(request: FetchRequest) -> tuple[str, str, str]:
    return (request.source, request.method, request.url)


def _plain(value: str) -> str:
    return value if len(value) <= _LENGTH_MAX and value.isascii() and value.isprintable() else ""
