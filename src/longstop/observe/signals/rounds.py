"""What happens to rounds. Each names its job, its match where it is about one, and the attempt."""

from longstop.observe.signals.bus import Signal


class RoundAsked(Signal, frozen=True, kw_only=True):
    """`is_new` False: there was a job for it already."""

    source: str
    job_id: str
    round: str
    is_new: bool


class RoundWorked(Signal, frozen=True, kw_only=True):
    """One lease was worked off; without a match it was the list of its round. `outcome`: listed, stored, unchanged,
    not_played, again, waits, dead, or lost to somebody else."""

    source: str
    job_id: str
    match_id: str
    attempt: int
    outcome: str
    duration_seconds: float
    error_type: str = ""
    error_message: str = ""
    hint: str = ""


class RoundSettled(Signal, frozen=True, kw_only=True):
    """Nothing is left to do: DONE, FAILED with dead letters, or CANCELLED."""

    source: str
    job_id: str
    round: str
    state: str
