"""Invitations: sent by the organization, received by the caller, and received by the organization's members."""

from collections.abc import Callable
from typing import ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.invitations import actions as invitations
from postern.apps.users.invitations.errors import InvitationGone
from postern.apps.users.invitations.models import Invitation
from postern.apps.users.invitations.queries import invitations_of_members, invitations_sent, invitations_to
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import DeleteMixin, ListViewSet
from postern.kernel.ids import parse_id

_DATES: Final = ("created_by", "date_created", "date_expired")


class SentInvitationSerializer(ResourceSerializer):
    """An invitation for its sender: what the administrator wrote, and nothing about the user."""

    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=OrgRole.choices),
        read_only=True,
        label=gettext_lazy("Organization role name"),
    )

    class Meta:
        model = Invitation
        fields: tuple[str, ...] = ("id", "addressee", "roles", *_DATES)
        read_only_fields: tuple[str, ...] = fields


class ReceivedInvitationSerializer(SentInvitationSerializer):
    """An invitation for the invited user or one of their administrators."""

    org_display = serializers.CharField(source="org.name", read_only=True, label=gettext_lazy("Organization"))
    user_display = serializers.CharField(source="user", read_only=True, label=gettext_lazy("User"))

    class Meta(SentInvitationSerializer.Meta):
        fields = ("id", "org_display", "user_display", "roles", *_DATES)
        read_only_fields = fields


class InvitationViewSet(DeleteMixin, ListViewSet):
    """`users/invitations/`: open invitations of this organization. DELETE withdraws one.

    `users/users/invite/` sends them.
    """

    queryset = Invitation.objects.all()
    serializer_class = SentInvitationSerializer
    rights = {"list": Right.ORG_ADMIN, "destroy": Right.ORG_ADMIN}
    exportable = False
    filter_fields = ("addressee",)
    search_fields = ("addressee",)
    ordering_fields = ("addressee", "date_created", "date_expired")
    default_order = ("-date_created",)

    def visible_rows(self) -> QuerySet[Invitation]:
        return invitations_sent(self.scope)

    def delete_object(self, instance: Invitation) -> None:
        invitations.withdraw(actor=self.actor, invitation=instance)


class _AnswerableViewSet(ListViewSet):
    """Invitations that the caller can answer."""

    queryset = Invitation.objects.all()
    serializer_class = ReceivedInvitationSerializer
    exportable = False
    answers: ClassVar[dict[str, Answer]] = {
        "accept": Answer(schema=texts("msg")),
        "decline": Answer(schema=texts("msg")),
    }
    ordering_fields: ClassVar[tuple[str, ...]] = ("date_created", "date_expired")
    default_order = ("-date_created",)

    def _answer(self, pk: str, verb: Callable[[UUID], None]) -> Response:
        invitation_id = parse_id(pk)
        if invitation_id is None:
            raise InvitationGone
        verb(invitation_id)
        return Response({"msg": "ok"})


class OwnInvitationViewSet(_AnswerableViewSet):
    """`users/profile/invitations/`: invitations of the caller into other organizations."""

    rights = {"list": Right.VALID_USER, "accept": Right.VALID_USER, "decline": Right.VALID_USER}
    always_root = True

    def visible_rows(self) -> QuerySet[Invitation]:
        return invitations_to(self.actor)

    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Join the organization."""
        del request
        return self._answer(pk, lambda key: invitations.accept_own(actor=self.actor, invitation_id=key))

    @action(detail=True, methods=["post"])
    def decline(self, request: Request, pk: str) -> Response:
        """Decline. The inviting organization is not notified."""
        del request
        return self._answer(pk, lambda key: invitations.decline(actor=self.actor, invitation_id=key))


class MemberInvitationViewSet(_AnswerableViewSet):
    """`users/member-invitations/`: invitations of this organization's members into others, which its administrators can
    accept.
    """

    rights = {"list": Right.ORG_ADMIN, "accept": Right.ORG_ADMIN}
    search_fields = ("user__name", "user__username", "org__name")

    def visible_rows(self) -> QuerySet[Invitation]:
        return invitations_of_members(self.scope)

    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Accept for the member."""
        del request
        return self._answer(
            pk,
            lambda key: invitations.accept_for_member(actor=self.actor, scope=self.scope, invitation_id=key),
        )
