"""What the filtering proxy says of itself, read by those of us who go out through it."""

from collections.abc import Mapping

from longstop.domain.errors import EgressRefusedError, ExitFailedError, FetchError, SourceUnreachableError
from longstop.fetch.egress import heads


def told_at_the_door(headers: Mapping[str, str] | None, purpose: str) -> FetchError | None:
    """None when an answer is the site's. No site can say these things: its headers of such names never pass."""
    said = {name.lower(): value for name, value in (headers or {}).items()}
    if reason := said.get(heads.EXIT_FAILED.lower()):
        return ExitFailedError(f"The {purpose} call did not get past its exit: {reason[:20]}.", reason=reason[:20])
    if reason := said.get(heads.REFUSED.lower()):
        return EgressRefusedError(f"The {purpose} call was kept from going out: {reason[:20]}.", reason=reason[:20])
    if heads.UNREACHABLE.lower() in said:
        return SourceUnreachableError(f"The {purpose} call found no connection.")
    return None
