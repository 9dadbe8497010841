"""`notifications/deliveries/`: what was sent by mail, what could not be delivered, and trying again."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.notifications import deliveries
from postern.apps.notifications.declarations.catalogue import label_of
from postern.apps.notifications.models import MessageDelivery
from postern.foundation.phrases import why
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet


class DeliverySerializer(ResourceSerializer):
    """A delivery. `reason`: why the last try failed, in the language of the reader."""

    subject = serializers.CharField(source="message.subject", read_only=True, label=gettext_lazy("Subject"))
    message_type = serializers.CharField(
        source="message.message_type", read_only=True, label=gettext_lazy("Message type")
    )
    message_type_display = serializers.SerializerMethodField(label=gettext_lazy("Message type"))
    user_display = serializers.CharField(source="user", read_only=True, label=gettext_lazy("User"))
    state_display = serializers.CharField(source="get_state_display", read_only=True, label=gettext_lazy("State"))
    channel_display = serializers.CharField(source="get_channel_display", read_only=True, label=gettext_lazy("Channel"))
    reason = serializers.SerializerMethodField(label=gettext_lazy("Reason"))

    class Meta:
        model = MessageDelivery
        fields_mini = ("id", "subject")
        fields_small = (*fields_mini, "state", "channel", "address", "tries", "next_try", "date_created")
        fields = (
            *fields_small,
            "state_display",
            "channel_display",
            "message_type",
            "message_type_display",
            "user",
            "user_display",
            "reason",
            "give_up_at",
            "date_accepted",
            "date_updated",
        )
        read_only_fields = fields

    def get_message_type_display(self, row: MessageDelivery) -> str:
        return str(label_of(row.message.message_type))

    def get_reason(self, row: MessageDelivery) -> str:
        return why(row.reason, "")


class DeliveryViewSet(ReadOnlyViewSet):
    """Deliveries of messages outside Postern, newest first. They are deleted with their message."""

    queryset = MessageDelivery.objects.all()
    serializer_class = DeliverySerializer
    answers = {"retry": Answer(serializer=DeliverySerializer)}
    rights = {"list": Right.SUPER_USER, "retrieve": Right.SUPER_USER, "retry": Right.SUPER_USER}
    always_root = True
    exportable = False
    filter_fields = ("state", "channel")
    search_fields = ("address", "message__subject", "user__username", "user__name")
    ordering_fields: Any = ("date_created", "next_try", "tries")
    default_order = ("-date_created",)

    def visible_rows(self) -> QuerySet[MessageDelivery]:
        return MessageDelivery.objects.visible_to(self.actor, self.scope).select_related("message", "user")

    @action(detail=True, methods=["post"])
    def retry(self, request: Request, **kwargs: Any) -> Response:
        """Try a failed delivery again, for another day."""
        row = deliveries.retry(actor=self.actor, row=self.get_object())
        return Response(self.get_serializer(row).data)
