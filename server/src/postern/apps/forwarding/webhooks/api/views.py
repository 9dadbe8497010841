"""`notifications/webhooks/` and `notifications/webhook-deliveries/`."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.forwarding.webhooks import actions, deliveries, testing
from postern.apps.forwarding.webhooks.api.serializers import (
    TestSerializer,
    WebhookDeliverySerializer,
    WebhookSerializer,
)
from postern.apps.forwarding.webhooks.errors import TestRefused
from postern.apps.forwarding.webhooks.models import Webhook, WebhookDelivery
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.phrases import said
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ReadOnlyViewSet, ResourceViewSet
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.errors import NotFound
from postern.kernel.secret import Secret


class WebhookViewSet(ResourceViewSet):
    """Endpoints of other systems. Answers to creating and to `secret` contain the secret, once."""

    queryset = Webhook.objects.all()
    serializer_class = WebhookSerializer
    serializer_classes = {"testing": TestSerializer}
    answers = {"testing": Answer(schema=texts("msg")), "secret": Answer(serializer=WebhookSerializer)}
    rights = Right.SUPER_USER
    always_root = True
    made_in_organization = changed_in_organization = False
    importable = exportable = False
    filter_fields = ("name", "is_active")
    search_fields = ("name", "address")
    ordering_fields = ("name", "is_active", "date_created", "date_updated")
    default_order = ("name", "id")

    def prepare_create(self, data: dict[str, Any]) -> dict[str, Any]:
        actions.require_dialable(data["address"])
        return data

    def create_object(self, data: dict[str, Any]) -> Webhook:
        return _with_secret(*actions.create_webhook(actor=self.actor, values=data))

    def prepare_update(self, instance: Webhook, data: dict[str, Any]) -> dict[str, Any]:
        if data.get("address", instance.address) != instance.address:
            actions.require_dialable(data["address"])
        return data

    def update_object(self, instance: Webhook, data: dict[str, Any]) -> Webhook:
        return actions.update_webhook(actor=self.actor, row=instance, changes=data)

    def delete_object(self, instance: Webhook) -> None:
        actions.delete_webhook(actor=self.actor, row=instance)

    @action(detail=True, methods=["post"])
    def secret(self, request: Request, **kwargs: Any) -> Response:
        """Make a new secret. The former secret signs, too, for a day."""
        with write_transaction():
            row = self.get_object()
            self.begin_write([row], ())
            row = _with_secret(*actions.replace_secret(actor=self.actor, row=row))
        return Response(self.get_serializer(row).data)

    @action(detail=False, methods=["post"])
    def testing(self, request: Request) -> Response:
        """Send a test message to an address, which need not be saved. Answers `{"msg"}`, or 400 `{"error"}`."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        given = serializer.validated_data
        webhook = None
        if given.get("id") is not None:
            webhook = self.get_queryset().filter(pk=given["id"]).first()
            if webhook is None:
                raise NotFound(_("Not found."))
        try:
            status = testing.send_test(actor=self.actor, address=given["address"], webhook=webhook)
        except (WebApiFailed, TestRefused) as error:
            return Response({"error": said(error.sentence)}, status=400)
        return Response({"msg": testing.said(status, is_stored=webhook is not None)})


class WebhookDeliveryViewSet(ReadOnlyViewSet):
    """Deliveries to webhooks, newest first."""

    queryset = WebhookDelivery.objects.all()
    serializer_class = WebhookDeliverySerializer
    answers = {"retry": Answer(serializer=WebhookDeliverySerializer)}
    rights = {"list": Right.SUPER_USER, "retrieve": Right.SUPER_USER, "retry": Right.SUPER_USER}
    always_root = True
    exportable = False
    filter_fields = ("state", "webhook", "kind")
    search_fields = ("kind", "webhook__name")
    ordering_fields: Any = ("date_created", "next_try", "tries")
    default_order = ("-date_created",)

    def visible_rows(self) -> QuerySet[WebhookDelivery]:
        return WebhookDelivery.objects.visible_to(self.actor, self.scope).select_related("webhook").defer("body")

    @action(detail=True, methods=["post"])
    def retry(self, request: Request, **kwargs: Any) -> Response:
        """Try a failed delivery again from the beginning."""
        row = deliveries.retry(actor=self.actor, row=self.get_object())
        return Response(self.get_serializer(row).data)


def _with_secret(row: Webhook, secret: Secret) -> Webhook:
    """The answer shows the secret of this object only."""
    row.issued = secret  # type: ignore[attr-defined]  # read by the serializer, stored nowhere
    return row
