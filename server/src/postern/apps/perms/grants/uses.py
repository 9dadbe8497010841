"""The permissions that use a system user, for the refusal to delete it."""

from django.utils.translation import gettext_lazy as _

from postern.apps.perms.grants.models import AssetPermission
from postern.apps.vault.models import SystemUser
from postern.foundation.database.uses import Use


def by_permissions(system_user: SystemUser) -> Use:
    """The permissions that include the system user."""
    rows = AssetPermission.objects.filter(system_user_rows__systemuser=system_user)
    return Use.by(_("Asset permissions"), rows, "name")
