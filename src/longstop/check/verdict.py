"""The two answers a check may give."""

import msgspec


class Verdict(msgspec.Struct, frozen=True):
    """Accepted when there is no reason against it."""

    reasons: tuple[str, ...] = ()

    @property
    def is_accepted(self) -> bool:
        return not self.reasons
