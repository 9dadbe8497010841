"""Holds for auditors, who see them, and administrators, who place and remove them (K74: to see and to decide are separate
rights).
"""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.sessions import queries
from postern.apps.sessions.sessions.actions import holds
from postern.apps.sessions.sessions.models import MAX_REASON, Session, SessionHold
from postern.foundation.caller import identity
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.kernel import clock
from postern.kernel.ids import parse_id


class HoldSerializer(ResourceSerializer):
    """A hold: `session` or `user_id` is what is on hold. It has no effect after `date_end`."""

    session = serializers.UUIDField(source="session_id", read_only=True, allow_null=True)

    class Meta:
        model = SessionHold
        fields = (
            "id",
            "session",
            "user_id",
            "name",
            "reason",
            "date_end",
            "created_by",
            "date_created",
            "org_id",
            "org_name",
        )
        read_only_fields = fields


class PlacedHoldSerializer(BodySerializer):
    """What is put on hold, and why. Exactly one of `session` and `user`."""

    refuses_unknown = True

    session = serializers.UUIDField(required=False, allow_null=True, label=gettext_lazy("Session"))
    user = serializers.UUIDField(required=False, allow_null=True, label=gettext_lazy("User"))
    reason = PlainField(max_length=MAX_REASON, label=gettext_lazy("Reason"))
    date_end = InstantField(required=False, allow_null=True, label=gettext_lazy("Date end"))

    def validate_date_end(self, value: Any) -> Any:
        if value is not None and value <= clock.now():
            raise ValidationError(_("Enter a time in the future."))
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("session") is None) == (attrs.get("user") is None):
            raise ValidationError(_("Name either a session or a user."))
        return attrs


class ReleasedHoldSerializer(BodySerializer):
    """Why a hold is removed."""

    reason = PlainField(max_length=MAX_REASON, label=gettext_lazy("Reason"))


class HoldViewSet(ReadOnlyViewSet):
    """Holds, newest first. Retention removes those whose end has come, within minutes."""

    queryset = SessionHold.objects.all()
    serializer_class = HoldSerializer
    serializer_classes = {"create": PlacedHoldSerializer, "release": ReleasedHoldSerializer}
    answers = {"create": Answer(201, serializer=HoldSerializer), "release": Answer(204)}
    rights = {
        "list": Right.ORG_AUDITOR,
        "retrieve": Right.ORG_AUDITOR,
        "create": Right.ORG_ADMIN,
        "release": Right.ORG_ADMIN,
    }
    acts_in_root = frozenset({"release"})
    filter_fields = ("session", "user_id")
    #: A session: its own holds, and those of its person.
    own_filters = ("covers",)
    search_fields = ("name", "reason", "created_by")
    ordering_fields = ("name", "date_end", "date_created")
    default_order = ("-date_created",)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        given = self.request.query_params.get("covers", "")
        if not given:
            return rows
        session_id = parse_id(given)
        if session_id is None:
            raise ValidationError({"covers": [_("Enter a valid value.")]})
        session = Session.objects.visible_to(self.actor, self.scope).filter(pk=session_id).first()
        if session is None:
            return rows.none()
        return rows.filter(Q(session_id=session_id) | Q(user_id=session.user_id, org_id=session.org_id))

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Put a session or a person on hold. The same body again returns the hold that there is."""
        del args, kwargs
        values = body_of(request, PlacedHoldSerializer)
        shown = HoldSerializer(self._placed(values), context=self.get_serializer_context())
        return Response(shown.data, status=status.HTTP_201_CREATED)

    def _placed(self, values: dict[str, Any]) -> SessionHold:
        why = {"actor": self.actor, "reason": values["reason"], "date_end": values.get("date_end")}
        identity.require_standing(self.actor)
        if (session_id := values.get("session")) is not None:
            if not Session.objects.visible_to(self.actor, self.scope).filter(pk=session_id).exists():
                raise NotFound
            try:
                return holds.hold_session(session_id=session_id, **why)
            except Session.DoesNotExist:
                raise NotFound from None
        org_id = writable(self.scope)
        name = queries.person_label(values["user"], org_id)
        if name is None:
            raise NotFound
        return holds.hold_person(org_id=org_id, user_id=values["user"], name=name, **why)

    @action(detail=True, methods=["post"])
    def release(self, request: Request, pk: str) -> Response:
        """Remove the hold. What it held can be deleted from now on, unless something else holds it."""
        del pk
        hold = self.get_object()
        values = body_of(request, ReleasedHoldSerializer)
        identity.require_standing(self.actor)
        try:
            holds.release(actor=self.actor, hold_id=hold.pk, reason=values["reason"])
        except SessionHold.DoesNotExist:
            raise NotFound from None
        return Response(status=status.HTTP_204_NO_CONTENT)
