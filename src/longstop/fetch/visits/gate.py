"""May anything still be sent? A visit waits for its session, for a browser and for its turn at the site meanwhile."""

from typing import Final, Protocol


class Gate(Protocol):
    """Both raise what its owner raises when nothing may be sent any more."""

    def require(self) -> None:
        """Asked before something is begun that would lead to a request."""
        ...

    def send(self) -> None:
        """Asked right before a request leaves; from then on one is taken to have left."""
        ...


class _Open:
    def require(self) -> None:
        """For calls that nobody limits."""

    def send(self) -> None:
        """For calls that nobody limits."""


OPEN: Final[Gate] = _Open()
