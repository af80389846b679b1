"""`longstop captures show`: what is known of one match, also of one that never got further than quarantine."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from longstop import virtual_time
from longstop.commands.captures import app
from longstop.domain.errors import UnknownMatchError
from longstop.store.contract import WriteBatch
from longstop.store.sqlite import SqliteOptions, SqliteStore
from tests.football_records import quarantined
from tests.polling import CLOCK

FILE = ("--set", "database.url=sqlite:///here.db")


async def held_only() -> None:
    store = SqliteStore(Path("here.db"), clock=CLOCK, options=SqliteOptions(inline=True))
    await store.open()
    await store.save(WriteBatch(quarantined=(quarantined(),)))
    await store.close()


@pytest.mark.req("D4")
def test_a_match_of_which_all_waits_in_quarantine_is_shown_with_it(run: Callable[[Any], Callable[..., Result]]) -> None:
    virtual_time.run(held_only())
    known = quarantined()
    shown = run(app)("show", str(known.match_id), *FILE)
    assert shown.exit_code == 0, shown.output
    told = json.loads(shown.stdout)
    assert (told["match"], told["sheets"]) == (None, [])
    assert [each["reason"] for each in told["quarantined"]] == [known.reason]


def test_a_match_that_nobody_knows_is_said_to_be_unknown(run: Callable[[Any], Callable[..., Result]]) -> None:
    virtual_time.run(held_only())
    assert isinstance(run(app)("show", "999", *FILE).exception, UnknownMatchError)
