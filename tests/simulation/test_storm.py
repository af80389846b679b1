"""The storm: whole lives of the engine in worlds that fail, and nothing that was promised is broken."""

import os
import subprocess
import sys

import pytest

from longstop_origin.storm import run_seed
from longstop_origin.storm.campaign import Summary, run_seeds

SEEDS = range(1, 41)


@pytest.mark.req("B7", "B8", "B9", "C5", "C6")
@pytest.mark.timeout(600)
def test_no_storm_breaks_a_promise() -> None:
    summary = Summary()
    for outcome in run_seeds(SEEDS):
        summary.add(outcome)
    assert summary.seeds == len(SEEDS)
    assert not summary.failed, "\n".join(f"{each.command}: {each.report.findings[0]}" for each in summary.failed)


def test_a_storm_lasts_ten_minutes_and_has_two_matches_at_least() -> None:
    report = run_seed(1)
    assert report.seconds >= 600
    assert report.matches >= 2


def test_a_seed_is_the_same_storm_in_every_process() -> None:
    code = "from longstop_origin.storm import run_seed; print(run_seed(13).digest)"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    }
    assert seen == {f"{run_seed(13).digest}\n"}
