"""What a life of the process has not given back when it ended in order."""

import asyncio
from collections.abc import Iterator

from longstop_origin.storm.life import SOURCE, Life


def leaks_of(life: Life) -> Iterator[str]:
    permits, source = life.polite._permits, life.source  # noqa: SLF001 - nobody else needs to count them
    if permits._value != source.manifest.max_concurrent:  # noqa: SLF001 - the same
        yield f"{permits._value} of {source.manifest.max_concurrent} permits to call"  # noqa: SLF001 - the same
    if life.polite.waiting:
        yield f"{life.polite.waiting} places in the line"
    if life.browser.opened != life.browser.closed:
        yield f"{life.browser.opened - life.browser.closed} pages are open"
    progress = life.engine.progress()
    if progress.running or progress.hanging:
        yield f"{progress.running} turns run, {progress.hanging} hang"
    yield from stray_probes(life)
    for task in sorted(task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()):
        yield f"the task {task} runs on"


def stray_probes(life: Life) -> Iterator[str]:
    """Probes that count as under way while nothing of their match is."""
    running = life.engine.scheduler._running  # noqa: SLF001 - the same
    for standing in life.ladder._standings.values():  # noqa: SLF001 - the same
        is_probing = standing.probing is not None and not standing.probing.done()
        out = sum(breaker._probes_out for breaker in standing.breakers)  # noqa: SLF001 - the same
        if out and not is_probing and f"{SOURCE}_{standing.key}" not in running:
            yield f"{out} probes of {standing.key}"
