"""The caller's own access keys and login sessions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.actions.login_sessions import sign_out
from postern.apps.authn.credentials.actions.tokens import (
    change_access_key,
    create_access_key,
    delete_access_key,
)
from postern.apps.authn.credentials.errors import MfaVerifyRequired
from postern.apps.authn.credentials.models import AccessKey, LoginEnd, LoginSession
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, RowsViewSet, UpdateMixin
from postern.kernel import clock
from postern.kernel.errors import NotAllowed
from postern.kernel.secret import MASK


class AccessKeyFacts(ResourceSerializer):
    """A key as its owner and administrators see it. Only the response that creates the key contains the secret; every
    later response contains a mask (ruling).
    """

    secret = serializers.SerializerMethodField(label=_("AccessKeySecret"))
    has_ended = serializers.BooleanField(read_only=True, label=_("Ended"))

    class Meta:
        model = AccessKey
        fields: tuple[str, ...] = (
            "id",
            "secret",
            "comment",
            "is_active",
            "date_expired",
            "has_ended",
            "date_created",
            "date_last_used",
        )
        read_only_fields: tuple[str, ...] = ("id", "date_created", "date_last_used")

    def get_secret(self, key: AccessKey) -> str:
        del key
        return MASK

    def validate_date_expired(self, value: datetime | None) -> datetime | None:
        """Refuse an end in the past: such a key would never work. The unchanged stored end is accepted."""
        stored = getattr(self.instance, "date_expired", None)
        is_stored = stored is not None and value is not None and stored.replace(microsecond=0) == value
        if is_stored:
            return stored
        if value is not None and value <= clock.now():
            raise serializers.ValidationError(gettext("Enter a time in the future, or leave it empty."))
        return value


class AccessKeySerializer(AccessKeyFacts):
    """A key of the caller."""


def require_shown_factor(request: Request) -> None:
    """Raise MfaVerifyRequired if a trusted browser replaced the second factor, because a key outlasts the trust."""
    credential = request.auth
    if isinstance(credential, LoginSession) and credential.mfa and credential.date_mfa_verified is None:
        raise MfaVerifyRequired


class OwnRows(RowsViewSet):
    """Rows that belong to the calling user."""

    rights = Right.VALID_USER
    always_root = True

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the user first, as the writes that end all credentials of an account do."""
        users.hold_caller(self.actor)
        super().hold_rows(rows, values, deleting=deleting)

    def own_id(self) -> UUID:
        """The caller's id; the required right admits users only."""
        if self.actor.user_id is None:
            raise NotAllowed(gettext("This is available to users only."))
        return self.actor.user_id


class AccessKeyViewSet(CreateMixin, UpdateMixin, DeleteMixin, ReadOnlyViewSet, OwnRows):
    """`authentication/access-keys/`: the caller's own keys only."""

    exportable = False
    importable = False

    queryset = AccessKey.objects.all()
    serializer_class = AccessKeySerializer
    filter_fields = ("is_active",)
    search_fields = ()
    ordering_fields = ("date_created", "date_expired", "is_active")

    def visible_rows(self) -> QuerySet[AccessKey]:
        return AccessKey.objects.filter(user_id=self.own_id())

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        if not isinstance(request.user, User):
            raise NotAllowed(gettext("This is available to users only."))
        require_shown_factor(request)
        wish = self.get_serializer(data=request.data)
        wish.is_valid(raise_exception=True)
        issued = create_access_key(
            actor=self.actor,
            user=request.user,
            comment=wish.validated_data.get("comment", ""),
            date_expired=wish.validated_data.get("date_expired"),
        )
        body = {**self.get_serializer(issued.key).data, "secret": issued.secret.reveal()}
        return Response(body, status=status.HTTP_201_CREATED)

    def update_object(self, instance: AccessKey, data: dict[str, Any]) -> AccessKey:
        return change_access_key(actor=self.actor, key=instance, values=data)

    def delete_object(self, instance: AccessKey) -> None:
        delete_access_key(actor=self.actor, key=instance)


class LoginSessionSerializer(ResourceSerializer):
    is_current = serializers.SerializerMethodField()
    is_open = serializers.SerializerMethodField(label=_("Signed in"))
    end_reason_display = serializers.CharField(source="get_end_reason_display", read_only=True, label=_("End reason"))

    class Meta:
        model = LoginSession
        fields = (
            "id",
            "remote_addr",
            "user_agent",
            "backend",
            "date_created",
            "date_last_seen",
            "date_expired",
            "date_ended",
            "end_reason",
            "end_reason_display",
            "is_open",
            "is_current",
        )
        read_only_fields = fields

    def get_is_open(self, login_session: LoginSession) -> bool:
        return login_session.date_ended is None and login_session.date_expired > clock.now()

    def get_is_current(self, login_session: LoginSession) -> bool:
        return bool(str(login_session.pk) == self.context["actor"].login_session)


class LoginSessionViewSet(DeleteMixin, ReadOnlyViewSet, OwnRows):
    """`authentication/login-sessions/`: the caller's own sign-ins, open and ended. DELETE ends an open sign-in."""

    queryset = LoginSession.objects.all()
    serializer_class = LoginSessionSerializer
    ordering_fields = ("date_created", "date_last_seen")

    def visible_rows(self) -> QuerySet[LoginSession]:
        rows = LoginSession.objects.filter(user_id=self.own_id())
        if self.request.method == "DELETE":
            return rows.filter(date_ended__isnull=True, date_expired__gt=clock.now())
        return rows

    def delete_object(self, instance: LoginSession) -> None:
        sign_out(actor=self.actor, login_session=instance, reason=LoginEnd.ENDED_BY_SELF)
