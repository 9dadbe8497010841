"""The application permissions that use an object, for the refusal to delete it."""

from django.utils.translation import gettext_lazy as _

from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.vault.models import SystemUser
from postern.foundation.database.uses import Use


def of_system_user(system_user: SystemUser) -> Use:
    """The permissions that include the system user."""
    rows = ApplicationPermission.objects.filter(system_user_rows__systemuser=system_user)
    return Use.by(_("Application permissions"), rows, "name")


def of_application(application: Application) -> Use:
    """The permissions that include the application."""
    rows = ApplicationPermission.objects.filter(application_rows__application=application)
    return Use.by(_("Application permissions"), rows, "name")
