"""The connection goes to the address that was checked, and speaks to the name that was asked for."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from longstop.clock import SystemClock
from longstop.domain.errors import SourceUnreachableError
from longstop.fetch.egress.guard import rules_for
from longstop.fetch.egress.resolver import PinnedResolver
from longstop.fetch.http import HttpFetcher
from longstop.fetch.snapshot import FetchRequest


class TlsSite:
    def __init__(self) -> None:
        self.names: list[str | None] = []
        self.requests = 0
        self.port = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.requests += 1
        writer.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For the right name, signed by nobody."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl on this machine")
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=site.example"
    more = ["-addext", "subjectAltName=DNS:site.example", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*command.split(), *more], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
async def tls_site(certificate: Path) -> AsyncIterator[TlsSite]:
    made = TlsSite()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    context.sni_callback = lambda _, name, __: made.names.append(name)
    server = await asyncio.start_server(made.handle, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await server.wait_closed()


def fetcher_to(port: int) -> HttpFetcher:
    async def lookup(host: str) -> Sequence[str]:
        return ["127.0.0.1"]

    rules = rules_for("crex", f"https://site.example:{port}", (), ("127.0.0.1",))
    return HttpFetcher(SystemClock(), resolver=PinnedResolver(rules, lookup, SystemClock()))


@pytest.mark.req("D3")
async def test_a_certificate_that_nobody_signed_ends_the_call_before_anything_is_said(tls_site: TlsSite) -> None:
    fetcher = fetcher_to(tls_site.port)
    with pytest.raises(SourceUnreachableError, match="Certificate"):
        await fetcher.fetch(FetchRequest("crex", f"https://site.example:{tls_site.port}/", "state"))
    await fetcher.close()
    assert tls_site.names == ["site.example"]  # the name, although the connection went to a pinned address
    assert tls_site.requests == 0


async def test_a_site_that_speaks_no_tls_is_unreachable() -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    fetcher = fetcher_to(port)
    with pytest.raises(SourceUnreachableError):
        await fetcher.fetch(FetchRequest("crex", f"https://site.example:{port}/", "state"))
    await fetcher.close()
    server.close()
