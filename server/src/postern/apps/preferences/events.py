"""Events of settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """Settings were changed. `version`: the version of all settings after the change."""

    names: tuple[str, ...]
    version: int
