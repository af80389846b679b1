"""Celery around the journal of rounds: messages say what to look at, the journal says whether there is anything to do.

Nothing is kept in messages. Each may be lost, late, or come twice: `sweep` sends again what the journal still holds.
"""

from collections.abc import Coroutine
from typing import Any, Final, Protocol

from celery import Celery  # type: ignore[import-untyped]  # it brings no types
from kombu.entity import Queue

from longstop.store.rounds.dueness import Due

QUEUE: Final = "longstop"
SWEEP: Final = "longstop.sweep"
PRUNE: Final = "longstop.prune"
PULSE: Final = "longstop.pulse"
SWEEP_SECONDS: Final = 2.0
PRUNE_SECONDS: Final = 3600.0
# A message about something due that nobody has begun by then is dropped: the next sweep sends it again.
STALE_SECONDS: Final = 4.0
# Far beyond what bounded calls and statements can take together: whoever is at it for so long hangs.
TASK_SECONDS_MAX: Final = 300
VISIBILITY_SECONDS: Final = 600.0


class Hands(Protocol):
    """Who does the work. `run` waits in this thread for what runs on the loop of the hands."""

    def run(self, work: Coroutine[Any, Any, Any]) -> Any: ...

    def list_round(self, job_id: str) -> Coroutine[Any, Any, bool]: ...

    def scrape_match(self, job_id: str, key: str) -> Coroutine[Any, Any, bool]: ...

    def due(self) -> Coroutine[Any, Any, Due]: ...

    def prune(self) -> Coroutine[Any, Any, int]: ...

    def answer(self, stamp: float) -> None: ...


def make_app(
    broker_url: str, hands: Hands | None, visibility_seconds: float = VISIBILITY_SECONDS, *, pulse_name: str = ""
) -> Celery:
    """Without hands it can only send."""
    app = Celery("longstop", broker=broker_url, set_as_current=False)
    app.conf.update(**_settings(visibility_seconds), **_schedule(), task_queues=_queues(pulse_name))
    if hands is not None:
        _add_round_tasks(app, hands)
        _add_upkeep(app, hands)
    return app


def _add_round_tasks(app: Celery, hands: Hands) -> None:
    @app.task(name="longstop.list_round")  # type: ignore[untyped-decorator]  # Celery brings no types
    def list_round(job_id: str) -> None:
        if hands.run(hands.list_round(job_id)):
            send(app, SWEEP)  # its matches need not wait for the next one

    @app.task(name="longstop.scrape_match")  # type: ignore[untyped-decorator]  # the same
    def scrape_match(job_id: str, key: str) -> None:
        hands.run(hands.scrape_match(job_id, key))


def _add_upkeep(app: Celery, hands: Hands) -> None:
    @app.task(name=SWEEP)  # type: ignore[untyped-decorator]  # the same
    def sweep() -> None:
        due = hands.run(hands.due())
        wanted = [("longstop.list_round", (job_id,)) for job_id in due.jobs]
        for name, words in [*wanted, *(("longstop.scrape_match", task) for task in due.tasks)]:
            send(app, name, *words)

    @app.task(name=PRUNE)  # type: ignore[untyped-decorator]  # the same
    def prune() -> None:
        hands.run(hands.prune())

    @app.task(name=PULSE)  # type: ignore[untyped-decorator]  # the same
    def pulse(stamp: float) -> None:
        hands.answer(stamp)


def send(app: Celery, name: str, *words: Any, queue: str = QUEUE, connection: Any = None) -> None:
    """Old ones are dropped, so that a queue without workers does not become a wall of them."""
    app.send_task(name, args=words, queue=queue, expires=STALE_SECONDS, connection=connection, retry=False)


def _queues(pulse_name: str) -> list[Queue]:
    """The work, and the pulses of one worker in a queue of its own; RabbitMQ forgets it a minute after its last use."""
    work = Queue(QUEUE, routing_key=QUEUE)  # type: ignore[no-untyped-call]  # kombu has few types
    if not pulse_name:
        return [work]
    name = f"{PULSE}.{pulse_name}"
    pulses = Queue(name, routing_key=name, durable=False, auto_delete=True, expires=60)  # type: ignore[no-untyped-call]  # the same
    return [work, pulses]


def _settings(visibility_seconds: float) -> dict[str, Any]:
    return {
        "accept_content": ["json"],
        "broker_connection_max_retries": None,
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {"visibility_timeout": visibility_seconds, "socket_timeout": 10.0},
        "enable_utc": True,
        "task_acks_late": True,
        "task_default_queue": QUEUE,
        "task_ignore_result": True,
        "task_reject_on_worker_lost": True,
        "task_serializer": "json",
        "task_time_limit": TASK_SECONDS_MAX,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_hijack_root_logger": False,
        "worker_prefetch_multiplier": 1,
        "worker_redirect_stdouts": False,
        "worker_send_task_events": False,
    }


def _schedule() -> dict[str, Any]:
    fresh = {"expires": STALE_SECONDS, "queue": QUEUE}
    return {
        "beat_schedule": {
            "sweep": {"task": SWEEP, "schedule": SWEEP_SECONDS, "options": fresh},
            "prune": {"task": PRUNE, "schedule": PRUNE_SECONDS, "options": {"queue": QUEUE}},
        },
        "beat_max_loop_interval": SWEEP_SECONDS,
    }
