"""What a check found, and how a check is run so that none can stop the others."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from threading import Thread
from urllib.parse import unquote, urlsplit

import msgspec
import psutil
from pydantic import Secret, SecretStr

from longstop.domain.errors import LongstopError
from longstop.settings import SecretUrl, mask_address
from longstop.settings.keys import Group

# A shorter one would blot out half of every sentence; nothing here prints a secret on purpose.
_SECRET_LENGTH_MIN = 4


class State(Enum):
    """Absent is what nobody asked for: it may stay so."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    ABSENT = "absent"


class Finding(msgspec.Struct, frozen=True):
    name: str
    state: State
    said: str
    hint: str = ""


Check = Callable[[], Finding]


def ok(name: str, said: str) -> Finding:
    return Finding(name, State.OK, said)


def warning(name: str, said: str, hint: str) -> Finding:
    return Finding(name, State.WARNING, said, hint)


def problem(name: str, said: str, hint: str) -> Finding:
    return Finding(name, State.PROBLEM, said, hint)


def absent(name: str, said: str, hint: str = "") -> Finding:
    return Finding(name, State.ABSENT, said, hint)


def examined(name: str, check: Check) -> Finding:
    """A check that fails has found a problem."""
    try:
        return check()
    except LongstopError as error:
        return problem(name, error.message, error.hint)
    except (OSError, psutil.Error) as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return problem(name, f"cannot be looked at: {said}", "Check the rights of the user who runs this.")


def within(seconds: float, name: str, check: Check) -> Finding:
    """For what may hang: a name server, a network disk. The thread is left behind; it does not hold up the end."""
    found: list[Finding] = []
    thread = Thread(target=lambda: found.append(examined(name, check)), name=f"doctor {name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if found:
        return found[0]
    said = f"gave no answer within {seconds:g} s" if thread.is_alive() else "the check itself failed"
    return problem(name, said, "See whether it is up and can be reached from here, then look again.")


def veiled(finding: Finding, secrets: Iterable[str]) -> Finding:
    """A second net: what a library says may repeat what it was given."""
    said, hint = finding.said, finding.hint
    for secret in secrets:
        said, hint = said.replace(secret, "***"), hint.replace(secret, "***")
    return Finding(finding.name, finding.state, said, hint)


def secrets_in(group: Group) -> frozenset[str]:
    """Every secret word of the settings; of an address its password."""
    return frozenset(secret for secret in _secrets(group) if len(secret) >= _SECRET_LENGTH_MIN)


def _secrets(value: object) -> Iterator[str]:
    match value:
        case Group():
            for name in type(value).model_fields:
                yield from _secrets(getattr(value, name))
        case tuple():
            for item in value:
                yield from _secrets(item)
        case SecretUrl():
            yield from _words_of_address(value.get_secret_value())
        case SecretStr() | Secret():
            yield value.get_secret_value()


def _words_of_address(address: str) -> Iterator[str]:
    if address != mask_address(address):
        yield address
    password = urlsplit(address).password or ""
    yield from (password, unquote(password))
