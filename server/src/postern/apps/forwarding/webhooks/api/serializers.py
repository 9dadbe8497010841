"""Shapes of webhooks and their deliveries."""

from collections.abc import Callable
from typing import Any, Final

from django.utils.functional import Promise, lazy
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.audits.categories import Category
from postern.apps.audits.kinds_by_code import find
from postern.apps.forwarding.webhooks.models import Webhook, WebhookDelivery
from postern.apps.notifications.declarations.catalogue import MESSAGE_TYPES, label_of
from postern.foundation.phrases import why
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.webhooks.client import split_address
from postern.kernel.dialing import plain
from postern.kernel.secret import MASK, Secret

_MOST_CHARS: Final = 1024
#: The words of a category in the language of the request.
_words_of: Final[Callable[[Category], Promise]] = lazy(lambda category: category.words, str)


class AddressField(PlainField):
    """An https address; http only on this machine."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=_MOST_CHARS, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        try:
            host = str(split_address(text).hostname)
        except WebApiFailed:
            host = ""
        if not host or not text.isascii() or " " in text:
            raise serializers.ValidationError(now("Enter an address such as https://example.com/hooks/postern."))
        written = plain(host)
        is_here = host == "localhost" or (written is not None and written.is_loopback)
        if text.lower().startswith("http:") and not is_here:
            raise serializers.ValidationError(now("Enter an address that begins with https://."))
        return text


class WebhookSerializer(ResourceSerializer):
    """Only the answers that make a secret contain it; every other answer contains a mask."""

    address = AddressField(label=_("Address"))
    message_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[(name, kind.label) for name, kind in MESSAGE_TYPES.items()]),
        required=False,
        max_length=200,
        label=_("System messages"),
    )
    audit_categories = serializers.ListField(
        child=serializers.ChoiceField(choices=[(one.value, _words_of(one)) for one in Category]),
        required=False,
        max_length=100,
        label=_("Audit events"),
    )
    secret = serializers.SerializerMethodField(label=_("Secret"))
    off_reason = serializers.SerializerMethodField(label=_("Switched off because"))

    class Meta:
        model = Webhook
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini,
            "address",
            "message_types",
            "audit_categories",
            "is_active",
            "off_reason",
            "secret",
            "former_until",
            "date_created",
            "date_updated",
            "created_by",
        )
        fields = fields_small
        read_only_fields = ("former_until", "date_created", "date_updated", "created_by")

    def get_secret(self, row: Webhook) -> str:
        issued = getattr(row, "issued", None)
        return issued.reveal() if isinstance(issued, Secret) else MASK

    def get_off_reason(self, row: Webhook) -> str:
        return why(row.off_reason, "")

    def validate_message_types(self, names: list[str]) -> list[str]:
        return sorted(set(names))

    def validate_audit_categories(self, names: list[str]) -> list[str]:
        return sorted(set(names))


class TestSerializer(BodySerializer):
    """`id`: the stored webhook whose secret signs."""

    address = AddressField(label=_("Address"))
    id = serializers.UUIDField(required=False, allow_null=True, label=_("Webhook"))


class WebhookDeliverySerializer(ResourceSerializer):
    """A delivery. `reason`: why the last try failed, in the language of the reader."""

    webhook_display = serializers.CharField(source="webhook.name", read_only=True, label=_("Webhook"))
    kind_display = serializers.SerializerMethodField(label=_("Kind"))
    state_display = serializers.CharField(source="get_state_display", read_only=True, label=_("State"))
    reason = serializers.SerializerMethodField(label=_("Reason"))
    message_id = serializers.CharField(read_only=True, label=_("Message"))

    class Meta:
        model = WebhookDelivery
        fields_mini = ("id", "kind")
        fields_small = (*fields_mini, "state", "tries", "next_try", "status", "date_created", "date_accepted")
        fields = (
            *fields_small,
            "state_display",
            "kind_display",
            "webhook",
            "webhook_display",
            "message_id",
            "reason",
            "date_updated",
        )
        read_only_fields = fields

    def get_kind_display(self, row: WebhookDelivery) -> str:
        group, _dot, name = row.kind.partition(".")
        if group == "message":
            return str(label_of(name))
        event = find(name)
        return event.words if event is not None else name

    def get_reason(self, row: WebhookDelivery) -> str:
        return why(row.reason, "")
