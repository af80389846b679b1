"""What the site asks of those who call it, and how its pages misbehave: all off unless it is told otherwise."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from longstop_origin.traps import TRAPS

DOMS = ("plain", "shifted", "alien")
CHALLENGE_STATUSES = ("200", "403", "503")
A_SOURCE, A_MATCH = "source", "match"
OFF = frozenset({"", "0", "no", "false", "off"})
ON = frozenset({"1", "yes", "true", "on"})
COOKIE_SECONDS_DEFAULT = 3600.0


class GuardError(ValueError):
    """A guard that nobody can set up. Its text is one sentence that says what to do."""


class Guards(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Each field by the name it has for people; None, False and the first of several words mean that it is off."""

    token: float | None = None
    token_scope: str = field(default="source", name="token-scope")
    cookie: float | None = None
    page_only: bool = field(default=False, name="page-only")
    refuse_every: int | None = field(default=None, name="refuse-every")
    login: float | None = None
    challenge: int | None = None
    challenge_share: float = field(default=100.0, name="challenge-share")
    server_rendered: bool = field(default=False, name="server-rendered")
    dom: str = "plain"
    poll: float = 2.0
    heavy: float | None = None
    hang: float | None = None
    silent: float | None = None
    hostile: str | None = None
    trap: str | None = None

    @classmethod
    def from_words(cls, words: Iterable[str]) -> "Guards":
        """From `name=value` each; a name alone switches on what can be on without a figure."""
        pairs = (word.partition("=") for word in words)
        return cls().changed({name.strip(): value.strip() if equals else "yes" for name, equals, value in pairs})

    def changed(self, values: Mapping[str, object]) -> "Guards":
        """These ones otherwise, the rest as they are; None or false takes a guard away."""
        shown = self.shown()
        for name, value in values.items():
            read = READERS.get(name)
            if read is None:
                raise GuardError(f"There is no guard {name[:40]!r}. Choose from {', '.join(READERS)}.")
            shown[name] = read(name, _text(value))
        changed = msgspec.convert({name: value for name, value in shown.items() if value is not None}, Guards)
        if changed.dom != "plain" and not changed.server_rendered:
            raise GuardError(f"dom={changed.dom} is for pages from the server. Give server-rendered too.")
        return changed

    def shown(self) -> dict[str, Any]:
        """Those that are on, by name."""
        return dict(msgspec.to_builtins(self))


def _text(value: object) -> str:
    if value is None or value is False:
        return ""
    return "yes" if value is True else str(value)


def _flag(name: str, text: str) -> bool:
    if text.lower() in OFF:
        return False
    if text.lower() in ON:
        return True
    raise GuardError(f"{name}={text[:40]} means nothing. Give {name} alone, or {name}=no.")


def _number(least: float, most: float, default: float | None = None) -> Callable[[str, str], float | None]:
    def read(name: str, text: str) -> float | None:
        if text.lower() in OFF:
            return None
        if default is not None and text.lower() in ON - {"1"}:
            return default
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not least <= number <= most:
            raise GuardError(
                f"{name}={text[:40]} is no such figure. Give one from {least:g} to {most:g}, or 0 for none."
            )
        return number

    return read


def _whole(least: int, most: int) -> Callable[[str, str], int | None]:
    figure = _number(least, most)

    def read(name: str, text: str) -> int | None:
        number = figure(name, text)
        if number is not None and number != int(number):
            raise GuardError(f"{name}={text[:40]} is not whole. Give a whole number from {least} to {most}.")
        return None if number is None else int(number)

    return read


def _one_of(choices: tuple[str, ...]) -> Callable[[str, str], str]:
    def read(name: str, text: str) -> str:
        if text.lower() in OFF:
            return choices[0]
        if text not in choices:
            raise GuardError(f"There is no {name}={text[:40]}. Choose one of {', '.join(choices)}.")
        return text

    return read


def _status(name: str, text: str) -> int | None:
    if text.lower() in OFF:
        return None
    if text not in CHALLENGE_STATUSES:
        raise GuardError(f"There is no {name}={text[:40]}. Choose one of {', '.join(CHALLENGE_STATUSES)}.")
    return int(text)


def _trap(name: str, text: str) -> str | None:
    if text.lower() in OFF:
        return None
    if text.partition("?")[0] not in TRAPS:
        raise GuardError(f"There is no {name}={text[:40]}. Choose one of {', '.join(TRAPS)}.")
    return text


def _words(_name: str, text: str) -> str | None:
    return None if text.lower() in OFF else text


READERS: Mapping[str, Callable[[str, str], object]] = {
    "token": _number(1, 86_400),
    "token-scope": _one_of((A_SOURCE, A_MATCH)),
    "cookie": _number(1, 86_400, COOKIE_SECONDS_DEFAULT),
    "page-only": _flag,
    "refuse-every": _whole(1, 1_000_000),
    "login": _number(0.1, 86_400),
    "challenge": _status,
    "challenge-share": _number(0.01, 100),
    "server-rendered": _flag,
    "dom": _one_of(DOMS),
    "poll": _number(0.05, 3600),
    "heavy": _number(0.1, 100_000),
    "hang": _number(0.1, 86_400),
    "silent": _number(0.1, 86_400),
    "hostile": _words,
    "trap": _trap,
}
