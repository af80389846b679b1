"""Tokens that end each 30 s, and a site that refuses every 40th call: replay holds, one browser learns."""

from collections.abc import Iterator

from benchmarks.figures import Figure, Wishes, at_least, below, exactly, noted
from benchmarks.proofs.ladder_stage import Stage, about_ages, about_end, about_record, held

MATCHES = 20
TOKEN_SECONDS = 30


def prove_tokens(wishes: Wishes) -> Iterator[Figure]:
    guards = (f"token={TOKEN_SECONDS}", "refuse-every=40")
    seen = held(Stage(MATCHES, guards, speed=wishes.speed), wishes.minutes * 60)
    yield noted("watched", round(seen.seconds), "s")
    yield from about_ages(seen)
    yield exactly("matches on replay at the end", seen.scene.rungs["replay"], sum(seen.scene.rungs.values()))
    yield noted("rung changes", seen.told("rung changed"))
    yield at_least("recipes learnt", seen.told("recipe learnt"), max(1, int(seen.seconds / TOKEN_SECONDS)))
    yield exactly("browsers started", seen.told("browser started"), 1)
    # One page for each lesson; a match held open would load no more pages, but keep asking.
    lessons = seen.told("recipe learnt")
    yield below("pages loaded for each recipe", seen.stats["page_loads"] / max(1, lessons), 1.5)
    yield noted("calls refused", ", ".join(f"{count} by {name}" for name, count in seen.stats["refused"].items()))
    yield from about_record(seen)
    yield from about_end(seen)
