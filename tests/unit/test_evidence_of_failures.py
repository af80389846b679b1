"""What is kept of a failure: what could not be read, or the page that was open when nothing came."""

from pathlib import Path

import pytest

from longstop.domain.errors import FetchError, MalformedPayloadError, PayloadError, SourceTimeoutError
from longstop.fetch.evidence import EvidenceStore
from longstop.pipeline import OutcomeKind, Pipeline
from tests.polling import CLOCK, Table, table


class OpenPage:
    """Of a fetcher that knows several ways, what a look at its open page needs."""

    def __init__(self, markup: bytes | None = b"<p>challenge</p>") -> None:
        self.page = markup
        self.distrusted = 0

    async def markup(self, key: str) -> bytes | None:
        return self.page

    async def picture(self, key: str) -> bytes | None:
        return None if self.page is None else b"\x89PNG"

    def distrust(self, key: str, error: PayloadError) -> None:
        self.distrusted += 1

    def shut(self, key: str, reason: str) -> None: ...

    async def let_go(self, key: str) -> None: ...


async def watched(folder: Path, page: OpenPage) -> Table:
    it = await table(9)
    store = EvidenceStore(folder, CLOCK, 8)
    it.pipeline = Pipeline(it.source, it.fetcher, it.store, CLOCK, it.heard.bus, page, store)
    return it


@pytest.mark.req("B10")
async def test_a_failure_refers_to_the_page_that_was_open(tmp_path: Path) -> None:
    """A page that falls silent brings no payload that could be looked at; what it shows says why."""
    it = await watched(tmp_path, OpenPage())
    outcome = await it.poll(state=SourceTimeoutError("The page made no call of its own."))
    assert outcome.kind is OutcomeKind.FAILED
    assert isinstance(outcome.error, FetchError)
    page, picture = outcome.error.evidence
    assert (tmp_path / page).read_bytes() == b"<p>challenge</p>"
    assert (tmp_path / picture).read_bytes() == b"\x89PNG"
    again = await it.poll(state=SourceTimeoutError("The page made no call of its own."))
    assert isinstance(again.error, FetchError)
    assert again.error.evidence == ()  # one a minute is enough


@pytest.mark.req("B10")
async def test_without_an_open_page_there_is_nothing_to_keep(tmp_path: Path) -> None:
    it = await watched(tmp_path, OpenPage(None))
    outcome = await it.poll(state=SourceTimeoutError("Slow."))
    assert isinstance(outcome.error, FetchError)
    assert outcome.error.evidence == ()
    assert not (tmp_path / "error_pages").exists()


@pytest.mark.req("B10")
async def test_what_cannot_be_read_is_kept_itself(tmp_path: Path) -> None:
    page = OpenPage()
    it = await watched(tmp_path, page)
    outcome = await it.poll(state=b"[")
    assert isinstance(outcome.error, MalformedPayloadError)
    assert (tmp_path / outcome.error.evidence[0]).read_bytes() == b"["
    assert page.distrusted == 1
