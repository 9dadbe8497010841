"""Serializers of applications (contract/applications.md)."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.applications.kinds.declarations import DECLARATIONS
from postern.apps.applications.managed.api.attrs import AttrsField
from postern.apps.applications.managed.models import Application
from postern.apps.assets.models import Domain
from postern.apps.vault import facade as vault
from postern.foundation.rest.naming import by, itself
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.serializers import ResourceSerializer


class ApplicationSerializer(ResourceSerializer):
    domain = OrgOwnedField(
        Domain,
        named=by(("name", itself)),
        required=False,
        allow_null=True,
        label=gettext_lazy("Domain"),
        help_text=gettext_lazy("The network zone of the application."),
    )
    attrs = AttrsField()

    class Meta:
        model = Application
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "category", "category_display", "type", "type_display", "attrs", "date_created", "date_updated",
            "created_by", "comment",
        )  # fmt: skip
        fields: tuple[str, ...] = (*fields_small, "domain", "org_id", "org_name")
        read_only_fields = ("date_created", "date_updated", "created_by")

    immutable_fields = ("category", "type")

    #: The type of the application that is being checked; "" for a type that does not exist.
    kind_of_item: str = ""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(self.instance, Application):
            self.kind_of_item = self.instance.type
        elif isinstance(data, Mapping):
            kind = data.get("type")
            self.kind_of_item = kind if isinstance(kind, str) else ""
            if data.get("attrs") is None:  # attributes that the type requires are missed by name
                data = {**dict(data.items()), "attrs": {}}
        return super().to_internal_value(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if self.instance is None:
            declaration = DECLARATIONS[attrs["type"]]
            if declaration.category != attrs["category"]:
                raise serializers.ValidationError(
                    {
                        "type": [
                            _("%(type)s belongs to the category %(category)s.")
                            % {"type": declaration.type.label, "category": declaration.category.label}
                        ]
                    }
                )
        return attrs


class ApplicationDetailSerializer(ApplicationSerializer):
    """One application, with the names of its stored secrets."""

    stored_secrets = vault.StoredSecretsField()

    class Meta(ApplicationSerializer.Meta):
        fields = (*ApplicationSerializer.Meta.fields, "stored_secrets")
