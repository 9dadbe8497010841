"""`notifications/site-message/`: the caller's messages, and sending messages."""

from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.notifications import actions, queries
from postern.apps.notifications.actions import MAX_MESSAGE_CHARS, MAX_SUBJECT_CHARS
from postern.apps.notifications.declarations.catalogue import FROM_PEOPLE, label_of
from postern.apps.notifications.models import SiteMessageReceipt
from postern.apps.users.models import User, UserGroup
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.pagination import OptionalLimitPagination
from postern.foundation.rest.relations import MAX_IDS, OrgOwnedList
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField, PlainTextField
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.kernel.errors import NotAllowed

#: Default page size. It is small, because messages are long.
PAGE_SIZE: Final = 15


class SiteMessagePagination(OptionalLimitPagination):
    """Pages of 15 unless the client names a size; a bare array without `limit` and `offset`, as in all lists."""

    def get_limit(self, request: Request) -> int | None:
        limit = super().get_limit(request)
        return PAGE_SIZE if limit is None and self.offset_query_param in request.query_params else limit


class SiteMessageSerializer(ResourceSerializer):
    """A message as its receiver sees it.

    `receivers`: the receivers that the sender chose; empty for a message to everybody.
    """

    subject = serializers.CharField(source="message.subject", read_only=True, label=gettext_lazy("Subject"))
    message = serializers.CharField(source="message.message", read_only=True, label=gettext_lazy("Message"))
    message_type = serializers.CharField(
        source="message.message_type", read_only=True, label=gettext_lazy("Message type")
    )
    message_type_display = serializers.SerializerMethodField(label=gettext_lazy("Message type"))
    sender = serializers.UUIDField(
        source="message.sender_id", read_only=True, allow_null=True, label=gettext_lazy("Sender")
    )
    sender_display = serializers.SerializerMethodField(label=gettext_lazy("Sender"))
    receivers = serializers.ListField(
        source="message.addressed_to",
        child=serializers.CharField(),
        read_only=True,
        label=gettext_lazy("Receivers"),
    )
    is_broadcast = serializers.BooleanField(
        source="message.is_broadcast", read_only=True, label=gettext_lazy("To everybody")
    )
    date_created = serializers.DateTimeField(
        source="message.date_created", read_only=True, label=gettext_lazy("Date created")
    )

    class Meta:
        model = SiteMessageReceipt
        fields_mini = ("id", "subject")
        fields_small = (*fields_mini, "has_read", "read_at", "date_created", "sender", "sender_display")
        fields = (
            *fields_small,
            "message",
            "message_type",
            "message_type_display",
            "receivers",
            "is_broadcast",
            "date_delivered",
            "date_updated",
        )
        read_only_fields = ("has_read", "read_at", "date_delivered", "date_updated")

    def get_sender_display(self, receipt: SiteMessageReceipt) -> str:
        """`Name(username)`, also of deleted users; Postern's own name in the language of the reader."""
        message = receipt.message
        return message.sender_display if message.message_type == FROM_PEOPLE else gettext("System")

    def get_message_type_display(self, receipt: SiteMessageReceipt) -> str:
        return str(label_of(receipt.message.message_type))


class ReadSerializer(BodySerializer):
    ids = serializers.ListField(child=serializers.UUIDField(), max_length=MAX_IDS, label=gettext_lazy("Messages"))


class SendSerializer(BodySerializer):
    user_ids = OrgOwnedList(User, required=False, default=list, label=gettext_lazy("People"))
    group_ids = OrgOwnedList(UserGroup, required=False, default=list, label=gettext_lazy("User groups"))
    is_broadcast = serializers.BooleanField(default=False, label=gettext_lazy("To everybody"))
    subject = PlainField(max_length=MAX_SUBJECT_CHARS, label=gettext_lazy("Subject"))
    message = PlainTextField(max_length=MAX_MESSAGE_CHARS, label=gettext_lazy("Message"))


class SiteMessageViewSet(ReadOnlyViewSet):
    """The caller's own messages, newest first, in every organization."""

    queryset = SiteMessageReceipt.objects.all()
    serializer_class = SiteMessageSerializer
    serializer_classes = {"mark_as_read": ReadSerializer, "send": SendSerializer}
    answers = {
        "mark_as_read": Answer(schema=texts("detail")),
        "send": Answer(schema=texts("detail")),
        "unread_total": Answer(schema=texts(total={"type": "integer"})),
    }
    rights = {
        "list": Right.VALID_USER,
        "retrieve": Right.VALID_USER,
        "mark_as_read": Right.VALID_USER,
        "unread_total": Right.VALID_USER,
        "send": Right.SUPER_USER,
    }
    always_root = True
    pagination_class = SiteMessagePagination
    filter_fields = ("has_read",)
    ordering_fields: Any = {"date_created": "date_delivered", "has_read": "has_read"}
    default_order = ("-date_delivered",)

    def visible_rows(self) -> QuerySet[SiteMessageReceipt]:
        return SiteMessageReceipt.objects.visible_to(self.actor, self.scope).select_related("message")

    @action(detail=False, methods=["patch"], url_path="mark-as-read")
    def mark_as_read(self, request: Request) -> Response:
        """`{"ids": [id]}`; ids of other users' messages are ignored."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        actions.mark_as_read(actor=self.actor, receipt_ids=serializer.validated_data["ids"])
        return Response({"detail": "ok"})

    @action(detail=False, methods=["get"], url_path="unread-total")
    def unread_total(self, request: Request) -> Response:
        """`{"total": n}`."""
        del request
        if self.actor.user_id is None:
            raise NotAllowed(gettext("This is available to users only."))
        return Response({"total": queries.unread_total(self.actor.user_id)})

    @action(detail=False, methods=["post"])
    def send(self, request: Request) -> Response:
        """Send a message to users, groups, or everybody. Only super administrators may send messages."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        given = serializer.validated_data
        actions.send(
            actor=self.actor,
            subject=given["subject"],
            message=given["message"],
            users=given["user_ids"],
            groups=given["group_ids"],
            is_broadcast=given["is_broadcast"],
        )
        return Response({"detail": "ok"})
