"""The keys that sign our tokens: the newest signs, older ones are believed as long as their tokens live.

Given by the settings (the same for every process), or made here and kept in a file that only its owner may read. A new
key in the file signs only a little later than it is written, so that every process knows it before it is used.
"""

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from longstop.domain.errors import SettingsError

SETTLING_SECONDS: Final = 10.0
_SECRET_BYTES: Final = 48
_PRIVATE: Final = 0o600


class SigningKey(msgspec.Struct, frozen=True):
    """`kid` tells them apart in a token's header and says nothing about the secret."""

    kid: str
    secret: bytes
    active_from: datetime


class KeyRing:
    """All keys that are believed now."""

    def __init__(self, keys: Sequence[SigningKey]) -> None:
        assert keys
        self._keys = sorted(keys, key=lambda key: key.active_from)
        self._by_kid = {key.kid: key for key in keys}

    def signer(self, now: datetime) -> SigningKey:
        active = [key for key in self._keys if key.active_from <= now]
        return active[-1] if active else self._keys[0]

    def known(self, kid: str) -> SigningKey | None:
        """A name among those we gave, and nothing else: no path, no address, no question to a database."""
        return self._by_kid.get(kid)

    @property
    def kids(self) -> tuple[str, ...]:
        return tuple(key.kid for key in self._keys)


def ring_of_settings(secret: str, before: str, now: datetime) -> KeyRing:
    """The same secrets lead to the same names everywhere."""
    long_ago = now - timedelta(days=36_500)
    keys = [_named(secret, now)] + ([_named(before, long_ago)] if before and before != secret else [])
    return KeyRing(keys)


def _named(secret: str, active_from: datetime) -> SigningKey:
    kid = hashlib.sha256(b"longstop kid:" + secret.encode()).hexdigest()[:16]
    return SigningKey(kid, secret.encode(), active_from)


class SigningFile:
    """Keys of our own making. Every change is one whole new file, made by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] | None = None

    def open(self, now: datetime) -> KeyRing:
        """Makes the first key where there is none."""
        with self._alone():
            keys = self._read()
            if not keys:
                keys = [_made(now)]
                self._write(keys)
        self._seen = self._stamp()
        return KeyRing(keys)

    def changed(self) -> KeyRing | None:
        """The new ring when another process has changed the file since; None when not, and when it has gone: what is
        remembered then goes on."""
        stamp = self._stamp()
        if stamp is None or stamp == self._seen:
            return None
        keys = self._read()
        self._seen = stamp
        return KeyRing(keys) if keys else None

    def rotate(self, now: datetime, overlap: timedelta) -> SigningKey:
        """A new key that signs soon. Keys whose last token has run out are dropped."""
        with self._alone():
            keys = sorted(self._read(), key=lambda key: key.active_from)
            added = _made(now + timedelta(seconds=SETTLING_SECONDS) if keys else now)
            followers = [*keys[1:], added]
            kept = [key for key, follower in zip(keys, followers, strict=False) if follower.active_from + overlap > now]
            self._write([*kept, added])
        return added

    def _stamp(self) -> tuple[int, int] | None:
        with suppress(FileNotFoundError):
            found = self.path.stat()
            return found.st_ino, found.st_mtime_ns
        return None

    def _read(self) -> list[SigningKey]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unusable(self.path, error.strerror or str(error)) from error
        if self.path.stat().st_mode & 0o077:
            raise _unusable(self.path, "others may read it", f"Run `chmod 600 {self.path}`, and rotate the keys.")
        try:
            return msgspec.json.decode(content, type=list[SigningKey])
        except msgspec.MsgspecError as error:
            raise _unusable(self.path, "it is damaged") from error

    def _write(self, keys: Sequence[SigningKey]) -> None:
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _PRIVATE)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(list(keys)))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        except OSError as error:
            raise _unusable(self.path, error.strerror or str(error)) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.path.with_name(self.path.name + ".lock"), os.O_RDWR | os.O_CREAT, _PRIVATE)
        except OSError as error:
            raise _unusable(self.path, error.strerror or str(error)) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _made(active_from: datetime) -> SigningKey:
    return SigningKey(secrets.token_hex(8), secrets.token_bytes(_SECRET_BYTES), active_from)


def _unusable(path: Path, why: str, hint: str = "") -> SettingsError:
    return SettingsError(
        f"The keys that sign tokens cannot be used: {path}: {why}.",
        hint=hint or "Mend the file or put it aside (all tokens end with it), or set api.auth.jwt_secret.",
    )
