"""Public interface of the directory for other apps."""

from postern.apps.directory.errors import DirectoryUnavailable
from postern.apps.directory.sign_in import is_on, owner_of

__all__ = ["DirectoryUnavailable", "is_on", "owner_of"]
