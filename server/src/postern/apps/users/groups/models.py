"""Tables of groups and of their members."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.accounts.models import User
from postern.foundation.models import OrgOwnedModel, SavedRow, ScopedManager


class UserGroup(OrgOwnedModel):
    """A named set of users in one organization."""

    name = models.CharField(_("Name"), max_length=128)
    users: "models.ManyToManyField[User, UserGroupMember]" = models.ManyToManyField(
        User, through="UserGroupMember", related_name="groups", verbose_name=_("Users")
    )

    objects = ScopedManager()

    class Meta:
        verbose_name = _("User group")
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=("org_id", "name"), name="users_group_name_unique")]

    def __str__(self) -> str:
        return self.name


class UserGroupMember(SavedRow):
    """A user in a group. The contract gives these rows integer ids."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="group_rows", verbose_name=_("User"))
    usergroup = models.ForeignKey(
        UserGroup, on_delete=models.CASCADE, related_name="member_rows", verbose_name=_("User group")
    )

    class Meta:
        verbose_name = _("Group member")
        ordering = ("id",)
        constraints = [models.UniqueConstraint(fields=("user", "usergroup"), name="users_group_member_unique")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.usergroup_id}"
