"""The OpenAPI document is true: what it allows is answered as it says, and what it does not allow is refused."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest

from benchmarks.proofs.serving_cost import AT, serving, token

pytestmark = [pytest.mark.req("G1"), pytest.mark.req("A3")]

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
# `make proof-serving` asks for many more.
EXAMPLES = 6


class Served:
    def __init__(self, url: str, bearer: str) -> None:
        self.url = url
        self.bearer = bearer
        self.document: dict[str, Any] = httpx.get(f"{url}/schema").json()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving("full", folder) as server:
        url = server.until_said(AT)
        yield Served(url, asyncio.run(token(url, folder)))


def test_schemathesis_finds_nothing_wrong(served: Served, tmp_path: Path) -> None:
    schema = f"{served.url}/schema/openapi.json"
    command = [
        *(str(SCHEMATHESIS), "--config-file", str(CONFIGURATION), "--no-color", "run", schema),
        *("-H", f"Authorization: Bearer {served.bearer}", "--exclude-path-regex", "/stream$"),
        *("--max-examples", str(EXAMPLES), "--seed", "1"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout[-6_000:]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and "responses" in operation:
                yield path, method, operation


def test_every_operation_tells_which_problems_may_come(served: Served) -> None:
    wanting = []
    for path, method, operation in operations(served.document):
        wanted = {"400", "406", "414", "500"}
        if path.startswith(("/cricket", "/admin")):
            wanted |= {"401", "403", "429"}
        if not operation.get("summary") or wanted - set(operation["responses"]):
            wanting.append((method, path, sorted(wanted - set(operation["responses"]))))
    assert wanting == []


def test_every_answer_and_every_problem_has_an_example(served: Served) -> None:
    wanting = [
        (method, path, status, media)
        for path, method, operation in operations(served.document)
        for status, response in operation["responses"].items()
        for media, content in response.get("content", {}).items()
        if media in {"application/json", "application/problem+json"} and not path.endswith("/export")
        if not (content.get("examples") or content.get("example") or _has_own(content, served))
    ]
    assert wanting == []


def _has_own(part: Any, served: Served) -> bool:
    """Fields may bring their own examples, also those of parts of it."""
    text = str(part)
    named = re.findall(r"#/components/schemas/([\w.]+)", text)
    return "'examples'" in text or any(
        _has_own(served.document["components"]["schemas"][name], served) for name in named
    )


def test_every_example_is_what_the_document_says_of_it(served: Served) -> None:
    components = {"components": served.document["components"]}
    for path, method, operation in operations(served.document):
        for status, response in operation["responses"].items():
            for content in response.get("content", {}).values():
                for name, example in content.get("examples", {}).items():
                    validator = jsonschema_rs.Draft202012Validator(content["schema"] | components)
                    errors = [str(error)[:300] for error in validator.iter_errors(example["value"])]
                    assert errors == [], (method, path, status, name)
