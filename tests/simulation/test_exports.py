"""A real match is played through the whole engine, and what is exported is the file it was played from."""

import asyncio
import csv
import io
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from longstop import virtual_time
from longstop.clock import SystemClock
from longstop.observe.health import Board
from longstop.observe.signals import Signals
from longstop.serve.api import create_app
from longstop.serve.entry.hall import open_to_this_machine
from longstop.serve.reading import Instance, ReadModel
from longstop.store.contract import NamesRow, WriteBatch
from longstop.store.sqlite import SqliteStore
from longstop_origin.cricsheet import load_cricsheet, parse_cricsheet
from longstop_origin.replay.run import EPOCH, ReplayOptions, _Replay
from longstop_origin.world import World, WorldOptions

pytestmark = pytest.mark.req("G1")

Document = dict[str, Any]
FILES = ("t20i/1187679.json", "t20i/1115799.json", "odi/1031669.json", "ipl/1082648.json", "test/1086066.json")


class Played(_Replay):
    """Before its store goes, all that it holds is taken out: files are made beside the loop, and on virtual time there
    is nothing beside it."""

    batch: WriteBatch

    async def _tell(self, late: tuple[str, ...]) -> dict[str, Any]:
        assert not late
        store, match_id = self._store, self._match_id
        page, row = await store.ledger(match_id), await store.match(match_id)
        assert page.live is not None
        assert row is not None
        self.batch = WriteBatch(
            matches=(row,),
            live=(page.live,),
            deliveries=page.deliveries,
            innings=page.innings,
            gaps=page.gaps,
            names=(NamesRow("crex", await store.names("crex")),),
        )
        return {"match_id": match_id}


def played(file: Path, *paths: str) -> list[httpx.Response]:
    world = World(
        WorldOptions(epoch=EPOCH.timestamp(), seed=0, speed=10.0, scripts=[load_cricsheet(file)], corrections="none")
    )
    replay = Played(world, ReplayOptions())
    match_id = virtual_time.run(replay.run())["match_id"]
    return asyncio.run(ask(replay.batch, [f"/cricket-data/matches/{match_id}/{path}" for path in paths]))


async def ask(batch: WriteBatch, addresses: list[str]) -> list[httpx.Response]:
    clock, bus = SystemClock(), Signals()
    store = SqliteStore(None, clock=clock)
    await store.open()
    await store.save(batch)
    names = await store.names("crex")
    model = ReadModel(store, Board(clock.now()), lambda _: names, clock, Instance("test", "0.1.0"), bus=bus)
    transport = httpx.ASGITransport(app=create_app(model, open_to_this_machine(clock, bus)))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answers = [await client.get(address) for address in addresses]
    await store.close()
    assert [answer.status_code for answer in answers] == [200] * len(answers), answers[0].text[:400]
    return answers


def plain(innings: Document) -> Document:
    """What the two files must agree on: no reviews, no power plays, no fielder without a name."""
    kept = {name: innings[name] for name in ("team", "super_over", "declared", "forfeited") if innings.get(name)}
    kept["target"] = innings.get("target", {}).get("runs")
    kept["overs"] = [
        {"over": over["over"], "deliveries": [plain_ball(ball) for ball in over["deliveries"]]}
        for over in innings.get("overs", [])
    ]
    return kept


def plain_ball(ball: Document) -> Document:
    names = ("batter", "bowler", "non_striker", "runs", "extras", "replacements")
    kept = {name: ball[name] for name in names if ball.get(name)}
    if "wickets" in ball:
        kept["wickets"] = [
            {
                "player_out": wicket["player_out"],
                "kind": wicket["kind"],
                "fielders": [each["name"] for each in wicket.get("fielders", []) if "name" in each],
            }
            for wicket in ball["wickets"]
        ]
    return kept


def differences(exported: Document, file: Document) -> list[str]:
    found = [] if len(exported["innings"]) == len(file["innings"]) else ["another number of innings"]
    for number, (ours, theirs) in enumerate(zip(exported["innings"], file["innings"], strict=False), start=1):
        if plain(ours) != plain(theirs):
            found.append(f"innings {number}: {first_difference(plain(ours), plain(theirs))}")
    if exported["info"]["outcome"] != file["info"]["outcome"]:
        found.append(f"outcome {exported['info']['outcome']} is not {file['info']['outcome']}")
    return found


def first_difference(ours: Any, theirs: Any) -> str:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = sorted(set(ours) | set(theirs))
        return next(
            f"{name}: {first_difference(ours.get(name), theirs.get(name))}"
            for name in names
            if ours.get(name) != theirs.get(name)
        )
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return next(first_difference(mine, yours) for mine, yours in zip(ours, theirs, strict=True) if mine != yours)
    return f"{ours!r} is not {theirs!r}"


@pytest.mark.parametrize("name", FILES)
def test_what_is_exported_is_the_file_that_was_played(shared_data: Path, name: str) -> None:
    file = shared_data / "cricsheet" / name
    document = msgspec.json.decode(file.read_bytes())
    export, card, table = played(file, "export", "scorecard", "export?format=csv")
    exported = export.json()
    assert differences(exported, document) == []
    assert exported["meta"]["data_version"] == "1.1.0"
    assert exported["info"]["teams"] == document["info"]["teams"] or set(exported["info"]["teams"]) == set(
        document["info"]["teams"]
    )
    assert exported["info"]["toss"]["winner"] == document["info"]["toss"]["winner"]
    assert exported["info"].get("overs") == document["info"].get("overs")
    assert exported["meta"]["longstop"]["gaps"] == []
    check_card(card.json(), document)
    check_table(table, document)
    load_cricsheet_again(export.content)


def check_card(card: Document, document: Document) -> None:
    """The scorecard adds up: to the balls of the file, by batter and by bowler, and to the board."""
    for told, innings in zip(card["innings"], document["innings"], strict=True):
        balls = [ball for over in innings.get("overs", []) for ball in over["deliveries"]]
        penalties = sum(innings.get("penalty_runs", {}).values())
        assert told["runs"] == sum(ball["runs"]["total"] for ball in balls) + penalties
        assert told["is_whole"], (told["board"], told["runs"], told["wickets"])
        scored: dict[str, int] = {}
        for ball in balls:
            scored[ball["batter"]] = scored.get(ball["batter"], 0) + ball["runs"]["batter"]
        assert {each["player"]["name"]: each["runs"] for each in told["batting"]} | scored == {
            each["player"]["name"]: each["runs"] for each in told["batting"]
        }
        assert sum(each["runs"] for each in told["batting"]) + told["extras"]["total"] == told["runs"]
        assert len(told["fall_of_wickets"]) == told["wickets"]
        falls = [fall["runs"] for fall in told["fall_of_wickets"]]
        assert falls == sorted(falls)
        assert sum(each["balls"] for each in told["bowling"]) == told["legal_balls"]


def check_table(answer: httpx.Response, document: Document) -> None:
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    balls = [ball for innings in document["innings"] for over in innings["overs"] for ball in over["deliveries"]]
    assert [row["striker"] for row in rows] == [ball["batter"] for ball in balls]
    assert [int(row["total"]) for row in rows] == [ball["runs"]["total"] for ball in balls]
    assert [row["player_dismissed"] for row in rows if row["player_dismissed"]] == [
        ball["wickets"][0]["player_out"] for ball in balls if "wickets" in ball
    ]


def load_cricsheet_again(exported: bytes) -> None:
    """Whoever reads Cricsheet reads ours."""
    assert parse_cricsheet(msgspec.json.decode(exported), identity="1").innings


def test_parquet_holds_the_same_rows_with_their_types(shared_data: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    text, binary = played(shared_data / "cricsheet" / FILES[0], "export?format=csv", "export?format=parquet")
    table = parquet.read_table(io.BytesIO(binary.content))
    rows = list(csv.DictReader(io.StringIO(text.text)))
    assert table.num_rows == len(rows)
    assert table.column("bowler").to_pylist() == [row["bowler"] for row in rows]
    assert {str(table.schema.field(name).type) for name in ("innings", "total")} == {"int64"}
    assert str(table.schema.field("captured_at").type) == "timestamp[us, tz=UTC]"
