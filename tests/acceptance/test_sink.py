"""One Longstop pushes to another over real HTTP: with a token of its own, renewed when it is refused, nothing lost."""

import asyncio
import hashlib
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar import Litestar, Request, Response, post
from litestar.di import Provide

from longstop.clock import SystemClock
from longstop.distribute import sink as pushing
from longstop.distribute.sink import Sink
from longstop.domain.access import Scope
from longstop.domain.push import PushedBatch, PushedPayload
from longstop.observe import signals
from longstop.serve.entry.hall import Hall
from longstop.serve.entry.keys import NewKey, make_key
from longstop.serve.entry.rules import PUSH
from longstop.serve.entry.tokens import Audience
from longstop.serve.gate import Gate
from longstop.serve.problems import HANDLERS
from longstop.serve.server import ApiServer
from longstop.settings.serving import SinkSettings
from longstop.store.contract import Capture, Store, WriteBatch
from longstop.store.open import open_store
from longstop.supervise.service import Stop
from tests.unit.serve.entry.house import settings_in
from tests.unit.serve.world import NOON, row
from tests.virtual import Heard

pytestmark = pytest.mark.req("B12")


class Receiver:
    """The other Longstop: its door, its keys and its tokens are real; what it takes is only written down."""

    def __init__(self, folder: Path) -> None:
        self.heard = Heard()
        self.hall = Hall(settings_in(folder), SystemClock(), self.heard.bus)
        self.taken: dict[str, PushedPayload] = {}
        self.order: list[str] = []
        self.answers: list[int] = []

        @post("/cricket-data", opt=PUSH, status_code=202)
        async def take(request: Request[Any, Any, Any]) -> Response[None]:
            status = self.answers.pop(0) if self.answers else 202
            if status == 202:
                for payload in msgspec.json.decode(await request.body(), type=PushedBatch).payloads:
                    self.order.append(payload.key)
                    self.taken[payload.key] = payload
            return Response(None, status_code=status, headers={"Retry-After": "0"})

        entry = self.hall.entry()
        app = Litestar(
            [take, *entry.routers],
            middleware=[entry.door.before],
            dependencies={"model": Provide(lambda: None, sync_to_thread=False)},
            exception_handlers=dict(HANDLERS),
            openapi_config=None,
            logging_config=None,
        )
        self._app = Gate(app, SystemClock())
        self.server = ApiServer(self._app, "127.0.0.1", 0)
        self.port = 0

    async def start(self) -> None:
        self.server = ApiServer(self._app, "127.0.0.1", self.port)
        await self.server.start()
        self.port = self.server.port

    async def key(self) -> NewKey:
        made = make_key("scout", frozenset({Scope.PUSH}), SystemClock().now())
        await self.hall.store.add_key(made.key)
        await self.hall.directory.refresh()
        return made


class Sender:
    def __init__(self, folder: Path, store: Store, url: str, key: str) -> None:
        self.heard = Heard()
        self.store = store
        wanted = SinkSettings.model_validate({"url": url, "api_key": key})
        self.sink = Sink(wanted, store, folder, SystemClock(), self.heard.bus, random.Random(1))
        self._stop = Stop(SystemClock())
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self.sink.run(self._stop))

    async def stop(self) -> None:
        self._stop.ask("the test is over")
        if self._task is not None:
            await self._task

    async def keep(self, first: int, count: int) -> None:
        """As the shelf does it, and then the poll is told."""
        await self.store.keep([capture(number) for number in range(first, first + count)])
        polled = {"source": "crex", "rung": "replay", "outcome": "updated", "duration_seconds": 0.1}
        fields: dict[str, Any] = {"at": NOON, "match_id": "crex_QUY", "interval_seconds": 2.5} | polled
        self.heard.bus.emit(signals.PollFinished(**fields))


def capture(number: int) -> Capture:
    body = f'{{"ball": {number}}}'.encode()
    at = NOON + timedelta(seconds=number)
    sha256 = hashlib.sha256(body).hexdigest()
    url = "http://127.0.0.1/state"
    return Capture("crex_QUY", "state", sha256, at, at, "crex", "replay", url, 200, body)


async def until(is_so: Any, seconds: float = 15.0) -> None:
    async with asyncio.timeout(seconds):  # noqa: TID251 - sockets live in real time
        while not is_so():  # noqa: ASYNC110 - nothing else tells a test
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "LOOK_SECONDS", 0.02)


@pytest.fixture
async def receiver(tmp_path: Path) -> AsyncIterator[Receiver]:
    made = Receiver(tmp_path / "receiver")
    await made.start()
    yield made
    await made.server.stop()
    await made.hall.close()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    made = open_store(f"sqlite:///{tmp_path}/record.db", clock=SystemClock())
    await made.open()
    await made.save(WriteBatch(matches=(row(),)))
    yield made
    await made.close()


@pytest.fixture
async def sender(tmp_path: Path, store: Store, receiver: Receiver) -> AsyncIterator[Sender]:
    made = Sender(tmp_path, store, receiver.server.url, (await receiver.key()).plain)
    yield made
    await made.stop()


async def test_every_payload_arrives_whole_and_in_order(receiver: Receiver, sender: Sender) -> None:
    await sender.keep(0, 50)
    sender.start()
    await until(lambda: len(receiver.taken) == 50)
    await sender.keep(50, 5)
    await until(lambda: len(receiver.taken) == 55)
    payloads = [receiver.taken[key] for key in receiver.order]
    assert [payload.body for payload in payloads] == [capture(number).body for number in range(55)]
    first = payloads[0]
    assert (first.source, first.match_key, first.purpose, first.captured_at) == ("crex", "QUY", "state", NOON)
    assert len(receiver.order) == 55


async def test_what_was_pushed_is_not_pushed_again_after_a_restart(
    tmp_path: Path, store: Store, receiver: Receiver, sender: Sender
) -> None:
    sender.start()
    await sender.keep(0, 30)
    await until(lambda: len(receiver.taken) == 30)
    await sender.stop()
    await sender.keep(30, 3)
    again = Sender(tmp_path, store, receiver.server.url, (await receiver.key()).plain)
    again.start()
    await until(lambda: len(receiver.taken) == 33)
    await again.stop()
    assert len(receiver.order) == 33


async def test_while_the_other_side_is_away_all_waits_in_the_record(receiver: Receiver, sender: Sender) -> None:
    sender.start()
    await sender.keep(0, 3)
    await until(lambda: len(receiver.taken) == 3)
    await receiver.server.stop()
    await sender.keep(3, 40)
    await until(lambda: sender.heard.of(signals.SinkFailed))
    await receiver.start()
    await until(lambda: len(receiver.taken) == 43)
    assert [receiver.taken[key].body for key in receiver.order] == [capture(number).body for number in range(43)]


async def test_a_token_that_is_refused_is_renewed_and_the_push_made_once_more(
    receiver: Receiver, sender: Sender
) -> None:
    sender.start()
    await sender.keep(0, 1)
    await until(lambda: len(receiver.taken) == 1)
    token = await sender.sink.keeper.token()
    claims = receiver.hall._passes._tokens.read(token, Audience.API)
    await receiver.hall.directory.revoke(claims.jti, claims.expires_at)
    await sender.keep(1, 1)
    await until(lambda: len(receiver.taken) == 2)
    assert await sender.sink.keeper.token() != token
    assert not sender.heard.of(signals.SinkFailed)


async def test_trouble_of_the_other_side_is_waited_for_and_what_it_never_takes_is_left_out(
    receiver: Receiver, sender: Sender
) -> None:
    receiver.answers = [503, 202, 422, 202]
    sender.start()
    await sender.keep(0, 1)
    await until(lambda: len(receiver.taken) == 1)
    await sender.keep(1, 1)
    await until(lambda: any("refused for good" in failed.reason for failed in sender.heard.of(signals.SinkFailed)))
    await sender.keep(2, 1)
    await until(lambda: len(receiver.taken) == 2)
    assert [payload.body for payload in receiver.taken.values()] == [capture(0).body, capture(2).body]


async def test_with_a_key_that_is_not_good_nothing_is_sent_and_that_is_told(
    tmp_path: Path, store: Store, receiver: Receiver
) -> None:
    sender = Sender(tmp_path, store, receiver.server.url, "lsk_aaaaaaaa_" + "a" * 52)
    sender.start()
    await sender.keep(0, 1)
    await until(lambda: sender.heard.of(signals.TokenFailed))
    await sender.stop()
    assert receiver.order == []
    (failed,) = sender.heard.of(signals.SinkFailed)[:1]
    assert "lsk_" not in failed.reason
