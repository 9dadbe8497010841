"""What the other apps and the command line may ask and do."""

from postern.apps.licence.actions import install
from postern.apps.licence.queries import LicenceState, state

__all__ = ["LicenceState", "install", "is_valid", "state"]


def is_valid() -> bool:
    """Whether the licensed features are open."""
    return state().is_valid
