"""Text that must not be seen: addresses that may carry a password show everything but that."""

import re

from pydantic import Secret

_USERINFO = re.compile(r"^([A-Za-z][A-Za-z0-9+.\-]*://).*@", re.DOTALL)
_TELLING_PARAMETER = re.compile(
    r"([?&#;][^=&#;]*(?:pass|pwd|secret|token|key|auth|sig|cred|user)[^=&#;]*=)[^&#;]*", re.IGNORECASE
)
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.\-]*://")


def mask_address(address: str) -> str:
    """The address without its user, password and secret parameters.

    Everything before the *last* @ goes, since a password may hold an unescaped @, / or #.
    What is no address at all is hidden whole: nobody knows what was pasted there.
    """
    if not address:
        return ""
    if not _SCHEME.match(address):
        return "***"
    return _TELLING_PARAMETER.sub(r"\1***", _USERINFO.sub(r"\1***@", address))


class SecretUrl(Secret[str]):
    """An address that may carry a password. Shown masked; `get_secret_value()` gives it whole."""

    def _display(self) -> str:
        return mask_address(self._secret_value)
