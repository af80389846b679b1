"""The vendor's parts behind the one contract. It can be read; watching it comes with its own service."""

import tomllib
from importlib import resources

import msgspec

from longstop.domain.errors import SettingsError
from longstop.fetch.snapshot import Snapshot
from longstop.sources.contract import Manifest, Reading
from longstop.sources.sofascore import reading


def load_manifest() -> Manifest:
    return read_manifest(resources.files(__package__).joinpath("manifest.toml").read_text(encoding="utf-8"))


def read_manifest(text: str) -> Manifest:
    try:
        return msgspec.convert(tomllib.loads(text), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise SettingsError(
            f"The manifest of the source cannot be read: {error}.", hint="Correct its manifest.toml."
        ) from error


class SofascoreReader:
    """Holds nothing but the address; every method is a pure function of its arguments."""

    def __init__(self, base_url: str | None = None) -> None:
        self.manifest = load_manifest()
        self._base_url = (base_url or self.manifest.base_url).rstrip("/")

    @property
    def base_url(self) -> str:
        return self._base_url

    def read(self, snapshot: Snapshot) -> Reading:
        return reading.read(snapshot)
