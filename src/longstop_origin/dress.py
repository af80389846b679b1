"""What the guards make of a match page."""

from longstop_origin.fixture import Fixture
from longstop_origin.guards import Guards
from longstop_origin.hostile import trouble
from longstop_origin.page_script import PageOptions
from longstop_origin.pages import PageDress
from longstop_origin.score_part import names_of


def of_page(fixture: Fixture, guards: Guards, nonce: str) -> PageDress:
    options = PageOptions(
        key=fixture.key,
        teams=teams_of(fixture),
        nonce=nonce,
        wants_token=guards.token is not None,
        part=names_of(guards.dom, fixture.key)["part"] if guards.server_rendered else "",
        poll_seconds=guards.poll,
        leak_megabytes_per_minute=guards.heavy or 0.0,
        hang_seconds=guards.hang or 0.0,
        silent_seconds=guards.silent or 0.0,
    )
    return PageDress(options, guards.dom, "" if guards.hostile is None else trouble(guards.hostile))


def teams_of(fixture: Fixture) -> str:
    """The codes of the two teams, as the live state has them in `a`."""
    return ".".join(fixture.codes.teams[team.name] for team in fixture.script.teams)
