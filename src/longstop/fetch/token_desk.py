"""Asks a token desk for a token: `POST …/token/generate-token` with an API key, as we have it ourselves."""

import msgspec

from longstop.domain.errors import SourceRefusedError
from longstop.fetch.snapshot import Fetcher, FetchRequest
from longstop.resilience.token_keeper import Grant


class _Given(msgspec.Struct):
    """Ours, and that of others who follow OAuth or the documents."""

    access_token: str = ""
    token: str = ""
    expires_in: float | None = None


class TokenDeskCall:
    """Goes the way of all calls to its source, and is held to the same rules."""

    def __init__(self, whose: str, url: str, api_key: str, fetcher: Fetcher) -> None:
        headers = (("X-API-Key", api_key), ("Content-Type", "application/json"))
        self._request = FetchRequest(whose, url, "token", method="POST", headers=headers, body=b"{}")
        self._fetcher = fetcher

    async def __call__(self) -> Grant:
        return _read((await self._fetcher.fetch(self._request)).body)


def _read(body: bytes) -> Grant:
    try:
        given = msgspec.json.decode(body, type=_Given)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SourceRefusedError("The token desk answered with something that is no token.") from error
    token = given.access_token or given.token
    if not token or not token.isascii() or any(letter.isspace() for letter in token):
        raise SourceRefusedError("The token desk answered without a token.")
    return Grant(token, given.expires_in)
