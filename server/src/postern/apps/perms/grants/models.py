"""Tables of asset permissions: subjects (users, groups), objects (assets, nodes), system users, actions, and dates.

Every decision reads these tables; nothing is precomputed per user. The link tables have integer ids, because the API
shows their rows as resources.
"""

from datetime import datetime, timedelta
from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.perms.grants.action_names import in_words
from postern.contracts.enums import Actions
from postern.foundation.models import OrgOwnedModel, SavedRow, ScopedManager
from postern.kernel.clock import now

DEFAULT_LIFE: Final = timedelta(days=70 * 365 + 17)


def default_date_expired() -> datetime:
    """Seventy years from now, which means never in practice."""
    return now() + DEFAULT_LIFE


class AssetPermission(OrgOwnedModel):
    """A grant. It is valid while it is active and `date_start <= now < date_expired`."""

    #: Column → function that puts its recorded values into words, for the audit log.
    recorded_words: ClassVar = {"actions": in_words}

    name = models.CharField(_("Name"), max_length=128)
    is_active = models.BooleanField(_("Active"), default=True)
    actions = models.PositiveSmallIntegerField(_("Actions"), default=Actions.ALL.value)
    date_start = models.DateTimeField(_("Date start"), default=now, db_index=True)
    date_expired = models.DateTimeField(_("Date expired"), default=default_date_expired, db_index=True)

    users = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="PermissionUser", related_name="+", verbose_name=_("Users")
    )
    user_groups = models.ManyToManyField(
        "users.UserGroup", through="PermissionUserGroup", related_name="+", verbose_name=_("User groups")
    )
    assets = models.ManyToManyField(
        "assets.Asset", through="PermissionAsset", related_name="+", verbose_name=_("Assets")
    )
    nodes = models.ManyToManyField("assets.Node", through="PermissionNode", related_name="+", verbose_name=_("Nodes"))
    system_users = models.ManyToManyField(
        "vault.SystemUser", through="PermissionSystemUser", related_name="+", verbose_name=_("System users")
    )

    objects = ScopedManager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("Asset permission")
        constraints = [
            models.UniqueConstraint(fields=("org_id", "name"), name="perms_assetpermission_unique"),
            models.CheckConstraint(
                condition=models.Q(actions__gte=0, actions__lte=Actions.ALL.value), name="perms_assetpermission_actions"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        """Outside its dates: not yet started or already ended (contract: asset permissions)."""
        return not self.date_start <= now() < self.date_expired

    @property
    def is_valid(self) -> bool:
        return self.is_active and not self.is_expired


class PermissionUser(SavedRow):
    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="user_rows", verbose_name=_("Asset permission")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="asset_permission_rows", verbose_name=_("User")
    )

    class Meta:
        verbose_name = _("User of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "user"), name="perms_user_unique")]

    def __str__(self) -> str:
        return f"{self.assetpermission_id}: {self.user_id}"


class PermissionUserGroup(SavedRow):
    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="user_group_rows", verbose_name=_("Asset permission")
    )
    usergroup = models.ForeignKey(
        "users.UserGroup", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("User group")
    )

    class Meta:
        verbose_name = _("User group of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "usergroup"), name="perms_usergroup_unique")]

    def __str__(self) -> str:
        return f"{self.assetpermission_id}: {self.usergroup_id}"


class PermissionAsset(SavedRow):
    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="asset_rows", verbose_name=_("Asset permission")
    )
    asset = models.ForeignKey(
        "assets.Asset", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("Asset")
    )

    class Meta:
        verbose_name = _("Asset of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "asset"), name="perms_asset_unique")]

    def __str__(self) -> str:
        return f"{self.assetpermission_id}: {self.asset_id}"


class PermissionNode(SavedRow):
    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="node_rows", verbose_name=_("Asset permission")
    )
    node = models.ForeignKey(
        "assets.Node", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("Node")
    )

    class Meta:
        verbose_name = _("Node of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "node"), name="perms_node_unique")]

    def __str__(self) -> str:
        return f"{self.assetpermission_id}: {self.node_id}"


class PermissionSystemUser(SavedRow):
    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="system_user_rows", verbose_name=_("Asset permission")
    )
    systemuser = models.ForeignKey(
        "vault.SystemUser", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("System user")
    )

    class Meta:
        verbose_name = _("System user of an asset permission")
        constraints = [
            models.UniqueConstraint(fields=("assetpermission", "systemuser"), name="perms_systemuser_unique")
        ]

    def __str__(self) -> str:
        return f"{self.assetpermission_id}: {self.systemuser_id}"
