"""The webhook against a real server of this machine: delivered once, retried where it helps, never in the way."""

import asyncio
import json
import logging
import random
from collections.abc import AsyncIterator, Callable
from typing import Any, Self

import pytest
from aiohttp import web

from longstop.clock import SystemClock
from longstop.observe import signals as facts
from longstop.observe.redact import HIDDEN, REDACTOR
from longstop.observe.webhook import BODY_BYTES_MAX, Webhook, WebhookOptions
from longstop.resilience.backoff import BackoffPolicy
from longstop.supervise.service import Stop
from tests.cricket import NOON
from tests.virtual import Heard

pytestmark = pytest.mark.req("H4", "B10")
PATIENCE_SECONDS = 10.0
QUICK = WebhookOptions(
    queue_max=5,
    call_seconds=0.3,
    flush_seconds=0.3,
    backoff=BackoffPolicy(retries=3, base_seconds=0.01, max_seconds=0.02),
)


class Receiver:
    """Answers with what it is told, one status after the other, the last one for ever. 0 is no answer at all."""

    def __init__(self) -> None:
        self.statuses = [200]
        self.headers: dict[str, str] = {}
        self.bodies: list[dict[str, Any]] = []
        self.requests: list[web.Request] = []
        self.strays: list[str] = []
        self.url = ""

    async def take(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if status == 0:
            await asyncio.Event().wait()
        body = json.loads(await request.read())
        if status < 300:
            self.bodies.append(body)
        return web.Response(status=status, headers=self.headers)

    async def stray(self, request: web.Request) -> web.Response:
        self.strays.append(request.path)
        return web.Response()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/hooks/T0001/very-secret-part", receiver.take)
    app.router.add_route("*", "/{any:.*}", receiver.stray)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hooks/T0001/very-secret-part"
    yield receiver
    await runner.cleanup()


class Line:
    """A webhook at work, and what it says."""

    def __init__(self, url: str, options: WebhookOptions = QUICK) -> None:
        self.heard = Heard()
        self.clock = SystemClock()
        self.webhook = Webhook(url, self.clock, self.heard.bus, random.Random(1), options)
        self.webhook.subscribe()
        self.stop = Stop(self.clock)
        self._task: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()

    def start(self) -> None:
        self._task = asyncio.create_task(self.webhook.run(self.stop))

    async def end(self) -> None:
        assert self._task is not None
        self.stop.ask("test")
        await self._task

    def alert(self, message: str = "It broke.", **more: Any) -> None:
        fields: dict[str, Any] = {"alert": "critical error", "severity": "CRITICAL", "match_id": "crex_A"} | more
        self.heard.bus.emit(facts.AlertRaised(at=NOON, message=message, **fields))

    @property
    def delivered(self) -> list[facts.AlertDelivered]:
        return self.heard.of(facts.AlertDelivered)

    @property
    def lost(self) -> list[facts.AlertLost]:
        return self.heard.of(facts.AlertLost)

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with self.clock.timeout(PATIENCE_SECONDS):
            while not is_so():
                await self.clock.sleep(0.005)


async def test_an_alert_is_posted_as_json_with_everything_in_it(receiver: Receiver) -> None:
    with Line(receiver.url) as line:
        line.start()
        line.alert(hint="Mend it.", context={"selector": ".score > b"}, held_back=4)
        await line.until(lambda: bool(line.delivered))
        await line.end()
    (body,) = receiver.bodies
    assert body == {
        "text": "[CRITICAL] crex_A: It broke.",
        "severity": "CRITICAL",
        "type": "critical error",
        "match_id": "crex_A",
        "message": "It broke.",
        "hint": "Mend it.",
        "time": NOON.isoformat(),
        "context": {"selector": ".score > b"},
        "held_back": 4,
        "dropped": 0,
    }
    assert receiver.requests[0].content_type == "application/json"
    assert line.delivered[0].attempts == 1


async def test_trouble_is_tried_again_until_it_is_taken(receiver: Receiver) -> None:
    receiver.statuses = [500, 0, 429, 204]
    with Line(receiver.url) as line:
        line.start()
        line.alert()
        await line.until(lambda: bool(line.delivered))
        await line.end()
    assert len(receiver.bodies) == 1
    assert line.delivered[0].attempts == 4
    assert line.lost == []


async def test_what_is_down_for_good_is_given_up_and_told_and_the_next_one_is_tried(receiver: Receiver) -> None:
    receiver.statuses = [503, 503, 503, 503, 200]
    with Line(receiver.url) as line:
        line.start()
        line.alert("first")
        line.alert("second")
        await line.until(lambda: bool(line.delivered))
        await line.end()
    assert [(lost.reason, lost.count) for lost in line.lost] == [("It answered 503.", 1)]
    assert [body["message"] for body in receiver.bodies] == ["second"]


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 404, 410])
async def test_a_refusal_is_not_repeated_and_a_redirect_not_followed(receiver: Receiver, status: int) -> None:
    receiver.statuses = [status]
    receiver.headers = {"Location": "/elsewhere"}
    with Line(receiver.url) as line:
        line.start()
        line.alert()
        await line.until(lambda: bool(line.lost))
        await line.end()
    assert (len(receiver.requests), receiver.strays) == (1, [])
    assert line.lost[0].reason == f"It answered {status}."


async def test_putting_something_in_never_waits_and_the_oldest_go_first(receiver: Receiver) -> None:
    with Line(receiver.url) as line:
        for number in range(12):
            line.alert(str(number))
        line.start()
        await line.until(lambda: len(line.delivered) == 5)
        await line.end()
    assert [body["message"] for body in receiver.bodies] == ["7", "8", "9", "10", "11"]
    assert [body["dropped"] for body in receiver.bodies] == [7, 0, 0, 0, 0]
    assert [(lost.reason, lost.count) for lost in line.lost] == [("too many wait", 7)]


async def test_at_the_end_what_waits_is_sent_once_more_and_not_for_long(receiver: Receiver) -> None:
    receiver.statuses = [500, 200]
    slow = WebhookOptions(call_seconds=0.3, flush_seconds=0.3, backoff=BackoffPolicy(base_seconds=60, max_seconds=60))
    with Line(receiver.url, slow) as line:
        line.start()
        line.alert("waits for its second attempt")
        line.alert("waits behind it")
        await line.until(lambda: len(receiver.requests) == 1)
        await line.end()
        assert [body["message"] for body in receiver.bodies] == ["waits for its second attempt", "waits behind it"]
    receiver.statuses = [0]
    with Line(receiver.url, slow) as line:
        line.start()
        line.alert("one")
        line.alert("two")
        await line.until(lambda: len(receiver.requests) == 4)
        await line.end()
    assert sum(lost.count for lost in line.lost) == 2


async def test_without_an_address_nothing_is_kept_and_a_new_one_holds_from_then_on(receiver: Receiver) -> None:
    with Line("") as line:
        line.start()
        line.alert("before")
        await asyncio.sleep(0)
        line.webhook.readdress(receiver.url)
        line.alert("after")
        await line.until(lambda: bool(line.delivered))
        line.webhook.readdress("")
        line.alert("gone again")
        await line.end()
    assert [body["message"] for body in receiver.bodies] == ["after"]
    assert line.lost == []


@pytest.mark.req("H2")
async def test_neither_the_address_nor_any_other_secret_is_told(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses = [404]
    unreachable = "http://127.0.0.1:1/hooks/T0001/very-secret-part"
    with caplog.at_level(logging.DEBUG):
        for url in (receiver.url, unreachable, "http://127.0.0.1:99999/very-secret-part", "http://[/very-secret-part"):
            with Line(url) as line:
                line.start()
                line.alert("the token=abcdefgh123456 leaked", context={"password": "hunter2secret"})
                await line.until(lambda line=line: bool(line.lost))  # type: ignore[misc]  # of this round
                await line.end()
                assert "very-secret-part" not in str(line.heard.of(facts.AlertLost))
    assert "very-secret-part" not in caplog.text
    receiver.statuses = [200]
    with Line(receiver.url) as line:
        line.start()
        line.alert("the token=abcdefgh123456 leaked", context={"password": "hunter2secret"})
        await line.until(lambda: bool(line.delivered))
        await line.end()
    assert "abcdefgh123456" not in str(receiver.bodies)
    assert "hunter2secret" not in str(receiver.bodies)
    assert HIDDEN in receiver.bodies[0]["message"]


async def test_a_monstrous_alert_is_sent_without_its_context(receiver: Receiver) -> None:
    with Line(receiver.url) as line:
        line.start()
        line.alert(context={str(number): "x" * 20_000 for number in range(60)})
        await line.until(lambda: bool(line.delivered))
        await line.end()
    (body,) = receiver.bodies
    assert len(json.dumps(body)) < BODY_BYTES_MAX
    assert "cut" in body["context"]


def test_a_protected_address_is_hidden_in_parts_too() -> None:
    from longstop.settings import load, secrets_in

    url = "https://user:hook-password@hooks.example.com/services/T00000001/abcdefghijklmnopqrstuvwx"
    loaded = load(file=None, environ={"ALERT_WEBHOOK_URL": url}, overrides={})
    for secret in (secrets := list(secrets_in(loaded.settings))):
        REDACTOR.protect(secret)
    try:
        for part in (url, "/services/T00000001/abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx", "hook-password"):
            assert part not in REDACTOR.text(f"POST {part} failed")
    finally:
        for secret in secrets:
            REDACTOR.forget(secret)
