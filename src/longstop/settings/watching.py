"""The settings of the watchdogs: how often they look, how patient they are, when they give up on the loop."""

from pydantic import field_validator

from longstop.settings.keys import Group, Seconds, setting

DAY = 86400


class WatchdogSettings(Group):
    """What looks whether data is fresh, work moves and the event loop turns. Ages stand in `scraper.health`."""

    interval: Seconds = setting(
        5.0, "Time between two looks at every live match; an alert comes at most so late.", ge=0.1, le=15
    )
    retry_waits: tuple[float, ...] = setting(
        (300.0, 600.0, 1200.0),
        "Seconds until a recovery that did not help is tried again: the second time, the third, and every time after.",
    )
    recovery_window: Seconds = setting(
        120.0, "A recovery that did not help within this time has failed.", ge=1, le=3600
    )
    recycle_deadline: Seconds = setting(
        60.0, "Replacing all browsers and connections ends after this time.", ge=1, le=3600
    )
    progress_timeout: Seconds = setting(
        90.0,
        "Work is due and no poll was finished for this time: an alarm. Longer than any turn and any wait in play.",
        ge=1,
        le=DAY,
    )
    clock_jump: Seconds = setting(
        5.0, "The clock of the day moved so far from that of the process: an alarm.", ge=1, le=DAY
    )
    loop_stall: Seconds = setting(
        5.0, "The event loop does not turn for this time: its stack goes to the log.", ge=0.5, le=3600
    )
    loop_end: Seconds = setting(
        120.0,
        "It does not turn for this time: the process ends with exit code 81, to be started afresh. 0: never.",
        ge=0,
        le=DAY,
    )

    @field_validator("retry_waits")
    @classmethod
    def _are_rising(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not values or list(values) != sorted(values) or values[0] < 1 or values[-1] > DAY:
            raise ValueError("is not a list of rising waits; give numbers of seconds, for example 300, 600, 1200")
        return values
