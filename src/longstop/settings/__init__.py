"""The settings: one frozen tree, checked as a whole at start."""

from longstop.settings.changes import Change, ReloadResult
from longstop.settings.faults import Fault, Origin, Rank, SettingsError
from longstop.settings.load import Loaded, load, parse_overrides
from longstop.settings.masks import SecretUrl, mask_address
from longstop.settings.secrets import secrets_in
from longstop.settings.show import show
from longstop.settings.tree import Settings

__all__ = [
    "Change",
    "Fault",
    "Loaded",
    "Origin",
    "Rank",
    "ReloadResult",
    "SecretUrl",
    "Settings",
    "SettingsError",
    "load",
    "mask_address",
    "parse_overrides",
    "secrets_in",
    "show",
]
