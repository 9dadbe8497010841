"""Public interface of applications for other apps, which may read the models through relations."""

from postern.apps.applications.kinds.declarations import DECLARATIONS, ApplicationType, Category, Declaration
from postern.apps.applications.managed.actions import create_application

__all__ = ["DECLARATIONS", "ApplicationType", "Category", "Declaration", "create_application"]
