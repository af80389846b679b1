"""What an update costs on each rung: `make bench`.

CPU is that of the engine and everything it started (driver and Chromium), bytes are those that the site sent, headers
and all; both while the matches are watched, so that starting a browser does not count. An update is a poll that brought
something new. The same world is played to each rung; no match is fetched in two ways at a time.
"""

import argparse
from collections import Counter
from typing import Any

from benchmarks.figures import ROOT, machine, shown, tell, write_json
from benchmarks.proofs.ladder_stage import Seen, Stage, held, pss_peak_bytes

RESULT = ROOT / "var" / "bench" / "rungs.json"
MATCHES = 8
SECONDS = 25.0
GUARDS = {"replay": (), "in_page": ("page-only",), "intercept": ("page-only",), "dom": ("server-rendered",)}


def measure(matches: int, seconds: float) -> dict[str, Any]:
    found = {}
    for rung, guards in GUARDS.items():
        tell(f"{matches} matches on {rung} for {seconds:g} s")
        stage = Stage(matches, guards, (f"scraper.fetch.rungs={rung}",), has_feed=False)
        found[rung] = _figures(held(stage, seconds), matches)
    return {"matches": matches, "rungs": found, "machine": machine()}


def _figures(seen: Seen, matches: int) -> dict[str, Any]:
    first, last = seen.scene.footprints[0], seen.scene.footprints[-1]
    captures = sum(map(len, seen.scene.captures.at.values())) - matches
    # The report knows the share of polls that brought something new, over the whole run.
    polls = Counter(seen.report["polls_by_outcome"])
    updates = max(1.0, captures * polls["updated"] / max(1, polls["updated"] + polls["unchanged"]))
    cpu_seconds = last.cpu_seconds - first.cpu_seconds
    return {
        "rungs_seen": dict(seen.scene.rungs),
        "captures": captures,
        "updates": round(updates),
        "cpu_ms_per_update": round(cpu_seconds / updates * 1000, 2),
        "cpu_ms_per_capture": round(cpu_seconds / max(1, captures) * 1000, 2),
        "bytes_per_update": round(seen.site_bytes / updates),
        "bytes_per_capture": round(seen.site_bytes / max(1, captures)),
        "pss_mb": round(pss_peak_bytes(seen) / 2**20),
        "processes": last.processes,
    }


def table(found: dict[str, Any]) -> str:
    head = ("rung", "CPU/update", "CPU/capture", "bytes/update", "bytes/capture", "PSS", "processes")
    rows = [head]
    for name, each in found["rungs"].items():
        cpu = (f"{each['cpu_ms_per_update']:.1f} ms", f"{each['cpu_ms_per_capture']:.1f} ms")
        size = (f"{each['bytes_per_update']:,}", f"{each['bytes_per_capture']:,}")
        rows.append((name, *cpu, *size, f"{each['pss_mb']} MB", str(each["processes"])))
    lines = [f"{first:<12}" + "".join(f"{cell:>15}" for cell in rest) for first, *rest in rows]
    lines.append(f"{found['matches']} matches on each; CPU of engine, driver and Chromium; bytes the site sent")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rungs", description="What an update costs, by rung.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each rung is watched (%(default)g)")
    parser.add_argument("--matches", type=int, default=MATCHES, help="how many matches (%(default)d)")
    given = parser.parse_args()
    found = measure(min(max(given.matches, 1), 25), min(max(given.seconds, 5.0), 600.0))
    print(table(found))
    print(f"Written to {shown(write_json(RESULT, found))}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
