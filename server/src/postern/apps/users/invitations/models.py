"""The table of invitations."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.orgs.models import Organization
from postern.apps.users.accounts.models import User
from postern.foundation.models import PosternModel
from postern.kernel import clock


class InvitationAnswer(models.TextChoices):
    """How an invitation ended. An invitation without an answer is open until it expires."""

    ACCEPTED = "accepted", _("Accepted")
    DECLINED = "declined", _("Declined")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def unexpired(self) -> "InvitationQuerySet":
        return self.filter(date_expired__gt=clock.now())

    def open(self) -> "InvitationQuerySet":
        """Invitations that can be accepted or declined now."""
        return self.unexpired().filter(answer="", user__isnull=False)

    def waiting(self) -> "InvitationQuerySet":
        """Invitations that the inviting organization sees as open.

        Declined invitations, and invitations to unknown names, look like unanswered invitations. Otherwise the list would
        reveal whether an account exists.
        """
        return self.unexpired().filter(answer__in=("", InvitationAnswer.DECLINED))


class Invitation(PosternModel):
    """An invitation of a user to join an organization with these roles.

    `addressee` is what the inviting administrator wrote: a user name, an e-mail address or an id. `user` is the
    matching user at that time, or empty; the inviting organization never learns which.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="invitations", verbose_name=_("Organization")
    )
    addressee = models.CharField(_("User name or e-mail"), max_length=254)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="invitations")
    roles = models.JSONField(_("Organization role name"), default=list)
    inviter = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.CharField(_("Created by"), max_length=260, default="")
    date_created = models.DateTimeField(_("Date created"), default=clock.now)
    date_expired = models.DateTimeField(_("Date expired"))
    answer = models.CharField(max_length=16, choices=InvitationAnswer.choices, blank=True, default="")
    answered_by = models.CharField(max_length=260, blank=True, default="")
    date_answered = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        verbose_name = _("Invitation")
        ordering = ("-date_created", "id")
        indexes = [
            models.Index(fields=("inviter", "date_created"), name="users_invitation_recent"),
            models.Index(fields=("org", "-date_created"), name="users_invitation_of_org"),
            models.Index(fields=("-date_created",), name="users_invitation_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(answer__in=("", *InvitationAnswer.values)), name="users_invitation_answer_known"
            )
        ]

    def __str__(self) -> str:
        return self.addressee
