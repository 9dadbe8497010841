"""Re-exports the tables of applications for Django's model discovery and for the other apps."""

from postern.apps.applications.accounts.models import ApplicationAccount, ApplicationAccountSecret
from postern.apps.applications.managed.models import Application

__all__ = ["Application", "ApplicationAccount", "ApplicationAccountSecret"]
