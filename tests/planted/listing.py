"""All planted bugs."""

from tests.planted import believing, keeping_alive, storing

BUGS = (*storing.bug.bugs, *believing.bug.bugs, *keeping_alive.bug.bugs)
