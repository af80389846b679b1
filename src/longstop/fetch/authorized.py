"""A fetcher that shows a token with each call, for sources that ask for one."""

import msgspec

from longstop.fetch.snapshot import Fetcher, FetchRequest, Snapshot
from longstop.resilience.token_keeper import TokenKeeper

_HEADER = "Authorization"


class AuthorizedFetcher:
    """Refused, the token is renewed and the call made once more; what fails then is the ladder's business."""

    def __init__(self, inner: Fetcher, keeper: TokenKeeper) -> None:
        self._inner = inner
        self._keeper = keeper

    async def fetch(self, request: FetchRequest) -> Snapshot:
        others = tuple(each for each in request.headers if each[0].lower() != _HEADER.lower())

        async def call(token: str) -> Snapshot:
            shown = msgspec.structs.replace(request, headers=(*others, (_HEADER, f"Bearer {token}")))
            snapshot = await self._inner.fetch(shown)
            # What is kept of the call is what was asked, and never the token.
            return msgspec.structs.replace(snapshot, request=request)

        return await self._keeper.carry(call)

    async def close(self) -> None:
        await self._inner.close()
