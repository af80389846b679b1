"""A world with a server in front of it that can go away and come back; for tests of pages, and for their pictures."""

from collections.abc import Callable
from dataclasses import replace

from longstop.serve.admin import AdminDesk
from longstop.serve.api import create_app
from longstop.serve.closing import Closing
from longstop.serve.entry.hall import Entry, open_to_this_machine
from longstop.serve.gate import Gate
from longstop.serve.rounds.routes import RoundsCounter
from longstop.serve.server import ApiServer
from longstop.settings import ReloadResult
from tests.unit.serve.world import World


class Operator:
    """Does what the verbs ask, and remembers it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.refusal: Exception | None = None
        self.is_on = True

    async def _take(self, what: str) -> None:
        self.asked.append(what)
        if self.refusal is not None:
            raise self.refusal

    async def restart(self, match_id: str, reason: str) -> None:
        await self._take(f"restart {match_id}")

    async def recycle(self, reason: str) -> None:
        await self._take("recycle")

    async def pause(self, match_id: str) -> None:
        await self._take(f"pause {match_id}")

    async def resume(self, match_id: str) -> None:
        await self._take(f"resume {match_id}")

    async def stop(self, match_id: str) -> None:
        await self._take(f"stop {match_id}")

    async def choose_rung(self, match_id: str, rung: str) -> None:
        await self._take(f"rung {match_id} {rung}")

    async def switch_source(self, name: str, *, is_on: bool) -> None:
        await self._take(f"source {name} {'on' if is_on else 'off'}")
        self.is_on = is_on

    def sources(self) -> list[tuple[str, bool, int, list[str]]]:
        needs = ["sources.espn.enabled: this Longstop cannot watch espn yet; it can watch crex, sofascore"]
        return [("crex", self.is_on, int(self.is_on), []), ("espn", False, 0, needs)]

    async def start(self, url: str) -> str:
        await self._take(f"start {url}")
        return "crex_NEW"


def _open(world: World) -> Entry:
    """To whoever sits at this machine, the verbs as well."""
    return open_to_this_machine(world.clock, world.signals, admin=True)


class Site:
    def __init__(self, entry: Callable[[World], Entry] = _open, rounds: RoundsCounter | None = None) -> None:
        self.world = World()
        self._rounds = rounds
        self._entry = entry(self.world)
        self.operator = Operator()
        self.kept: dict[str, bytes] = {}
        self.closing = Closing()
        self.server = ApiServer(self._app(), "127.0.0.1", 0)

    @property
    def url(self) -> str:
        return self.server.url

    def match_url(self, match_id: str = "crex_QUY") -> str:
        return f"{self.url}/match/{match_id}"

    async def go_away(self) -> None:
        """As at the end of a process: streams end, and nobody answers."""
        port = self.server.port
        self.closing.begin()
        await self.server.stop()
        self.closing = Closing()
        self.server = ApiServer(self._app(), "127.0.0.1", port)

    async def close(self) -> None:
        self.closing.begin()
        await self.server.stop(deadline_seconds=1)

    def _app(self) -> Gate:
        desk = AdminDesk(
            reload=self._reload,
            clock=self.world.clock,
            bus=self.world.signals,
            verbs=self.operator,
            evidence=lambda folder, name: self.kept.get(f"{folder}/{name}"),
        )
        return create_app(replace(self.world.model, closing=self.closing), self._entry, admin=desk, rounds=self._rounds)

    async def _reload(self, reason: str) -> ReloadResult:
        self.operator.asked.append("reload")
        return ReloadResult("unchanged", 1)
