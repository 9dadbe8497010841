"""`terminal/retention/`: how long an organization keeps its sessions, and what would be deleted now."""

from typing import Any, Final

from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.recordings.models import OrganizationRetention
from postern.apps.sessions.retention import actions, policy, previews, queries
from postern.foundation.caller import identity
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

#: About 270 years, as in the settings.
_MOST_DAYS: Final = 99_999
_NUMBER: Final = {"type": "integer"}
_MAYBE_NUMBER: Final = {"type": ["integer", "null"]}
_MAYBE_TIME: Final = {"type": ["string", "null"]}
_AMOUNT: Final = texts(sessions=_NUMBER, recordings=_NUMBER, bytes=_NUMBER, oldest=_MAYBE_TIME, newest=_MAYBE_TIME)
_PREVIEW: Final = {"type": "array", "items": texts("org_id", "org_name", due=_AMOUNT, held=_AMOUNT)}
_RETENTION: Final = texts(
    days=_MAYBE_NUMBER,
    effective_days=_NUMBER,
    default_days=_NUMBER,
    shortest_days=_NUMBER,
    longest_days=_NUMBER,
    risk_days=_NUMBER,
    size_limit=_NUMBER,
    size_min_age_days=_NUMBER,
)


class ChosenDaysSerializer(BodySerializer):
    """The days of an organization; null: those of the setting."""

    days = serializers.IntegerField(
        min_value=1, max_value=_MOST_DAYS, allow_null=True, label=gettext_lazy("Session keep duration")
    )


class RetentionView(PosternView):
    """The days of the organization with their limits, and the rules that apply to all. Sizes are in bytes."""

    rights = {"GET": Right.ORG_AUDITOR, "PUT": Right.ORG_ADMIN}
    answers = {"get": Answer(schema=_RETENTION), "put": Answer(schema=_RETENTION)}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return ChosenDaysSerializer(*args, **{"context": {"request": self.request}, **kwargs})

    def get(self, request: Request) -> Response:
        del request
        return Response(self._described())

    def put(self, request: Request) -> Response:
        org_id = writable(self.scope)
        days = body_of(request, ChosenDaysSerializer)["days"]
        identity.require_standing(self.actor)
        actions.choose_days(actor=self.actor, org_id=org_id, days=days)
        return Response(self._described())

    def _described(self) -> dict[str, Any]:
        rules = keeping.rules()
        row = OrganizationRetention.objects.visible_to(self.actor, self.scope).filter(org_id=self.scope.org_id).first()
        days = None if row is None else row.days
        return {
            "days": days,
            "effective_days": rules.limits.days_of(days),
            "default_days": rules.limits.default,
            "shortest_days": rules.limits.shortest,
            "longest_days": rules.limits.longest,
            "risk_days": rules.risk_days,
            "size_limit": rules.size_limit,
            "size_min_age_days": rules.size_min_age.days,
        }


class RetentionPreviewView(PosternView):
    """What retention would delete now, by organization; the figures are up to a minute old.

    `?days=`: as if the organization had chosen these days.
    """

    rights = {"GET": Right.ORG_AUDITOR}
    answers = {"get": Answer(schema=_PREVIEW)}

    def get(self, request: Request) -> Response:
        org_id = None if self.scope.is_root else self.scope.org_id
        return Response([_shown(one) for one in previews.preview(org_id, days=self._days(request))])

    def _days(self, request: Request) -> int | None:
        text = request.query_params.get("days", "")
        if text == "":
            return None
        if self.scope.is_root:
            raise ValidationError({"days": [_("Choose an organization first: days are those of one organization.")]})
        field = serializers.IntegerField(min_value=1, max_value=_MOST_DAYS)
        try:
            days: int = field.run_validation(text)
        except ValidationError as error:
            raise ValidationError({"days": error.detail}) from None
        policy.require_within(keeping.limits(), days)
        return days


def _shown(one: queries.Forecast) -> dict[str, Any]:
    return {
        "org_id": str(one.org_id),
        "org_name": one.org_name,
        "due": _amount(one.due),
        "held": _amount(one.held),
    }


def _amount(amount: queries.Amount) -> dict[str, Any]:
    field = InstantField()
    return {
        "sessions": amount.sessions,
        "recordings": amount.recordings,
        "bytes": amount.bytes,
        "oldest": field.to_representation(amount.oldest) if amount.oldest else None,
        "newest": field.to_representation(amount.newest) if amount.newest else None,
    }


urlpatterns = [
    path("terminal/retention/", RetentionView.as_view()),
    path("terminal/retention/preview/", RetentionPreviewView.as_view()),
]
