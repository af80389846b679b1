"""A house with its door: the whole application with real keys, tokens and an access log, in a folder of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from longstop.domain.access import ApiKey, Scope, Tier
from longstop.fetch.evidence import EvidenceReader
from longstop.serve.admin import AdminDesk
from longstop.serve.api import create_app
from longstop.serve.entry.hall import Hall
from longstop.serve.entry.keys import NewKey, make_key
from longstop.serve.push_routes import PushDesk
from longstop.settings import Settings
from longstop.settings.serving import ApiSettings, AuthSettings, LimitSettings, StorageSettings
from longstop.store.pushes import PushJournal
from tests.unit.serve.test_admin import Engine
from tests.unit.serve.world import World
from tests.virtual import Heard

ELSEWHERE = "192.0.2.9"
MATCH = "/cricket-data/match-info/crex_QUY"
TOKEN = "/token/generate-token"


def settings_in(folder: Path, *, auth: AuthSettings | None = None, limits: LimitSettings | None = None) -> Settings:
    api = ApiSettings(auth=auth or AuthSettings(), limits=limits or LimitSettings())
    return Settings(api=api, storage=StorageSettings(root=folder))


class House:
    """`open` it first. Callers come from another machine unless told otherwise."""

    def __init__(self, settings: Settings) -> None:
        self.world = World()
        self.world.add()
        self.heard = Heard()
        self.engine = Engine()
        self.clock = self.world.clock
        self.hall = Hall(settings, self.clock, self.heard.bus)
        kept = EvidenceReader(Path(settings.storage.root))
        desk = AdminDesk(
            self._reload, self.clock, self.heard.bus, self.engine, self.hall.audit.written, evidence=kept.read
        )
        self.pushes = PushJournal(Path(settings.storage.root) / "pushes.db", waiting_max=10)
        push = PushDesk(self.pushes, self.clock, self.heard.bus)
        self.app = create_app(self.world.model, self.hall.entry(), admin=desk, push=push)

    async def _reload(self, reason: str) -> Any:
        raise AssertionError(reason)

    async def open(self) -> None:
        await self.pushes.open()
        await self.hall.open()

    async def close(self) -> None:
        await self.hall.close()
        await self.pushes.close()

    async def key(self, *scopes: Scope, consumer: str = "acme", tier: Tier = Tier.STANDARD, **more: Any) -> NewKey:
        made = make_key(consumer, frozenset(scopes or {Scope.READ}), self.clock.now(), tier=tier, **more)
        await self.hall.store.add_key(made.key)
        await self.hall.directory.refresh()
        return made

    async def end(self, key: ApiKey, seconds: float = 0.0) -> None:
        await self.hall.store.end_key(key.key_id, self.clock.now() + timedelta(seconds=seconds))
        await self.hall.directory.refresh()

    @asynccontextmanager
    async def client(self, peer: str = ELSEWHERE, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False, client=(peer, 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers) as client:
            yield client

    async def token(self, made: NewKey, **body: str) -> str:
        async with self.client() as client:
            answer = await client.post(TOKEN, json={"api_key": made.plain} | body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    async def bearer(self, *scopes: Scope, **more: Any) -> dict[str, str]:
        return {"Authorization": f"Bearer {await self.token(await self.key(*scopes, **more))}"}

    async def get(self, path: str = MATCH, *, peer: str = ELSEWHERE, **headers: str) -> httpx.Response:
        async with self.client(peer) as client:
            return await client.get(path, headers=headers)
