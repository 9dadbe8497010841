"""The common columns of the providers of all protocols, and the table of identities at providers."""

from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import Source, User
from postern.foundation.models import DatedModel, PosternModel
from postern.kernel import clock

MOST_SLUG_CHARS = 20


class FederatedProvider(DatedModel):
    """A provider of any protocol, as administrators configure it.

    `slug`: part of addresses and of the backend's name in logs; it never changes. The `…_claim` columns are paths into
    the claims. `rules`: the rules for roles and groups (`mapping.Rule`). `creates_users`: unknown people become users.
    `adopts_users`: a user whom an administrator has prepared with this source, and who has no identity yet, is linked
    to the first person with this username.
    """

    name = models.CharField(_("Name"), max_length=64, unique=True)
    slug = models.CharField(_("ID"), max_length=MOST_SLUG_CHARS, unique=True)
    order = models.PositiveSmallIntegerField(
        _("Order on the sign-in page"), default=50, validators=[MaxValueValidator(1000)]
    )
    is_active = models.BooleanField(_("Active"), default=True)
    username_claim = models.CharField(_("Claim of the username"), max_length=128, default="preferred_username")
    name_claim = models.CharField(_("Claim of the name"), max_length=128, default="name", blank=True)
    email_claim = models.CharField(_("Claim of the mail address"), max_length=128, default="email", blank=True)
    rules = models.JSONField(_("Roles and groups"), default=list, blank=True)
    creates_users = models.BooleanField(_("Create unknown users"), default=False)
    adopts_users = models.BooleanField(_("Accept prepared users"), default=False)
    comment = models.TextField(_("Comment"), blank=True, default="")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


class FederatedIdentity(PosternModel):
    """The identity of a user at a provider: `issuer` and `subject`, never a mail address. A user has at most one."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="federated_identity")
    source = models.CharField(max_length=30, choices=Source.choices)
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    date_created = models.DateTimeField(default=clock.now, editable=False)
    date_last_used = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("Identity at a provider")
        constraints = [
            models.UniqueConstraint(fields=("source", "issuer", "subject"), name="authn_federated_subject_unique")
        ]

    def __str__(self) -> str:
        return f"identity of {self.user_id}"
