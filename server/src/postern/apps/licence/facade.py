"""Public interface of the licence for other apps and the command line."""

from postern.apps.licence.actions import install
from postern.apps.licence.queries import LicenceState, state

__all__ = ["LicenceState", "install", "is_valid", "state"]


def is_valid() -> bool:
    """Whether the licensed features are enabled."""
    return state().is_valid
