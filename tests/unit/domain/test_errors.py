import copy
import inspect
import pickle

import pytest

from longstop.domain import errors
from longstop.domain.errors import (
    FetchError,
    InputError,
    LongstopError,
    PayloadError,
    SettingsError,
    SourceThrottledError,
    StoreError,
)

CLASSES = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, LongstopError)]
each_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)


def made(kind: type[LongstopError], message: str = "It broke.", **more: object) -> LongstopError:
    if issubclass(kind, SourceThrottledError):
        return kind(message, retry_after_seconds=5.0, **more)  # type: ignore[arg-type]  # hint alone comes this way
    return kind(message, **more)  # type: ignore[arg-type]  # the same


@each_class
def test_an_error_is_its_sentence_and_its_hint(kind: type[LongstopError]) -> None:
    error = made(kind)
    assert error.message == "It broke."
    assert str(error) == f"It broke. {kind.default_hint}".strip()
    assert str(made(kind, hint="Mend it.")) == "It broke. Mend it."
    assert str(made(kind, hint="")) == "It broke."


@each_class
def test_a_hint_is_a_sentence(kind: type[LongstopError]) -> None:
    """A family is never raised itself; what a person handed in gets its hint where it is refused."""
    if not kind.default_hint:
        assert kind.__subclasses__() or issubclass(kind, InputError | SettingsError)
        return
    assert kind.default_hint.endswith(".")
    assert kind.default_hint[0].isupper()
    assert len(kind.default_hint.split()) >= 3


@each_class
def test_the_tree_at_the_top_of_the_file_shows_the_class(kind: type[LongstopError]) -> None:
    (line,) = [line for line in (errors.__doc__ or "").splitlines() if kind.__name__ in line.split()]
    assert len(line.split(kind.__name__)[1].split()) >= 2 or "│" in line or "├" in line


@each_class
def test_an_error_can_be_copied_and_sent_to_another_process(kind: type[LongstopError]) -> None:
    error = made(kind, hint="Mend it.")
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - our own bytes of a moment ago
        assert type(twin) is kind
        assert (str(twin), twin.hint, vars(twin)) == (str(error), error.hint, vars(error))


def test_the_words_of_the_documents_are_the_kinds() -> None:
    assert {kind.kind for kind in CLASSES} >= {"network", "auth", "parsing", "database"}


def test_exit_codes_lie_where_the_system_leaves_room() -> None:
    assert all(64 <= kind.exit_code <= 78 for kind in CLASSES)


@pytest.mark.parametrize(
    ("kind", "heals"),
    [
        (errors.SourceUnreachableError, True),
        (errors.SourceTimeoutError, True),
        (errors.SourceFailingError, True),
        (errors.SourceThrottledError, True),
        (errors.StoreUnavailableError, True),
        (errors.MalformedPayloadError, True),
        (errors.OversizedBodyError, False),
        (errors.ForeignPayloadError, False),
        (errors.SettingsError, False),
        (errors.InputError, False),
    ],
)
@pytest.mark.req("B1")
def test_an_error_says_whether_waiting_may_mend_it(kind: type[LongstopError], heals: bool) -> None:
    assert kind.heals is heals


@pytest.mark.parametrize("kind", [errors.SourceThrottledError, errors.SourceRefusedError, errors.MatchGoneError])
def test_every_failed_fetch_is_caught_as_one_kind(kind: type[LongstopError]) -> None:
    assert issubclass(kind, FetchError)
    assert not issubclass(kind, PayloadError | StoreError)
