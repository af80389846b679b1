"""Everything that the OpenAPI document allows, asked many times over, and everything that it does not allow."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import ROOT, Figure, ProofError, Wishes, exactly, noted
from benchmarks.processes import empty_folder
from benchmarks.proofs.serving_cost import AT, serving, token

EXAMPLES = 150
SECONDS_MAX = 900
_CONFIGURATION = ROOT / "tests" / "acceptance" / "schemathesis.toml"
_CASES = re.compile(r"(\d+) generated")


def prove_document(_: Wishes) -> Iterator[Figure]:
    with empty_folder("document") as folder, serving("full", folder / "full") as server:
        url = server.until_said(AT)
        bearer = asyncio.run(token(url, folder / "full"))
        done = subprocess.run(
            [
                *(
                    str(Path(sys.executable).with_name("schemathesis")),
                    "--config-file",
                    str(_CONFIGURATION),
                    "--no-color",
                ),
                *("run", f"{url}/schema/openapi.json", "-H", f"Authorization: Bearer {bearer}"),
                *("--exclude-path-regex", "/stream$", "--max-examples", str(EXAMPLES)),
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        if (found := _CASES.search(done.stdout)) is None:
            raise ProofError(f"schemathesis did not run: {(done.stdout + done.stderr)[-300:]}")
        yield noted("cases", int(found[1]))
        failures = [line.strip() for line in done.stdout.splitlines() if line.startswith("- ST")]
        yield exactly("failures that schemathesis found", "; ".join(failures)[:300] or "none", "none")
        yield exactly("its exit code", done.returncode, 0)
