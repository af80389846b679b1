"""A paid gateway: one address, whose user name or password says which exit behind it is meant, and for how long.

The session's name has to be one that was never used for another visitor: its address stays behind it.
"""

import math
import re
from typing import Final

import msgspec

from longstop.fetch.exits.exit import Exit, ExitAddress

_OPTIONAL: Final = re.compile(r"\[([^\[\]]{0,100})\]")
_FIELD: Final = re.compile(r"\{(country|session|minutes)\}")


class Gateway(msgspec.Struct, frozen=True):
    """`template` is put behind the password, or behind the user name. What stands in brackets is left out when the
    country in it is not set."""

    address: ExitAddress
    pool: str
    country: str
    template: str
    behind_username: bool
    sticky_seconds: float

    def exit(self, session: str) -> Exit:
        """The exit that this name stands for. Another name is another address to the site."""
        said = parameters(self.template, self.country, session, self.sticky_seconds)
        plain = self.address
        username = plain.username + (said if self.behind_username else "")
        password = plain.password + ("" if self.behind_username else said)
        address = ExitAddress(plain.scheme, plain.host, plain.port, username, password)
        return Exit(address, address.proxy_id(), self.pool, self.country, self.exit)


def parameters(template: str, country: str, session: str, seconds: float) -> str:
    values = {"country": country.lower(), "session": session, "minutes": str(max(1, math.ceil(seconds / 60)))}

    def kept(part: re.Match[str]) -> str:
        return part[1] if all(values[each] for each in _FIELD.findall(part[1])) else ""

    return _FIELD.sub(lambda field: values[field[1]], _OPTIONAL.sub(kept, template))
