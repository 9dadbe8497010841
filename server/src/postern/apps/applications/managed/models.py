"""The table of applications."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.applications.kinds.declarations import DECLARATIONS, ApplicationType, Category, Declaration
from postern.foundation.models import OrgOwnedModel, ScopedManager


class Application(OrgOwnedModel):
    """A database, a Kubernetes cluster or a program on a Windows host, of one of the declared types.

    `attrs` holds the attributes of its type but for the host and the secrets. Secrets are encrypted in `SealedSecret`.
    """

    name = models.CharField(_("Name"), max_length=128)
    category = models.CharField(_("Category"), max_length=16, choices=Category.choices)
    type = models.CharField(_("Type"), max_length=16, choices=ApplicationType.choices)
    #: Protected, because an application without its domain would be connected to directly.
    domain = models.ForeignKey(
        "assets.Domain",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("Domain"),
        help_text=_("The network zone of the application."),
    )
    #: The host of a remote app; null for the others, and once the host was deleted.
    asset = models.ForeignKey(
        "assets.Asset", models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("Asset")
    )
    attrs = models.JSONField(default=dict)

    objects = ScopedManager()

    class Meta:
        ordering = ("name", "id")
        verbose_name = _("Application")
        verbose_name_plural = _("Applications")
        constraints = [models.UniqueConstraint(fields=("org_id", "name"), name="applications_application_unique")]
        indexes = [
            # For lists over several organizations in order.
            models.Index(fields=("name", "id"), name="applications_by_name"),
            models.Index(fields=("org_id", "category", "name", "id"), name="applications_by_category"),
            models.Index(fields=("org_id", "type", "name", "id"), name="applications_by_type"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def described(self) -> str:
        """`name(Type)[Category]`, in the language of the request."""
        return f"{self.name}({self.get_type_display()})[{self.get_category_display()}]"

    @property
    def declaration(self) -> Declaration:
        """What an application of this type is made of."""
        return DECLARATIONS[self.type]
