"""The two answers a check may give."""

import msgspec


class Verdict(msgspec.Struct, frozen=True):
    """Accepted when there is no reason against it. A surprise may yet be true: nothing contradicts it but the past."""

    reasons: tuple[str, ...] = ()
    is_surprise: bool = False

    @property
    def is_accepted(self) -> bool:
        return not self.reasons
