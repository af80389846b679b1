"""One list says what runs, how often it is begun anew, and what happens beyond that."""

import pytest

from longstop.settings import load
from longstop.supervise.engine_settings import engine_options
from longstop.supervise.options import EngineOptions
from longstop.supervise.tree import BEYOND, BUDGETS, TREE, Level
from scripts.diagrams import PAGE, tree_diagram

pytestmark = pytest.mark.req("B3")


def test_the_budgets_of_the_list_are_those_of_the_settings() -> None:
    options = engine_options(load(file=None, environ={}, overrides={}).settings)
    assert {Level.TOP: options.top_budget, Level.SCRAPER: options.scraper_budget} == BUDGETS
    assert (EngineOptions().top_budget, EngineOptions().scraper_budget) == (options.top_budget, options.scraper_budget)


def test_every_level_says_what_is_beyond_it_and_the_page_shows_both() -> None:
    assert set(BEYOND) == set(BUDGETS) == set(Level) == {post.level for post in TREE}
    page = PAGE.read_text(encoding="utf-8")
    assert tree_diagram() in page
    assert all(beyond in page for beyond in BEYOND.values())
