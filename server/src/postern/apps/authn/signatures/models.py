"""Tables of accepted signatures."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import SavedRow


class UsedSignature(SavedRow):
    """An accepted signature of a request or an SSH sign-in, stored so that it is not accepted again (K8: a
    public key alone signs nobody in).

    An SSH signature has no date. It is stored as long as the user (`user_id`) has the key (`key_hash`), after
    `date_expired` in `PastSignatures`. Until `date_repeatable`, the same attempt (`attempt_hash`) may present it again.
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
    """Packed digests of old connections that a key has signed (see `past_signatures`). `part`: first byte of their
    digests.
    """

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
