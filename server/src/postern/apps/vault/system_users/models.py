"""Tables of system users and of their bindings."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.models import Connectivity
from postern.contracts.enums import SESSION_PROTOCOLS, Protocol
from postern.foundation.models import OrgOwnedModel, PosternModel, SavedRow, ScopedManager
from postern.kernel import clock


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
        choices=[(item.value, item.value) for item in SESSION_PROTOCOLS],
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


class SystemUserAsset(OrgOwnedModel):
    """An account: a system user on an asset, or an account of the asset alone (contract: "the asset relation row is an
    account").

    Without a secret of its own it has that of its system user. `username` is "" if it follows from the system user.
    """

    asset = models.ForeignKey("assets.Asset", models.CASCADE, related_name="+", verbose_name=_("Asset"))
    systemuser = models.ForeignKey(
        SystemUser, models.CASCADE, null=True, related_name="asset_rows", verbose_name=_("System user")
    )
    username = models.CharField(_("Username"), max_length=128, blank=True, default="")
    #: Number of the secret: it counts up with each change of the account's own secret.
    version = models.PositiveIntegerField(_("Version"), default=1)
    has_own_secret = models.BooleanField(_("Own secret"), default=False, editable=False)
    #: When the secret that it signs in with changed; a test that began earlier says nothing about it.
    date_secret_changed = models.DateTimeField(null=True, editable=False)
    #: Whether somebody added the account. All others follow from the nodes of their system user.
    is_direct = models.BooleanField(default=True, editable=False)
    public_key = models.TextField(_("SSH public key"), max_length=16_384, blank=True, default="", editable=False)
    ssh_key_fingerprint = models.CharField(
        _("SSH key fingerprint"), max_length=64, blank=True, default="", editable=False
    )
    connectivity = models.CharField(
        _("Connectivity"), max_length=8, choices=Connectivity.choices, default=Connectivity.UNKNOWN
    )
    date_verified = models.DateTimeField(_("Date verified"), null=True, blank=True)

    objects = ScopedManager()

    class Meta:
        ordering = ("date_created", "id")
        verbose_name = _("Asset of a system user")
        constraints = [
            models.UniqueConstraint(fields=("systemuser", "asset", "username"), name="vault_systemuserasset_unique"),
            models.UniqueConstraint(
                fields=("asset", "username"),
                condition=models.Q(systemuser__isnull=True),
                name="vault_account_of_asset_unique",
            ),
        ]
        indexes = [
            models.Index(fields=("org_id", "date_created", "id"), name="vault_account_order"),
            models.Index(fields=("systemuser", "date_created", "id"), name="vault_account_by_systemuser"),
        ]

    def __str__(self) -> str:
        return f"{self.systemuser_id}: {self.asset_id}"


class VersionReason(models.TextChoices):
    """Why an account has a new version."""

    ENTERED = "entered", _("Secret entered")
    CLEARED = "cleared", _("Own secret removed")
    RESTORED = "restored", _("Earlier secret restored")


class AccountVersion(PosternModel):
    """A secret that an account has or had. The secrets are encrypted in `SealedSecret`, at the place of this row."""

    account = models.ForeignKey(SystemUserAsset, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(_("Version"))
    reason = models.CharField(_("Reason"), max_length=16, choices=VersionReason.choices)
    has_password = models.BooleanField(_("Password"), default=False)
    has_private_key = models.BooleanField(_("SSH private key"), default=False)
    public_key = models.TextField(max_length=16_384, blank=True, default="", editable=False)
    ssh_key_fingerprint = models.CharField(_("SSH key fingerprint"), max_length=64, blank=True, default="")
    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), default=clock.now)

    class Meta:
        ordering = ("-number",)
        verbose_name = _("Version of an account")
        constraints = [models.UniqueConstraint(fields=("account", "number"), name="vault_accountversion_unique")]

    def __str__(self) -> str:
        return f"{self.account_id} {self.number}"


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


class NodeUpkeep(SavedRow):
    """One row for each organization whose system users are or were bound to nodes: up to which bindings and which tree
    its accounts follow from the nodes (see `accounts.of_nodes`).
    """

    org_id = models.UUIDField(primary_key=True)
    #: Counts the changes of bindings.
    bindings = models.PositiveBigIntegerField(default=0)
    done_bindings = models.PositiveBigIntegerField(default=0)
    #: `TreeVersion.seq` of the tree that was worked through.
    done_tree = models.BigIntegerField(default=-1)

    def __str__(self) -> str:
        return str(self.org_id)
