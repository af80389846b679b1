"""The replay rung: a plain HTTP call, kept alive, bounded in time and size, to places that the guard allows."""

import contextlib
import hashlib
from contextlib import AsyncExitStack

import msgspec

from longstop.clock import Clock
from longstop.domain.errors import EgressRefusedError, FetchError, SourceTimeoutError, UnexpectedStatusError
from longstop.fetch import redirects
from longstop.fetch.answers import require_usable
from longstop.fetch.bodies import read_body
from longstop.fetch.challenged import REFUSAL_BYTES, REFUSAL_SECONDS, may_hide_one, recognise
from longstop.fetch.egress.guard import EgressRules
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.snapshot import FetchRequest, Snapshot
from longstop.fetch.transport import AiohttpTransport, Answer, Transport, unreachable
from longstop.fetch.validators import Validator, Validators


class HttpLimits(msgspec.Struct, frozen=True):
    deadline_seconds: float = 4.0
    body_bytes_max: int = 4 * 1024 * 1024
    connections_per_host: int = 64
    user_agent: str = "Longstop/0.1 (+resilient score watcher)"
    redirects_max: int = 5


class HttpFetcher:
    """With a resolver every call, and every redirect, is held to the rules of its source.

    Without one nothing is checked and no redirect is followed; that is for tests and for origins of our own.
    """

    def __init__(
        self,
        clock: Clock,
        limits: HttpLimits = HttpLimits(),
        resolver: PinnedResolver | None = None,
        transport: Transport | None = None,
    ) -> None:
        self._clock = clock
        self._limits = limits
        self._rules: EgressRules | None = resolver.rules if resolver is not None else None
        self._validators = Validators()
        self.transport = transport or AiohttpTransport(limits.user_agent, limits.connections_per_host, resolver)

    async def fetch(self, request: FetchRequest) -> Snapshot:
        requested_at = self._clock.now()
        known = self._validators.find(request, self._clock.monotonic())
        deadline = request.deadline_seconds or self._limits.deadline_seconds
        try:
            async with self._clock.timeout(deadline), AsyncExitStack() as stack:
                answer = await self._answer(request, known, stack)
                await self._require_usable(answer, request)
                _require_asked(answer.status, known, request.purpose)
                body = await self._read(answer, request)
                _require_no_challenge(answer, body)
        except TimeoutError as error:
            raise SourceTimeoutError(f"The {request.purpose} call took longer than {deadline:g} s.") from error
        except OSError as error:
            raise unreachable(request.purpose, error) from error
        if answer.status == 200 and request.is_conditional:
            self._validators.remember(
                request, answer.headers, hashlib.sha256(body).hexdigest(), self._clock.monotonic()
            )
        return Snapshot(
            request=request,
            status=answer.status,
            body=body,
            requested_at=requested_at,
            fetched_at=self._clock.now(),
            headers=answer.headers,
            known_sha256=known.sha256 if known is not None and answer.status == 304 else "",
        )

    async def renew(self) -> None:
        """Fresh connections, and nothing is asked conditionally until it was seen whole once more."""
        self._validators = Validators()
        await self.transport.renew()

    async def close(self) -> None:
        await self.transport.close()

    async def _answer(self, request: FetchRequest, known: Validator | None, stack: AsyncExitStack) -> Answer:
        asked = known.headers() if known is not None else {}
        if self._rules is None:
            call = self.transport.call(request, request.url, redirects.headers_to_send(request, asked))
            return await stack.enter_async_context(call)
        hop = redirects.first_hop(request, self._rules)
        for _ in range(self._limits.redirects_max + 1):
            async with AsyncExitStack() as own:
                answer = await self._ask(hop, asked, own, is_first=hop.request is request)
                if answer.status not in redirects.STATUSES:
                    stack.push_async_exit(own.pop_all())
                    return answer
                hop = redirects.next_hop(hop, answer.status, answer.headers.get("Location"), self._rules)
        raise UnexpectedStatusError(
            f"The {request.purpose} call was redirected more than {self._limits.redirects_max} times.",
            hint="Raise scraper.fetch.max_redirects only if the source really needs so many.",
        )

    async def _ask(self, hop: redirects.Hop, asked: dict[str, str], stack: AsyncExitStack, *, is_first: bool) -> Answer:
        """Where a name leads is known only when it is called."""
        headers = redirects.headers_to_send(hop.request, asked)
        try:
            return await stack.enter_async_context(self.transport.call(hop.request, hop.at.url, headers))
        except EgressRefusedError as error:
            if is_first:
                raise
            raise redirects.sent_away(error) from error

    async def _require_usable(self, answer: Answer, request: FetchRequest) -> None:
        """A refusal that cannot be read is one all the same."""
        if may_hide_one(answer.status):
            shown = b""
            with contextlib.suppress(FetchError, OSError):
                async with self._clock.timeout(REFUSAL_SECONDS):
                    shown = await read_body(answer.pieces(), answer.packing, REFUSAL_BYTES, head_only=True)
            _require_no_challenge(answer, shown)
        require_usable(answer.status, answer.headers, request.purpose, self._clock)

    async def _read(self, answer: Answer, request: FetchRequest) -> bytes:
        bytes_max = request.head_bytes_max or self._limits.body_bytes_max
        return await read_body(answer.pieces(), answer.packing, bytes_max, head_only=request.head_bytes_max is not None)


def _require_no_challenge(answer: Answer, body: bytes) -> None:
    challenge = recognise(answer.status, answer.headers, body)
    if challenge is not None:
        raise challenge


def _require_asked(status: int, known: Validator | None, purpose: str) -> None:
    """ "Unchanged" to a question that named nothing confirms nothing."""
    if status == 304 and known is None:
        raise UnexpectedStatusError(f"The source answered 304 to the {purpose} call, which had asked for the whole.")
