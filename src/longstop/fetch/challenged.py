"""The one place where an answer is found to be a challenge: by our own calls, in pages, and in what pages ask for."""

from collections.abc import Mapping
from typing import Final

from longstop.domain.challenges import challenge_in, told_in_headers
from longstop.domain.errors import ChallengeError

# What is read of a refusal to see whether it is one, and for how long it is waited for.
REFUSAL_BYTES: Final = 64 * 1024
REFUSAL_SECONDS: Final = 1.0


def recognise(status: int, headers: Mapping[str, str], body: bytes) -> ChallengeError | None:
    """Status 0 is not known. It is raised, never solved."""
    found = challenge_in(body, headers, status)
    return _error(status, found.guard) if found is not None else None


def recognise_head(status: int, headers: Mapping[str, str]) -> ChallengeError | None:
    """Before the body is there, or where nobody has it."""
    found = told_in_headers(headers, status)
    return _error(status, found.guard) if found is not None else None


def may_hide_one(status: int) -> bool:
    """A refusal says by its page whether it is one."""
    return status == 202 or 400 <= status < 500 or status == 503


def _error(status: int, guard: str) -> ChallengeError:
    return ChallengeError(f"The source answered {status or 'us'} with a challenge ({guard}).", challenge=guard)
