"""`assets/domains/`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.assets import gateways
from postern.apps.assets.domains import actions
from postern.apps.assets.tree.models import Asset, Domain
from postern.foundation.caller.scope import writable
from postern.foundation.rest import labels as field_labels
from postern.foundation.rest.naming import by, itself, name_in
from postern.foundation.rest.related import Amount
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList
from postern.foundation.rest.rights import ORG_ADMIN_ONLY
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ResourceViewSet


class DomainSerializer(ResourceSerializer):
    reached_through = OrgOwnedField(
        Domain,
        named=by(("name", itself)),
        required=False,
        allow_null=True,
        label=gettext_lazy("Reached through"),
        help_text=gettext_lazy(
            "The domain whose gateways lead to the gateways of this domain. Empty: they are reached directly."
        ),
    )
    reached_through_display = serializers.SerializerMethodField(label=gettext_lazy("Reached through"))
    assets = OrgOwnedList(
        Asset,
        named=by(("hostname", itself), ("hostname", name_in), ("ip", itself)),
        required=False,
        label=gettext_lazy("Assets"),
        help_text=gettext_lazy("An asset is in one domain at most: an asset that you add leaves its former domain."),
    )
    asset_count = serializers.IntegerField(read_only=True, label=field_labels.label_of("assets_amount"))
    application_count = serializers.IntegerField(read_only=True, label=field_labels.label_of("applications_amount"))
    gateway_count = serializers.IntegerField(read_only=True, label=field_labels.label_of("gateways_amount"))

    class Meta:
        model = Domain
        fields_mini = ("id", "name")
        fields_small = (*fields_mini, "reached_through", "reached_through_display", "comment", "date_created")
        fields: tuple[str, ...] = (
            *fields_small, "asset_count", "assets", "application_count", "gateway_count", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = ("date_created",)

    def get_reached_through_display(self, domain: Domain) -> str:
        """The name of the domain; "" for none."""
        return domain.reached_through.name if domain.reached_through is not None else ""


class DomainWithGatewaysSerializer(DomainSerializer):
    """With `?gateway=1`. The contract shows the secrets of the gateways here; nobody gets them from this API (K73)."""

    gateways = serializers.SerializerMethodField(label=gettext_lazy("Gateways"))

    class Meta(DomainSerializer.Meta):
        fields = (*DomainSerializer.Meta.fields, "gateways")

    def get_gateways(self, domain: Domain) -> list[dict[str, Any]]:
        listed = self.context.get("gateways_of_domains")
        if listed is None:
            listed = gateways.listed([domain.pk])
        return [dict(gateway) for gateway in listed.get(domain.pk, ())]


class DomainViewSet(ResourceViewSet):
    queryset = Domain.objects.all()
    serializer_class = DomainSerializer
    examples = {"name": "branch-office"}
    rights = ORG_ADMIN_ONLY
    filter_fields = ("name", "reached_through")
    #: `?gateway=1` adds the gateways to each domain.
    described_filters = ("gateway",)
    search_fields = ("name",)
    ordering_fields = ("name", "asset_count", "application_count", "gateway_count", "date_created")
    amounts = {
        "asset_count": Amount(Asset, "domain_id", of="assets"),
        "application_count": Amount("applications.Application", "domain_id"),
        "gateway_count": Amount("vault.Gateway", "domain_id"),
    }

    def visible_rows(self) -> QuerySet[Domain]:
        rows = cast("QuerySet[Domain]", super().visible_rows())
        return rows.select_related("reached_through").prefetch_related(
            Prefetch("assets", Asset.objects.only("pk").order_by())
        )

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Any]]:
        with_gateways = self.request.method == "GET" and self.request.query_params.get("gateway") in {"1", "true"}
        return DomainWithGatewaysSerializer if with_gateways else DomainSerializer

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.BaseSerializer[Any]:
        if args and kwargs.get("many") and self.get_serializer_class() is DomainWithGatewaysSerializer:
            listed = gateways.listed([row.pk for row in args[0]])
            kwargs["context"] = {**self.get_serializer_context(), "gateways_of_domains": listed}
            return DomainWithGatewaysSerializer(*args, **kwargs)
        return super().get_serializer(*args, **kwargs)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        actions.hold({row.org_id for row in rows} or {self.scope.org_id}, rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Domain:
        return actions.create_domain(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: Domain, data: dict[str, Any]) -> Domain:
        return actions.update_domain(actor=self.actor, domain=instance, values=data)

    def delete_object(self, instance: Domain) -> None:
        actions.delete_domain(actor=self.actor, domain=instance)
