"""`authentication/service-account-keys/`: access keys of service accounts, for administrators."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.authn.credentials.api import AccessKeyFacts, require_shown_factor
from postern.apps.authn.credentials.models import AccessKey
from postern.apps.authn.service_keys import actions
from postern.apps.users import facade as users
from postern.apps.users.models import Membership, User
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ResourceViewSet

#: Attribute with the secret of a new key, for the response to its creation.
_SECRET: Final = "secret_shown_once"  # noqa: S105 - the name of an attribute


class ServiceKeySerializer(AccessKeyFacts):
    """A key of a service account. Only the response that creates it contains the secret."""

    user = OrgOwnedField(User, label=_("Service account"))
    user_display = serializers.CharField(source="user", read_only=True, label=_("Service account"))

    class Meta(AccessKeyFacts.Meta):
        fields_mini = ("id", "comment")
        fields_small = (*AccessKeyFacts.Meta.fields, "created_by")
        fields = (*fields_small, "user", "user_display")
        read_only_fields = (*AccessKeyFacts.Meta.read_only_fields, "created_by")


class ServiceKeyViewSet(ResourceViewSet):
    """Keys of the service accounts of the organization; in the root organization, of all service accounts. `?user=`
    names one account.
    """

    queryset = AccessKey.objects.all()
    serializer_class = ServiceKeySerializer
    rights = Right.ORG_ADMIN
    made_in_organization = changed_in_organization = False
    exportable = importable = False
    filter_fields = ("user", "is_active")
    search_fields = ("comment", "user__username", "user__name")
    ordering_fields = ("date_created", "date_expired", "date_last_used", "comment")
    default_order = ("-date_created", "id")

    def visible_rows(self) -> QuerySet[AccessKey]:
        rows = AccessKey.objects.select_related("user").filter(is_of_service=True)
        if self.scope.is_root:
            return rows
        return rows.filter(Exists(Membership.objects.filter(org_id=self.scope.org_id, user=OuterRef("user_id"))))

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the caller first; each write then locks its account."""
        users.hold_caller(self.actor)
        super().hold_rows(rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> AccessKey:
        require_shown_factor(self.request)
        issued = actions.create_key(actor=self.actor, scope=self.scope, values=data)
        setattr(issued.key, _SECRET, issued.secret.reveal())
        return issued.key

    def present(self, made: list[Any], serializer: serializers.BaseSerializer[Any]) -> Any:
        body = super().present(made, serializer)
        for row, key in zip(body if isinstance(body, list) else [body], made, strict=True):
            if hasattr(key, _SECRET):
                row["secret"] = getattr(key, _SECRET)
        return body

    def update_object(self, instance: AccessKey, data: dict[str, Any]) -> AccessKey:
        return actions.update_key(actor=self.actor, scope=self.scope, key=instance, values=data)

    def delete_object(self, instance: AccessKey) -> None:
        actions.delete_key(actor=self.actor, scope=self.scope, key=instance)
