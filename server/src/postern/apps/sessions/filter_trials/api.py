"""`POST assets/cmd-filters/{id}/recent-commands/`: what rules would have done with the commands of the last 30 days."""

from typing import Any
from uuid import UUID

from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.acls import facade as acls
from postern.apps.sessions.filter_trials import queries
from postern.apps.sessions.viewings import actions as viewings
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import RowNotFound

_NUMBER = {"type": "integer"}


class RecentCommandsSerializer(acls.TrialSerializer):
    """`before`: the `next` of the answer before."""

    before = PlainField(max_length=200, required=False, allow_blank=True, label=gettext_lazy("Before"))


class RecentCommandsView(PosternView):
    """Judges stored commands of the filter's system users, newest first. Nothing is stored but the audit record.

    Whoever calls it reads commands, and it is audited as such. `next` is empty when all commands were looked at.
    """

    # The right of the list of commands, and that of the filters.
    rights = {"POST": Right.ORG_ADMIN}
    serializer_class = RecentCommandsSerializer
    answers = {
        "post": Answer(
            schema=texts(
                "since",
                "next",
                judged=_NUMBER,
                allowed=_NUMBER,
                confirmed=_NUMBER,
                denied=_NUMBER,
                unresolved=_NUMBER,
                users={"type": "array", "items": {"type": "string"}},
                examples={
                    "type": "array",
                    "items": texts("id", "session", "input", "user", "asset", "at", "action", "rule", "reason"),
                },
            )
        )
    }

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.BaseSerializer[Any]:
        """The serializer, for OPTIONS and the API description."""
        context = {name: getattr(self, name, None) for name in ("request", "actor", "scope")}
        return RecentCommandsSerializer(*args, context={**context, "view": self}, **kwargs)

    def post(self, request: Request, filter_id: UUID) -> Response:
        filter_row = acls.find_filter(actor=self.actor, scope=self.scope, filter_id=filter_id)
        if filter_row is None:
            raise RowNotFound(_("Not found."))
        values = body_of(request, RecentCommandsSerializer, actor=self.actor, scope=self.scope, view=self)
        before = queries.place_of(values["before"]) if values.get("before") else None
        if values.get("before") and before is None:
            raise ValidationError({"before": [_("Use the value of “next” of the previous answer.")]})
        trial = acls.trial_from(filter_row, values)
        viewings.look_at_commands(
            actor=self.actor,
            org_id=filter_row.org_id,
            session_id=None,
            title=filter_row.name,
            query={"command_filter": filter_row.name},
        )
        outcome = queries.judge_commands(
            trial,
            org_id=filter_row.org_id,
            system_user_ids=acls.filtered_by([filter_row.pk]),
            before=before,
        )
        return Response(_shown(outcome))


def _shown(outcome: queries.Outcome) -> dict[str, Any]:
    instant = InstantField().to_representation
    return {
        "since": instant(outcome.since),
        "next": queries.text_of(outcome.next_place) if outcome.next_place else "",
        "judged": outcome.judged,
        "allowed": outcome.counts["allow"],
        "confirmed": outcome.counts["confirm"],
        "denied": outcome.counts["deny"],
        "unresolved": outcome.unresolved,
        "users": sorted(outcome.users),
        "examples": [
            {
                "id": str(example.command.pk),
                "session": str(example.command.session_id),
                "input": example.command.shown[0],
                "user": example.command.user,
                "asset": example.command.asset,
                "at": instant(example.command.at),
                "action": acls.ACTION_NAMES[example.action],
                "rule": example.rule,
                "reason": example.reason,
            }
            for example in outcome.examples
        ],
    }


urlpatterns = [path("assets/cmd-filters/<uuid:filter_id>/recent-commands/", RecentCommandsView.as_view())]
