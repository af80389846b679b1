"""Loading settings from nothing but what a test gives."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from longstop.settings import Fault, Loaded, SettingsError, load

Load = Callable[..., Loaded]
Refuse = Callable[..., tuple[Fault, ...]]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No config.yaml lies about where the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def loaded(tmp_path: Path) -> Load:
    """load(), with the file given as text or bytes."""

    def call(
        text: str | bytes | None = None, environ: Mapping[str, str] | None = None, sets: Mapping[str, str] | None = None
    ) -> Loaded:
        file = None if text is None else tmp_path / "given.yaml"
        if file is not None and text is not None:
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(file=file, environ=environ or {}, overrides=sets or {})

    return call


@pytest.fixture
def faults_of(loaded: Load) -> Refuse:
    """The faults with which load() refuses."""

    def call(*args: object, **kwargs: object) -> tuple[Fault, ...]:
        with pytest.raises(SettingsError) as refused:
            loaded(*args, **kwargs)
        return refused.value.faults

    return call
