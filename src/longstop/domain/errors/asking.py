"""What people handed in, or wanted to have: settings, input, output."""

from longstop.domain.errors.root import LongstopError


class SettingsError(LongstopError):
    """The configuration is wrong; every fault found is in `faults`."""

    kind = "settings"
    exit_code = 78


class ExtraMissingError(SettingsError):
    """An optional part is asked for and not there; its extra installs it."""


class InputError(LongstopError):
    """What a person handed in is wrong."""

    kind = "input"
    exit_code = 65


class MissingFileError(InputError):
    exit_code = 66
    default_hint = "Check the path and its rights."


class MatchFileError(InputError):
    exit_code = 67


class UnknownSourceError(InputError):
    exit_code = 68


class SourceNotReadyError(InputError):
    default_hint = "Set what is named, restart, and ask again."
    needs: tuple[tuple[str, str], ...] = ()  # each setting that stands in the way, and what to do about it


class UnknownMatchError(InputError):
    default_hint = "The operations page and GET /health list what is watched."


class UnknownJobError(InputError):
    default_hint = "GET /api/scrape/jobs and `longstop rounds list` tell which there are."


class PortTakenError(InputError):
    exit_code = 69
    default_hint = "Stop the other program, or choose another port."


class OutputError(LongstopError):
    """What was found out could not be written down for whoever asked."""

    exit_code = 76
    default_hint = "Make room where it goes, then ask again."
