"""Tables of asset permissions: subjects (users, groups), objects (assets, nodes), system users, actions, and dates.

Every decision reads these tables; nothing is precomputed per user. The link tables have integer ids, because the API
shows their rows as resources.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.perms.granting.bases import DEFAULT_LIFE, LinkRow, Permission, default_date_expired
from postern.apps.perms.grants.action_names import in_words
from postern.contracts.enums import Actions
from postern.kernel.clock import now

__all__ = [
    "DEFAULT_LIFE",
    "AssetPermission",
    "PermissionAsset",
    "PermissionNode",
    "PermissionSystemUser",
    "PermissionUser",
    "PermissionUserGroup",
    "default_date_expired",
]


class AssetPermission(Permission):
    """A grant. It is valid while it is active and `date_start <= now < date_expired`."""

    #: Column → function that puts its recorded values into words, for the audit log.
    recorded_words: ClassVar = {"actions": in_words}

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

    class Meta:
        ordering = ("name",)
        verbose_name = _("Asset permission")
        constraints = [
            models.UniqueConstraint(fields=("org_id", "name"), name="perms_assetpermission_unique"),
            models.CheckConstraint(
                condition=models.Q(actions__gte=0, actions__lte=Actions.EVERY.value),
                name="perms_assetpermission_actions",
            ),
        ]


class PermissionUser(LinkRow):
    ends = ("assetpermission", "user")

    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="user_rows", verbose_name=_("Asset permission")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="asset_permission_rows", verbose_name=_("User")
    )

    class Meta:
        verbose_name = _("User of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "user"), name="perms_user_unique")]


class PermissionUserGroup(LinkRow):
    ends = ("assetpermission", "usergroup")

    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="user_group_rows", verbose_name=_("Asset permission")
    )
    usergroup = models.ForeignKey(
        "users.UserGroup", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("User group")
    )

    class Meta:
        verbose_name = _("User group of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "usergroup"), name="perms_usergroup_unique")]


class PermissionAsset(LinkRow):
    ends = ("assetpermission", "asset")

    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="asset_rows", verbose_name=_("Asset permission")
    )
    asset = models.ForeignKey(
        "assets.Asset", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("Asset")
    )

    class Meta:
        verbose_name = _("Asset of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "asset"), name="perms_asset_unique")]


class PermissionNode(LinkRow):
    ends = ("assetpermission", "node")

    assetpermission = models.ForeignKey(
        AssetPermission, models.CASCADE, related_name="node_rows", verbose_name=_("Asset permission")
    )
    node = models.ForeignKey(
        "assets.Node", models.CASCADE, related_name="asset_permission_rows", verbose_name=_("Node")
    )

    class Meta:
        verbose_name = _("Node of an asset permission")
        constraints = [models.UniqueConstraint(fields=("assetpermission", "node"), name="perms_node_unique")]


class PermissionSystemUser(LinkRow):
    ends = ("assetpermission", "systemuser")

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
