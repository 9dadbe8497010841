"""Tables of application permissions: subjects (users, groups), applications, system users, and dates.

Every decision reads these tables, as with asset permissions. A permission is for applications of one type. It has no
actions: whoever may use an application may do there what its protocol offers.
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.applications.facade import ApplicationType, Category
from postern.apps.perms.granting.bases import LinkRow, Permission


class ApplicationPermission(Permission):
    """A grant. It is valid while it is active and `date_start <= now < date_expired`."""

    category = models.CharField(_("Category"), max_length=16, choices=Category.choices)
    type = models.CharField(_("Type"), max_length=16, choices=ApplicationType.choices)

    users = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="ApplicationPermissionUser", related_name="+", verbose_name=_("Users")
    )
    user_groups = models.ManyToManyField(
        "users.UserGroup", through="ApplicationPermissionUserGroup", related_name="+", verbose_name=_("User groups")
    )
    applications = models.ManyToManyField(
        "applications.Application",
        through="ApplicationPermissionApplication",
        related_name="+",
        verbose_name=_("Applications"),
    )
    system_users = models.ManyToManyField(
        "vault.SystemUser", through="ApplicationPermissionSystemUser", related_name="+", verbose_name=_("System users")
    )

    class Meta:
        ordering = ("name",)
        verbose_name = _("Application permission")
        constraints = [models.UniqueConstraint(fields=("org_id", "name"), name="perms_applicationpermission_unique")]
        indexes = [
            models.Index(fields=("org_id", "category", "name"), name="perms_app_by_category"),
            models.Index(fields=("org_id", "type", "name"), name="perms_app_by_type"),
        ]


class ApplicationPermissionUser(LinkRow):
    ends = ("applicationpermission", "user")

    applicationpermission = models.ForeignKey(
        ApplicationPermission, models.CASCADE, related_name="user_rows", verbose_name=_("Application permission")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="application_permission_rows", verbose_name=_("User")
    )

    class Meta:
        verbose_name = _("User of an application permission")
        constraints = [models.UniqueConstraint(fields=("applicationpermission", "user"), name="perms_app_user_unique")]


class ApplicationPermissionUserGroup(LinkRow):
    ends = ("applicationpermission", "usergroup")

    applicationpermission = models.ForeignKey(
        ApplicationPermission, models.CASCADE, related_name="user_group_rows", verbose_name=_("Application permission")
    )
    usergroup = models.ForeignKey(
        "users.UserGroup", models.CASCADE, related_name="application_permission_rows", verbose_name=_("User group")
    )

    class Meta:
        verbose_name = _("User group of an application permission")
        constraints = [
            models.UniqueConstraint(fields=("applicationpermission", "usergroup"), name="perms_app_usergroup_unique")
        ]


class ApplicationPermissionApplication(LinkRow):
    ends = ("applicationpermission", "application")

    applicationpermission = models.ForeignKey(
        ApplicationPermission, models.CASCADE, related_name="application_rows", verbose_name=_("Application permission")
    )
    application = models.ForeignKey(
        "applications.Application",
        models.CASCADE,
        related_name="application_permission_rows",
        verbose_name=_("Application"),
    )

    class Meta:
        verbose_name = _("Application of an application permission")
        constraints = [
            models.UniqueConstraint(
                fields=("applicationpermission", "application"), name="perms_app_application_unique"
            )
        ]


class ApplicationPermissionSystemUser(LinkRow):
    ends = ("applicationpermission", "systemuser")

    applicationpermission = models.ForeignKey(
        ApplicationPermission, models.CASCADE, related_name="system_user_rows", verbose_name=_("Application permission")
    )
    systemuser = models.ForeignKey(
        "vault.SystemUser",
        models.CASCADE,
        related_name="application_permission_rows",
        verbose_name=_("System user"),
    )

    class Meta:
        verbose_name = _("System user of an application permission")
        constraints = [
            models.UniqueConstraint(fields=("applicationpermission", "systemuser"), name="perms_app_systemuser_unique")
        ]
