"""Every secret that the settings hold, so that whoever writes text for people can hide them."""

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from longstop.settings.keys import Group
from longstop.settings.masks import SecretUrl

TELLING_LENGTH_MIN = 16


def secrets_in(group: Group) -> Iterator[str]:
    """Values that must appear nowhere: passwords, keys, tokens, and the passwords inside addresses."""
    for name in type(group).model_fields:
        value = getattr(group, name)
        for item in value if isinstance(value, tuple) else (value,):
            yield from _secrets_of(item)


def _secrets_of(item: object) -> Iterator[str]:
    match item:
        case Group():
            yield from secrets_in(item)
        case SecretStr() if item.get_secret_value():
            yield item.get_secret_value()
            yield from _telling_parts(item.get_secret_value())
        case SecretUrl():
            yield from _password_in(item.get_secret_value())


def _telling_parts(secret: str) -> Iterator[str]:
    """A secret address is often told without its host, and the long parts of its path are what makes it one."""
    if "://" not in secret:
        return
    yield from _password_in(secret)
    _, _, rest = secret.partition("://")[2].partition("/")
    yield from (part for part in (rest, *rest.split("/")) if len(part) >= TELLING_LENGTH_MIN)


def _password_in(address: str) -> Iterator[str]:
    try:
        password = urlsplit(address).password
    except ValueError:
        return
    if password:
        yield password
        yield unquote(password)
