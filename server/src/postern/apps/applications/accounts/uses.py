"""The accounts with a secret of their own, for the refusal to delete what they belong to."""

from django.utils.translation import gettext_lazy as _

from postern.apps.applications.accounts.models import ApplicationAccount
from postern.apps.applications.managed.models import Application
from postern.apps.vault.models import SystemUser
from postern.foundation.database.uses import Use


def of_system_user(system_user: SystemUser) -> Use:
    """Its accounts on applications that have a secret of their own."""
    rows = ApplicationAccount.objects.filter(systemuser=system_user, has_own_secret=True)
    return Use.by(_("Application accounts with a secret of their own"), rows, "application__name")


def of_application(application: Application) -> Use:
    """Its accounts that have a secret of their own."""
    rows = ApplicationAccount.objects.filter(application=application, has_own_secret=True)
    return Use.by(_("Application accounts with a secret of their own"), rows, "systemuser__name")
