"""`acls/login-acls/`: login ACLs of one user, and a trial of the decision."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.login_acls import actions, addresses, deciding, hours
from postern.apps.authn.login_acls.models import LoginAcl
from postern.apps.users import facade as users
from postern.apps.users.models import Membership, User
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.viewsets import ResourceViewSet
from postern.kernel.errors import NotAllowed
from postern.kernel.ids import parse_id

_MOST_ITEMS: Final = 200
_MOST_SPANS: Final = 21


class AddressItem(PlainField):
    """`*`, an address, a network, or a range `a-b`."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if not addresses.is_item(text):
            raise serializers.ValidationError(
                now("Enter an address (10.0.0.7), a network (10.0.0.0/8), a range (10.0.0.1-10.0.0.9) or *.")
            )
        return text


class ClockField(PlainField):
    """`HH:MM`."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if hours.minute_of(text) is None:
            raise serializers.ValidationError(now("Enter a time such as 08:30."))
        return text


class CallerField(PlainField):
    """The address of a caller."""

    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        if addresses.parsed_address(text) is None:
            raise serializers.ValidationError(now("Enter one IP address, such as 192.0.2.10 or 2001:db8::10."))
        return text


class SpanSerializer(BodySerializer):
    """A span of time on some days of the week, in the time zone of the installation."""

    days = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=7),
        min_length=1,
        max_length=7,
        label=_("Days"),
        help_text=_("1: Monday, 7: Sunday"),
    )
    start = ClockField(max_length=5, label=_("From"))
    end = ClockField(max_length=5, label=_("Until"), help_text=_("Not after the start: on the next day"))

    def validate_days(self, days: list[int]) -> list[int]:
        return sorted(set(days))


class LoginAclSerializer(ResourceSerializer):
    #: A rule without addresses applies everywhere, so a misspelled key could lock the user out.
    refuses_unknown = True

    user = OrgOwnedField(User, label=_("User"))
    user_display = serializers.CharField(source="user", read_only=True, label=_("User"))
    action_display = serializers.CharField(source="get_action_display", read_only=True, label=_("Action"))
    ip_group = serializers.ListField(
        child=AddressItem(max_length=100),
        required=False,
        min_length=1,
        max_length=_MOST_ITEMS,
        label=_("IP"),
        help_text=_("Addresses, networks (10.0.0.0/8), ranges (10.0.0.1-10.0.0.9); * is every address"),
    )
    hours = serializers.ListField(
        child=SpanSerializer(),
        required=False,
        max_length=_MOST_SPANS,
        label=_("Days and times"),
        help_text=_("In the time zone of the installation; without a time: always"),
    )

    class Meta:
        model = LoginAcl
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini,
            "priority",
            "ip_group",
            "hours",
            "action",
            "action_display",
            "is_active",
            "date_created",
            "date_updated",
            "comment",
            "created_by",
        )
        fields = (*fields_small, "user", "user_display")
        read_only_fields = ("date_created", "date_updated", "created_by")


class TrialSerializer(BodySerializer):
    """User, address and time (default: now) of a trial."""

    user = OrgOwnedField(User, label=_("User"))
    remote_addr = CallerField(max_length=100, label=_("Address"))
    date = InstantField(required=False, label=_("Time"))


class OutcomeSerializer(serializers.Serializer[Any]):
    """The decision and the rule behind it; without a deciding rule `rule` is empty."""

    is_admitted = serializers.BooleanField(read_only=True, label=_("Admitted"))
    rule_id = serializers.UUIDField(read_only=True, allow_null=True, label=_("Login ACL"))
    rule = serializers.CharField(read_only=True, label=_("Login ACL"))
    action = serializers.CharField(read_only=True, label=_("Action"))
    by_address = serializers.BooleanField(read_only=True, label=_("The address matches"))
    by_time = serializers.BooleanField(read_only=True, label=_("The time matches"))


class LoginAclViewSet(ResourceViewSet):
    """Login ACLs. A list requires `?user=`, a member of the organization."""

    queryset = LoginAcl.objects.all()
    serializer_class = LoginAclSerializer
    rights = Right.ORG_ADMIN
    answers = {"trial": Answer(serializer=OutcomeSerializer)}
    acts_in_root = frozenset({"trial"})
    made_in_organization = changed_in_organization = False
    importable = False
    filter_fields = ("name", "user")
    search_fields = ("name", "user__username", "user__name")
    ordering_fields = ("name", "priority", "date_created", "date_updated")
    default_order = ("priority", "-date_updated", "name")

    def visible_rows(self) -> QuerySet[LoginAcl]:
        """The rules about members of the organization; in the root organization, about all users."""
        rows = LoginAcl.objects.select_related("user")
        if self.scope.is_root:
            return rows
        return rows.filter(user__in=Membership.objects.filter(org_id=self.scope.org_id).values("user_id"))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in {"GET", "HEAD"} and self.action_map.get("get") == "list":
            self._require_named_person(request)

    def _require_named_person(self, request: Request) -> None:
        """Contract (acls): a list without `?user=` of a member is 403."""
        user_id = parse_id(request.query_params.get("user", ""))
        is_member = user_id is not None and (
            User.objects.filter(pk=user_id).exists()
            if self.scope.is_root
            else Membership.objects.filter(org_id=self.scope.org_id, user_id=user_id).exists()
        )
        if not is_member:
            raise NotAllowed(now("Name a person of this organization with ?user=."))

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the caller first; each write then locks its user."""
        users.hold_caller(self.actor)
        super().hold_rows(rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> LoginAcl:
        return actions.create_login_acl(actor=self.actor, scope=self.scope, values=data)

    def update_object(self, instance: LoginAcl, data: dict[str, Any]) -> LoginAcl:
        return actions.update_login_acl(actor=self.actor, scope=self.scope, acl=instance, values=data)

    def delete_object(self, instance: LoginAcl) -> None:
        actions.delete_login_acl(actor=self.actor, scope=self.scope, acl=instance)

    @action(detail=False, methods=["post"])
    def trial(self, request: Request) -> Response:
        """Whether this user would be admitted from this address at this time, and the deciding rule."""
        body = body_of(request, TrialSerializer, scope=self.scope, actor=self.actor)
        at = body.get("date")
        decision = deciding.decide(body["user"].pk, body["remote_addr"], at=at)
        return Response(OutcomeSerializer(decision).data)
