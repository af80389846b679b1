"""A10: secrets are put wherever the door looks, everything goes wrong, everything is logged, and none is seen again."""

import base64
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from prometheus_client import generate_latest

from longstop.domain.access import Scope
from longstop.domain.errors import LongstopError
from longstop.observe.alerts import Alerts
from longstop.observe.logs import configure_logging
from longstop.observe.metrics import Metrics
from longstop.observe.narration import Narrator
from longstop.observe.redact import Redactor
from longstop.serve.entry.keys import make_key
from tests.unit.serve.entry.forgeries import Forger
from tests.unit.serve.entry.house import MATCH, TOKEN, House

pytestmark = [pytest.mark.req("G2"), pytest.mark.req("H2")]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything, at DEBUG. The redactor knows no secret by name: what it hides it hides by its look."""
    stream = io.StringIO()
    logs = configure_logging("DEBUG", stream, redactor=Redactor())
    yield stream
    logs.close()


async def provoke(client: httpx.AsyncClient, secrets: list[str]) -> list[httpx.Response]:
    """Each secret in each place, good or not."""
    answers = []
    for secret in secrets:
        for headers in (
            {"Authorization": f"Bearer {secret}"},
            {"Authorization": f"Basic {base64.b64encode(f'x:{secret}'.encode()).decode()}"},
            {"Authorization": secret},
            {"X-API-Key": secret},
            {"Cookie": f"longstop_session={secret}"},
            {"X-CSRF-Token": secret, "Cookie": f"longstop_session={secret}"},
        ):
            for method, path in (("GET", MATCH), ("POST", "/admin/recycle"), ("POST", TOKEN), ("GET", "/nowhere")):
                answers.append(await client.request(method, path, headers=headers))
        for body in ({"api_key": secret}, {"api_key": secret, "scope": "root"}, {"api_key": [secret]}):
            answers.append(await client.post(TOKEN, json=body))
            answers.append(await client.post("/console/login", json=body))
        form = {"grant_type": "client_credentials", "client_secret": secret, "client_id": secret}
        answers.append(await client.post(TOKEN, data=form))
        answers.append(await client.post(TOKEN, data=form | {"grant_type": secret}))
        answers.append(await client.get(f"{MATCH}?access_token={quote(secret)}"))
    return answers


def disguises(secret: str) -> list[str]:
    raw = secret.encode()
    return [
        secret,
        quote(secret, safe=""),
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
        raw.hex(),
    ]


async def test_no_key_no_token_and_no_secret_is_seen_anywhere(house: House, log: io.StringIO, tmp_path: Path) -> None:
    narrator, alerts, metrics = Narrator(logging.getLogger("longstop.engine")), Alerts(10), Metrics()
    house.heard.bus.subscribe_all(narrator.tell)
    alerts.subscribe(house.heard.bus)
    metrics.subscribe(house.heard.bus)
    signer = house.hall._tokens.ring.signer(house.clock.now())
    keys = [await house.key(*Scope, consumer=f"c{number}") for number in range(4)]
    ended = await house.key(Scope.READ)
    await house.end(ended.key)
    unknown = make_key("nobody", frozenset({Scope.READ}), house.clock.now())
    tokens = [await house.token(made) for made in keys]
    forger = Forger(tokens[0], signer, int(house.clock.now().timestamp()))
    forged = [forger.claiming(scope="admin read"), forger.headed(kid="x"), forger.claiming(exp=1)]
    secrets = [*(made.plain for made in (*keys, ended, unknown)), *tokens, *forged, signer.secret.hex()]
    house.engine.failure = LongstopError("The engine broke.")
    answers = []
    for peer in ("192.0.2.9", "127.0.0.1"):
        async with house.client(peer) as client:
            answers += await provoke(client, secrets)
        house.hall._limiter._windows.clear()  # type: ignore[attr-defined]  # attempts have a test of their own
    await house.hall.journal.flush()
    given = [answer.json()["access_token"] for answer in answers if "access_token" in answer.text]
    told = {
        "log": log.getvalue(),
        "access log": (tmp_path / "access.log").read_text(),
        "metrics": generate_latest(metrics.registry).decode(),
        "signals": repr(house.heard.all),
        "answers": "".join(answer.text for answer in answers if "access_token" not in answer.text),
        "headers": repr([[each for each in answer.headers.items() if each[0] != "set-cookie"] for answer in answers]),
        "access.db": (tmp_path / "access" / "access.db").read_bytes().decode("latin-1"),
    }
    assert len(secrets) >= 14
    assert len(answers) > 400
    assert {answer.status_code for answer in answers} >= {200, 400, 401, 404, 500}
    hidden = [(secret[:12], each) for secret in (*secrets, *given[:6]) for each in disguises(secret)]
    seen = [(place, whose) for place, text in told.items() for whose, each in hidden if each in text]
    assert seen == []
    assert told["log"].count("\n") == len([json.loads(line) for line in told["log"].splitlines()])


async def test_what_looks_like_a_key_of_ours_is_hidden_even_when_nobody_was_warned(house: House) -> None:
    made = make_key("acme", frozenset({Scope.READ}), house.clock.now())
    assert made.plain not in Redactor().text(f"a person pasted {made.plain} into a note")
