"""Which answers of a page may be kept: by host, path and kind of content, and of nothing but the calls that are wanted.

Everything else that a page is told is nobody's business here: it is neither read nor counted as an answer.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from longstop.domain.errors import EgressRefusedError
from longstop.fetch.egress.guard import EgressRules, check_url
from longstop.fetch.snapshot import FetchRequest

CALLED_KINDS = frozenset({"xhr", "fetch"})


class AllowList:
    """`types` are the kinds of content that a payload comes as. Paths are compared whole, queries not at all: pages
    add numbers to them against caches."""

    def __init__(self, rules: EgressRules, calls: Mapping[str, FetchRequest], types: tuple[str, ...]) -> None:
        self._rules = rules
        self._types = frozenset(types)
        self._families = {(call.method, urlsplit(call.url).path): purpose for purpose, call in calls.items()}

    def family(self, method: str, url: str) -> str | None:
        """The purpose that an address belongs to; None for every other one."""
        purpose = self._families.get((method, urlsplit(url).path))
        return purpose if purpose is not None and self._is_host(url) else None

    def is_content(self, content_type: str) -> bool:
        return content_type.partition(";")[0].strip().lower() in self._types

    def _is_host(self, url: str) -> bool:
        try:
            check_url(url, self._rules)
        except EgressRefusedError:
            return False
        return True
