"""What differs between two trees of settings."""

import pytest

from longstop.settings import Settings
from longstop.settings.changes import changes_between, is_within, with_values_of
from tests.unit.settings.conftest import Load

pytestmark = pytest.mark.req("B2")
SETS = {
    "api.port": "9000",
    "scraper.adaptive.error_intervals": "1,2,3",
    "database.url": "postgresql://u:hidden@db/x",
    "api.auth.jwt_secret": "vQ3nT8zK1xW6pL0rY5bM2hJ9dF7gS4cA",
}


def test_each_change_is_told_once_and_no_secret_with_it(loaded: Load) -> None:
    said = [str(change) for change in changes_between(Settings(), loaded(sets=SETS).settings)]
    assert said == [
        "scraper.adaptive.error_intervals: [5.0, 10.0, 20.0] → [1.0, 2.0, 3.0]",
        "database.url: sqlite:///var/longstop.db → postgresql://***@db/x",
        "api.port: 8000 → 9000",
        "api.auth.jwt_secret: empty → ***",
    ]
    assert list(changes_between(Settings(), Settings())) == []


def test_a_password_that_changed_behind_its_mask_is_a_change(loaded: Load) -> None:
    other = loaded(sets=SETS | {"database.url": "postgresql://u:other@db/x"}).settings
    (change,) = changes_between(loaded(sets=SETS).settings, other)
    assert str(change) == "database.url: postgresql://***@db/x → postgresql://***@db/x"


def test_only_the_wanted_values_are_taken_over(loaded: Load) -> None:
    wanted = loaded(sets=SETS).settings
    mixed = with_values_of(Settings(), wanted, lambda path: is_within(path, ("scraper.adaptive", "api.port")))
    assert (mixed.api.port, mixed.scraper.adaptive) == (9000, wanted.scraper.adaptive)
    assert (mixed.database, mixed.api.auth) == (Settings().database, Settings().api.auth)
    assert with_values_of(Settings(), wanted, lambda _: True) == wanted


def test_a_key_lies_within_itself_and_its_groups_and_nothing_else() -> None:
    assert is_within("api.port", ("api.port",))
    assert is_within("api.auth.jwt_secret", ("api",))
    assert not is_within("api.port", ("api.po", "ap", "api.port.x"))
    assert not is_within("api.port", ())
