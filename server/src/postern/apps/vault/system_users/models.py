"""Tables of system users and of their bindings."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.models import Connectivity
from postern.contracts.enums import Protocol
from postern.foundation.models import OrgOwnedModel, PosternModel, SavedRow, ScopedManager


class SystemUserType(models.TextChoices):
    COMMON = "common", _("Common user")
    ADMIN = "admin", _("Admin user")


class LoginMode(models.TextChoices):
    AUTO = "auto", _("Automatic managed")
    MANUAL = "manual", _("Manually input")


class SystemUser(OrgOwnedModel):
    """An account on targets that users use without seeing its secrets. The secrets are encrypted in `SealedSecret`."""

    name = models.CharField(_("Name"), max_length=128)
    username = models.CharField(_("Username"), max_length=128, blank=True, default="", db_index=True)
    type = models.CharField(_("Type"), max_length=16, choices=SystemUserType.choices, default=SystemUserType.COMMON)
    protocol = models.CharField(
        _("Protocol"),
        max_length=16,
        choices=[(item.value, item.value) for item in Protocol],
        default=Protocol.SSH.value,
    )
    login_mode = models.CharField(_("Login mode"), max_length=8, choices=LoginMode.choices, default=LoginMode.AUTO)
    priority = models.PositiveSmallIntegerField(
        _("Priority"),
        default=81,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("1-100; with several system users, the highest number is the default"),
    )
    sudo = models.TextField(_("Sudo"), default="/bin/whoami")
    shell = models.CharField(_("Shell"), max_length=64, default="/bin/bash")
    sftp_root = models.CharField(_("SFTP Root"), max_length=128, default="tmp")
    home = models.CharField(_("Home"), max_length=4096, blank=True, default="")
    system_groups = models.CharField(_("System groups"), max_length=4096, blank=True, default="")
    ad_domain = models.CharField(_("Ad domain"), max_length=256, blank=True, default="")
    username_same_with_user = models.BooleanField(_("Username same with user"), default=False)
    auto_push = models.BooleanField(_("Auto push"), default=True)
    #: Public facts about the secrets, stored with the system user.
    public_key = models.TextField(_("SSH public key"), max_length=16_384, blank=True, default="", editable=False)
    ssh_key_fingerprint = models.CharField(
        _("SSH key fingerprint"), max_length=64, blank=True, default="", editable=False
    )

    objects = ScopedManager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("System user")
        constraints = [
            models.UniqueConstraint(fields=("name", "org_id"), name="vault_systemuser_unique"),
            models.UniqueConstraint(
                fields=("protocol", "org_id"),
                condition=models.Q(username_same_with_user=True),
                name="vault_systemuser_one_dynamic_per_protocol",
            ),
            models.CheckConstraint(
                condition=models.Q(priority__gte=1, priority__lte=100), name="vault_systemuser_priority"
            ),
        ]
        indexes = [models.Index(fields=("org_id", "name"), name="vault_systemuser_order")]

    def __str__(self) -> str:
        return f"{self.name}({self.username})"


class SystemUserAsset(PosternModel):
    """A system user that exists on an asset (contract: "the asset relation row is an account")."""

    asset = models.ForeignKey("assets.Asset", models.CASCADE, related_name="+", verbose_name=_("Asset"))
    systemuser = models.ForeignKey(SystemUser, models.CASCADE, related_name="asset_rows", verbose_name=_("System user"))
    connectivity = models.CharField(
        _("Connectivity"), max_length=8, choices=Connectivity.choices, default=Connectivity.UNKNOWN
    )
    date_verified = models.DateTimeField(_("Date verified"), null=True, blank=True)

    class Meta:
        verbose_name = _("Asset of a system user")
        constraints = [models.UniqueConstraint(fields=("systemuser", "asset"), name="vault_systemuserasset_unique")]

    def __str__(self) -> str:
        return f"{self.systemuser_id}: {self.asset_id}"


class SystemUserNode(SavedRow):
    """A system user that should exist on every asset below a node."""

    node = models.ForeignKey("assets.Node", models.CASCADE, related_name="+", verbose_name=_("Node"))
    systemuser = models.ForeignKey(SystemUser, models.CASCADE, related_name="node_rows", verbose_name=_("System user"))

    class Meta:
        verbose_name = _("Node of a system user")
        constraints = [models.UniqueConstraint(fields=("systemuser", "node"), name="vault_systemusernode_unique")]

    def __str__(self) -> str:
        return f"{self.systemuser_id}: {self.node_id}"


class SystemUserUser(SavedRow):
    """A user for whom a system user with a dynamic username exists."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("User"))
    systemuser = models.ForeignKey(SystemUser, models.CASCADE, related_name="user_rows", verbose_name=_("System user"))

    class Meta:
        verbose_name = _("User of a system user")
        constraints = [models.UniqueConstraint(fields=("systemuser", "user"), name="vault_systemuseruser_unique")]

    def __str__(self) -> str:
        return f"{self.systemuser_id}: {self.user_id}"
