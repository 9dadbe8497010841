"""When a person last used a permission."""

from django.conf import settings
from django.db import models

from postern.apps.perms.grants.models import AssetPermission
from postern.foundation.models import SavedRow


class PermissionUse(SavedRow):
    """The last session of a person that this permission granted, written when the session is permitted.

    Without constraints of the database on the references: a session is not refused because one of several permissions
    that grant it is being deleted.
    """

    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="use_rows", db_constraint=False, db_index=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_constraint=False)
    date_last_used = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("assetpermission", "user"), name="perms_permissionuse_unique")]
        indexes = [models.Index(fields=("assetpermission", "date_last_used"), name="perms_permissionuse_last")]

    def __str__(self) -> str:
        return f"{self.assetpermission_id}: {self.user_id} {self.date_last_used}"
