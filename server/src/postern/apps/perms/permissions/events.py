"""The event of changed access, for the other apps."""

from postern.apps.perms.granting.events import AccessChanged

__all__ = ["AccessChanged"]
