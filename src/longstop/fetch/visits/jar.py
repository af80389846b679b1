"""The cookies of one sticky session. They live in memory and nowhere else, and are never shown."""

from typing import Any, Final

from longstop.fetch.browser.lease import Lease

COOKIE_SECONDS: Final = 4.0
# What a context takes back of what it tells.
_FIELDS: Final = ("name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite", "partitionKey")


class CookieJar:
    def __init__(self) -> None:
        self._cookies: list[dict[str, Any]] = []

    def __repr__(self) -> str:
        return f"CookieJar({len(self._cookies)} cookies)"

    def __len__(self) -> int:
        return len(self._cookies)

    def clear(self) -> None:
        self._cookies = []

    async def pour_into(self, lease: Lease) -> None:
        """A fresh context of the session goes on where the last one stood."""
        if self._cookies:
            told: list[Any] = self._cookies
            await lease.call(lambda: lease.context.add_cookies(told), COOKIE_SECONDS)

    async def fill_from(self, lease: Lease) -> None:
        found: list[Any] = await lease.call(lease.context.cookies, COOKIE_SECONDS)
        self._cookies = [{name: each[name] for name in _FIELDS if name in each} for each in found]
