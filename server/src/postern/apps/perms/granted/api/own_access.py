"""Why the caller can or cannot connect to an asset. The console requests it when a connection is refused."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.perms.decisions.decision import Named, Reason
from postern.apps.perms.granted.own_access import explain_own_access
from postern.contracts.enums import Protocol
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import RowNotFound


class MyAccessView(PosternView):
    """`GET perms/users/assets/{id}/access/`: the decision for the caller with its reasons, and possible next steps.

    The organization of the request determines whether the caller administers the asset.
    """

    rights = Right.VALID_USER
    answers = {"get": Answer(schema=ANY_OBJECT)}

    def get(self, request: Request, asset_id: UUID) -> Response:
        wanted = request.query_params.get("protocol", "") or Protocol.SSH.value
        if wanted not in set(Protocol):
            raise ValidationError({"protocol": [_("Enter a protocol.")]})
        if self.actor.user_id is None:
            raise RowNotFound(_("Not found."))
        own_access = explain_own_access(
            actor=self.actor,
            scope=self.scope,
            user_id=self.actor.user_id,
            asset_id=asset_id,
            protocol=Protocol(wanted),
        )
        return Response(
            {
                "allowed": own_access.allowed,
                "code": own_access.code,
                "message": own_access.message,
                "reasons": [_reason(reason) for reason in own_access.reasons],
                "asset": _named(own_access.asset),
                "user": str(self.actor.user_id),
                "may_grant": own_access.may_grant,
                "system_user": _named(own_access.system_user),
                "ask": list(own_access.ask),
            }
        )


def _reason(reason: Reason) -> dict[str, Any]:
    return {"code": reason.code.value, "message": reason.message, "permission": _named(reason.permission)}


def _named(named: Named | None) -> dict[str, str] | None:
    return {"id": str(named.id), "name": named.name} if named else None
