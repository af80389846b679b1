"""What the last polls of a match were like: how often something changed, how often they failed. Pure values."""

import msgspec

RECENT_POLLS = 10
MINUTE_SECONDS = 60.0
ERRORS_THAT_TROUBLE = 5
CALM_SECONDS = 300.0


class Rhythm(msgspec.Struct, frozen=True):
    """`errors` counts from the beginning of a trouble on, and is 0 without one. Moments are of the monotonic clock."""

    recent: tuple[bool, ...] = ()
    unchanged: int = 0
    errors: int = 0
    failed_in_a_row: int = 0
    failed_at: tuple[float, ...] = ()
    troubled_at: float = 0.0

    @property
    def is_busy(self) -> bool:
        """More than half of the last polls brought something new."""
        return len(self.recent) == RECENT_POLLS and 2 * sum(self.recent) > RECENT_POLLS


def after_success(rhythm: Rhythm, *, is_changed: bool, now: float, calm_seconds: float = CALM_SECONDS) -> Rhythm:
    is_calm = rhythm.errors > 0 and now - rhythm.troubled_at >= calm_seconds
    return msgspec.structs.replace(
        rhythm,
        recent=(*rhythm.recent, is_changed)[-RECENT_POLLS:],
        unchanged=0 if is_changed else rhythm.unchanged + 1,
        failed_in_a_row=0,
        errors=0 if is_calm else rhythm.errors,
    )


def after_failure(rhythm: Rhythm, now: float) -> Rhythm:
    """A trouble begins with five errors within a minute, or five in a row; it lasts while there are so many, and
    while nothing but errors comes."""
    lately = (*(at for at in rhythm.failed_at if now - at < MINUTE_SECONDS), now)[-ERRORS_THAT_TROUBLE:]
    in_a_row = rhythm.failed_in_a_row + 1
    is_many = len(lately) >= ERRORS_THAT_TROUBLE
    is_trouble = rhythm.errors > 0 or is_many or in_a_row >= ERRORS_THAT_TROUBLE
    counted = rhythm.errors + 1 if rhythm.errors else max(len(lately), in_a_row)
    return msgspec.structs.replace(
        rhythm,
        errors=counted if is_trouble else 0,
        failed_in_a_row=in_a_row,
        failed_at=lately,
        troubled_at=now if is_trouble and (is_many or in_a_row > 1) else rhythm.troubled_at,
    )
