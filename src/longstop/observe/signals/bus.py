"""The bus, and what every signal has."""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import msgspec

SignalT = TypeVar("SignalT", bound="Signal")


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    at: datetime


Handler = Callable[[Any], None]


class Signals:
    """A synchronous bus. Handlers are ours, short, and do no I/O that can block."""

    def __init__(self) -> None:
        self._handlers: dict[type[Signal], list[Handler]] = defaultdict(list)
        self._every: list[Callable[[Signal], None]] = []

    def subscribe(self, kind: type[SignalT], handler: Callable[[SignalT], None]) -> None:
        self._handlers[kind].append(handler)

    def subscribe_all(self, handler: Callable[[Signal], None]) -> None:
        self._every.append(handler)

    def emit(self, signal: Signal) -> None:
        for handler in self._handlers.get(type(signal), ()):
            handler(signal)
        for handler in self._every:
            handler(signal)
