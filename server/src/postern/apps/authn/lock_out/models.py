"""Counters of failed sign-ins."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import SavedRow
from postern.kernel import clock


class GuardKind(models.TextChoices):
    """The kinds of counters."""

    ACCOUNT = "account", _("Account")
    ADDRESS = "address", _("Address")
    MFA = "mfa", _("Second factor of an account")
    MFA_ALL = "mfa_all", _("Second factors of all accounts")
    FORGOT = "forgot", _("Forgotten password of an account")
    FORGOT_ADDRESS = "forgotip", _("Forgotten passwords from an address")


class SignInGuard(SavedRow):
    """Failed sign-ins of one account name or one address within the last window.

    `recent` holds their instants (seconds since 1970), `failures` their number.

    Unknown names are counted and locked too, so that a lock does not reveal whether an account exists. `key_hash` is a
    hash, because users sometimes type a password into the name field. `address` is set in rows of addresses, so that
    administrators can read the address that they unlock.
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
    #: End of the wait after some consecutive wrong passwords, before a lock.
    date_waits_until = models.DateTimeField(null=True)
    #: Time of the last wrong password or signature. A correct password does not clear it.
    date_last_wrong = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Sign-in guard")
        constraints = [models.UniqueConstraint(fields=("kind", "key_hash"), name="authn_guard_key_unique")]

    def __str__(self) -> str:
        return f"{self.kind} guard {self.pk}"
