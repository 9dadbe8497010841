"""Public interface of the directory for other apps."""

from postern.apps.directory.sign_in import owner_of

__all__ = ["owner_of"]
