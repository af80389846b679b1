"""The root of the tree, and what belongs to no branch of it."""

from typing import ClassVar


class LongstopError(Exception):
    """Root of the tree: a sentence that says what happened and a hint that says what to do."""

    kind: ClassVar[str] = "internal"
    heals: ClassVar[bool] = False
    exit_code: ClassVar[int] = 70
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class IllegalTransitionError(LongstopError):
    default_hint = "See docs/architecture.md for the steps this machine has."
