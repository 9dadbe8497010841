"""The table of login ACLs."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import DatedModel


class LoginAclAction(models.TextChoices):
    """What a matching rule does (contract: acls)."""

    REJECT = "reject", _("Reject")
    ALLOW = "allow", _("Allow")


def everywhere() -> list[str]:
    return ["*"]


class LoginAcl(DatedModel):
    """A rule about the sign-ins of one user. Only the first active rule of a user decides.

    `ip_group`: addresses, networks, ranges and `*` (`addresses.py`). `hours`: spans of time (`hours.py`); empty means
    always. A rule applies in all organizations, because a sign-in belongs to none.
    """

    name = models.CharField(_("Name"), max_length=128)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_acls", verbose_name=_("User"))
    priority = models.PositiveSmallIntegerField(
        _("Priority"), default=50, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    ip_group = models.JSONField(_("IP"), default=everywhere)
    hours = models.JSONField(_("Days and times"), default=list, blank=True)
    action = models.CharField(_("Action"), max_length=16, choices=LoginAclAction.choices, default=LoginAclAction.REJECT)
    is_active = models.BooleanField(_("Active"), default=True)
    comment = models.TextField(_("Comment"), blank=True, default="")

    class Meta:
        verbose_name = _("Login ACL")
        ordering = ("priority", "-date_updated", "name", "id")
        indexes = [models.Index(fields=("user", "priority"), name="authn_login_acl_of_user")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(action__in=LoginAclAction.values), name="authn_login_acl_action_known"
            ),
            models.CheckConstraint(
                condition=models.Q(priority__gte=1, priority__lte=100), name="authn_login_acl_priority_in_limits"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.user.username})"
