"""Tables of the authn app. No row holds anything that would sign somebody in if it were read."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock, ids


class LoginEnd(models.TextChoices):
    """Why a login session ended."""

    SIGNED_OUT = "signed_out", _("Signed out")
    EXPIRED = "expired", _("Expired")
    ENDED_BY_SELF = "ended_by_self", _("Ended by its owner")
    ENDED_BY_ADMIN = "ended_by_admin", _("Ended by an administrator")
    ACCOUNT_CLOSED = "account_closed", _("Account closed")
    PASSWORD_CHANGED = "password_changed", _("Password changed")
    MFA_CHANGED = "mfa_changed", _("Second factor changed")


class LoginSession(PosternModel):
    """One sign-in with a browser. Its id is what the browser's (signed, random) session refers to, never the key.

    `epoch` is `User.session_epoch` at the time of signing in: when the two differ, the session is over.
    `mfa`: the second factor was shown. `date_mfa_verified`: when last (what guards the most delicate views).
    `date_password_verified`: when the password was last asked for again.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_sessions", verbose_name=_("User"))
    epoch = models.PositiveIntegerField(editable=False)
    remote_addr = models.CharField(_("Remote address"), max_length=64, blank=True, default="")
    user_agent = models.CharField(_("User agent"), max_length=254, blank=True, default="")
    backend = models.CharField(_("Authentication backend"), max_length=32, default="password")
    mfa = models.BooleanField(_("MFA"), default=False)
    date_mfa_verified = models.DateTimeField(null=True, editable=False)
    date_password_verified = models.DateTimeField(null=True, editable=False)
    date_created = models.DateTimeField(_("Date login"), default=clock.now)
    date_last_seen = models.DateTimeField(_("Last seen"), default=clock.now)
    date_expired = models.DateTimeField(_("Date expired"))
    date_ended = models.DateTimeField(_("Date ended"), null=True)
    end_reason = models.CharField(_("End reason"), max_length=16, choices=LoginEnd.choices, blank=True, default="")

    class Meta:
        verbose_name = _("Login session")
        ordering = ("-date_created",)
        indexes = [
            models.Index(fields=("user", "date_ended"), name="authn_login_user_open"),
            models.Index(fields=("user", "-date_created"), name="authn_login_newest"),
        ]

    def __str__(self) -> str:
        return f"login session {self.id}"


class BearerToken(PosternModel):
    """A token for API calls; only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="bearer_tokens", verbose_name=_("User"))
    token_hash = models.CharField(max_length=64, unique=True)
    epoch = models.PositiveIntegerField(editable=False)
    remote_addr = models.CharField(max_length=64, blank=True, default="")
    mfa = models.BooleanField(default=False)
    date_mfa_verified = models.DateTimeField(null=True, editable=False)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()
    date_revoked = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Bearer token")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"bearer token {self.id}"


class AccessKey(SavedRow):
    """A key for signed API calls. The secret is not stored: it is derived from `nonce` and a key outside the database."""

    id = models.UUIDField(_("AccessKeyID"), primary_key=True, default=ids.new_id)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="access_keys", verbose_name=_("User"))
    nonce = models.BinaryField(max_length=32, editable=False)
    is_active = models.BooleanField(_("Active"), default=True)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_last_used = models.DateTimeField(_("Last used"), null=True, editable=False)

    class Meta:
        verbose_name = _("Access key")
        ordering = ("-date_created",)
        indexes = [models.Index(fields=("user", "-date_created"), name="authn_accesskey_newest")]

    def __str__(self) -> str:
        return f"access key {self.id}"


class TotpDevice(PosternModel):
    """An authenticator app of a person. Its secret lies sealed in the vault, at the place of this row.

    Unconfirmed until the person has shown a code of it; one confirmed and one unconfirmed row at most.
    `last_step`: the time step of the last code that was taken: no code of it or of an earlier one is taken again.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="totp_devices", verbose_name=_("User"))
    last_step = models.BigIntegerField(default=0, editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_confirmed = models.DateTimeField(_("Date confirmed"), null=True, editable=False)

    class Meta:
        verbose_name = _("Authenticator app")
        ordering = ("-date_created",)
        constraints = [
            models.UniqueConstraint(
                fields=("user",), condition=models.Q(date_confirmed__isnull=False), name="authn_totp_one_confirmed"
            ),
            models.UniqueConstraint(
                fields=("user",), condition=models.Q(date_confirmed__isnull=True), name="authn_totp_one_pending"
            ),
        ]

    def __str__(self) -> str:
        return f"authenticator app of {self.user_id}"


class RecoveryCode(SavedRow):
    """A code that stands in for the authenticator app, once; only its hash is kept."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes", verbose_name=_("User"))
    code_hash = models.CharField(max_length=64)
    date_used = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Recovery code")
        constraints = [models.UniqueConstraint(fields=("user", "code_hash"), name="authn_recovery_code_unique")]

    def __str__(self) -> str:
        return f"recovery code of {self.user_id}"


class SignInWay(models.TextChoices):
    """Through which door a sign-in is under way."""

    WEB = "web", _("Browser")
    TOKEN = "token", _("API")
    PROXY = "proxy", _("Terminal")


class PendingSignIn(PosternModel):
    """A sign-in whose first factor was right and whose second one is still to come (K27).

    It belongs to one person, under the password of that time (`epoch`), and leads to one sign-in at most (`date_used`).
    Browsers name it in their session, proxies by a token of which only the hash is kept. Through a proxy it goes on at
    that proxy only (`proxy_id`); `key_hash` names the SSH key that was the first factor.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="pending_sign_ins", verbose_name=_("User"))
    way = models.CharField(max_length=8, choices=SignInWay.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    epoch = models.PositiveIntegerField(editable=False)
    backend = models.CharField(max_length=32)
    remote_addr = models.CharField(max_length=64, blank=True, default="")
    user_agent = models.CharField(max_length=254, blank=True, default="")
    login_type = models.CharField(max_length=1)
    proxy_id = models.UUIDField(null=True, editable=False)
    key_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    tries = models.PositiveSmallIntegerField(default=0)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()
    date_passed = models.DateTimeField(null=True)
    date_used = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Pending sign-in")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"pending sign-in {self.id}"


class ProxySignIn(PosternModel):
    """One sign-in through a proxy. The proxy holds its ticket, of which only the hash is kept here.

    The ticket is worth something at one proxy (`proxy_id`), for a client at one address, and only while the person could
    sign in the same way again: `epoch` is `User.session_epoch` of then, `key_hash` the SSH key that was the first factor
    ("" for a password), `mfa` whether the second factor was shown. A proxy prolongs it while the connection is open.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="proxy_sign_ins", verbose_name=_("User"))
    token_hash = models.CharField(max_length=64, unique=True)
    proxy_id = models.UUIDField(db_index=True)
    epoch = models.PositiveIntegerField(editable=False)
    remote_addr = models.CharField(_("Remote address"), max_length=64, blank=True, default="")
    backend = models.CharField(_("Authentication backend"), max_length=32)
    key_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    mfa = models.BooleanField(_("MFA"), default=False)
    date_created = models.DateTimeField(_("Date login"), default=clock.now)
    date_expired = models.DateTimeField(_("Date expired"), db_index=True)
    date_ended = models.DateTimeField(_("Date ended"), null=True)

    class Meta:
        verbose_name = _("Sign-in through a proxy")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"sign-in through a proxy {self.id}"


class AnsweredSignIn(SavedRow):
    """What became of a request to sign in through a proxy, for some seconds: its answer may be lost, and it is asked again.

    `name` stands for the whole request and its attempt, and tells nothing about them (`foundation.requests.attempts`). `counted` is the guess
    that was counted beforehand. Once answered (`date_answered`), one of `denial`, `pending` and `sign_in` is the outcome.
    """

    id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=64, unique=True)
    counted = models.JSONField(null=True)
    denial = models.JSONField(null=True)
    pending = models.ForeignKey(PendingSignIn, on_delete=models.CASCADE, null=True, related_name="+")
    sign_in = models.ForeignKey(ProxySignIn, on_delete=models.CASCADE, null=True, related_name="+")
    date_answered = models.DateTimeField(null=True)
    date_expired = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("Answered sign-in")

    def __str__(self) -> str:
        return f"answered sign-in {self.pk}"


class UsedSignature(SavedRow):
    """A signature that was already taken, so that it is not taken again: of a request (K69), of an SSH sign-in (K8).

    An SSH signature holds no date: it is remembered for as long as the person (`user_id`) holds its key (`key_hash`), after
    `date_expired` in `PastSignatures`. Until `date_repeatable` the attempt that brought it (`attempt_hash`) may come again.
    """

    id = models.BigAutoField(primary_key=True)
    signature_hash = models.CharField(max_length=64, unique=True)
    attempt_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    user_id = models.UUIDField(null=True, editable=False)
    key_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    date_repeatable = models.DateTimeField(null=True, editable=False)
    date_expired = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("Used signature")

    def __str__(self) -> str:
        return f"used signature {self.pk}"


class PastSignatures(SavedRow):
    """Connections for which a key signed long ago, packed (see `past_signatures`). `part`: first byte of their digests."""

    id = models.BigAutoField(primary_key=True)
    user_id = models.UUIDField(editable=False)
    key_hash = models.CharField(max_length=64, editable=False)
    part = models.PositiveSmallIntegerField(editable=False)
    digests = models.BinaryField()

    class Meta:
        verbose_name = _("Past signatures")
        constraints = [
            models.UniqueConstraint(fields=("user_id", "key_hash", "part"), name="authn_pastsignatures_unique")
        ]

    def __str__(self) -> str:
        return f"past signatures {self.pk}"


class PlaceKind(models.TextChoices):
    """By what a place is known again."""

    DEVICE = "device", _("Device")
    ADDRESS = "address", _("Address")


class KnownPlace(PosternModel):
    """A browser or an address from which a person has signed in completely, of late.

    While strangers have the account locked, its owner goes on from there: `failures` made there during a lock wait ever
    longer (`date_locked_until`). That wait is asked only while the account is locked.
    `epoch` is `User.session_epoch`: when the password is reset, nothing is known any more. A browser is known by a random
    token in a signed cookie; `key_hash` is the hash of that token, or of the address.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="known_places", verbose_name=_("User"))
    kind = models.CharField(max_length=8, choices=PlaceKind.choices)
    key_hash = models.CharField(max_length=64)
    epoch = models.PositiveIntegerField(editable=False)
    failures = models.PositiveIntegerField(default=0)
    date_locked_until = models.DateTimeField(null=True)
    date_created = models.DateTimeField(default=clock.now)
    date_last_used = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()

    class Meta:
        verbose_name = _("Known device or address")
        ordering = ("-date_last_used",)
        constraints = [models.UniqueConstraint(fields=("user", "kind", "key_hash"), name="authn_known_place_unique")]

    def __str__(self) -> str:
        return f"known {self.kind} of {self.user_id}"


class GuardKind(models.TextChoices):
    """What failed sign-ins are counted for."""

    ACCOUNT = "account", _("Account")
    ADDRESS = "address", _("Address")
    MFA = "mfa", _("Second factor of an account")
    MFA_ALL = "mfa_all", _("Second factors of all accounts")


class SignInGuard(SavedRow):
    """Failed sign-ins of one account name or one address within the last window's length.

    `recent` holds their instants (seconds since 1970), `failures` how many there are.

    The name need not belong to anybody: unknown names are counted and locked just the same, so that a lock tells
    nothing. `key_hash` is a hash because people now and then type a password where the name belongs. `address` is set in
    rows of addresses: whoever unlocks one must be able to read it.
    """

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=8, choices=GuardKind.choices)
    key_hash = models.CharField(max_length=64)
    address = models.CharField(max_length=64, blank=True, default="")
    recent = models.JSONField(default=list, editable=False)
    failures = models.PositiveIntegerField(default=0)
    locks = models.PositiveIntegerField(default=0)
    date_last_failure = models.DateTimeField(default=clock.now)
    date_locked_until = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Sign-in guard")
        constraints = [models.UniqueConstraint(fields=("kind", "key_hash"), name="authn_guard_key_unique")]

    def __str__(self) -> str:
        return f"{self.kind} guard {self.pk}"
