"""`POST perms/new-hosts/`: a host with its account and its users, sent by one form of the console."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.assets.api.serializers import AssetSerializer
from postern.apps.perms.hosts import actions
from postern.apps.users.models import User, UserGroup
from postern.apps.vault import facade as vault
from postern.apps.vault.models import SystemUser
from postern.apps.vault.system_users.api.serializers import SystemUserSerializer
from postern.foundation.caller import identity
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import PosternError

_ID = {"type": "string", "format": "uuid"}


class NewHostSerializer(BodySerializer):
    """`{"asset": {…}, "system_user": id | "account": {…}, "users": [ids], "user_groups": [ids]}`."""

    asset = AssetSerializer(label=gettext_lazy("Asset"))
    system_user = OrgOwnedField(SystemUser, required=False, allow_null=True, label=gettext_lazy("System user"))
    account = SystemUserSerializer(required=False, allow_null=True, label=gettext_lazy("New account"))
    users = OrgOwnedList(User, required=False, label=gettext_lazy("User"))
    user_groups = OrgOwnedList(UserGroup, required=False, label=gettext_lazy("User group"))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        chosen, described = attrs.get("system_user"), attrs.get("account")
        if (chosen is None) == (described is None):
            raise serializers.ValidationError(
                {"system_user": [_("Choose an existing account, or describe a new one.")]}
            )
        if chosen is not None and chosen.protocol not in {
            protocol.name.value for protocol in attrs["asset"]["protocols"]
        }:
            message = _(
                "The account uses %(protocol)s, but the host does not offer that protocol. Add the protocol to the "
                "host, or choose another account."
            )
            raise serializers.ValidationError({"system_user": [message % {"protocol": chosen.protocol}]})
        return attrs


class NewHostView(PosternView):
    """Stores all rows or none. Errors are keyed by the section of the form that they belong to."""

    rights = {"POST": Right.ORG_ADMIN}
    serializer_class = NewHostSerializer
    answers = {
        "post": Answer(
            201,
            schema={
                "type": "object",
                "properties": {"asset": _ID, "system_user": _ID, "permission": {"type": ["string", "null"]}},
                "required": ["asset", "permission", "system_user"],
            },
        )
    }

    def get_serializer(self, *args: Any, **kwargs: Any) -> NewHostSerializer:
        """The serializer, for OPTIONS and the API description."""
        # The API description is generated without a request and without a caller.
        context = {name: getattr(self, name, None) for name in ("request", "actor", "scope")}
        return NewHostSerializer(*args, context={**context, "view": self}, **kwargs)

    def post(self, request: Request) -> Response:
        org_id = writable(self.scope)
        values = body_of(request, NewHostSerializer, actor=self.actor, scope=self.scope, view=self)
        wish = actions.NewHost(
            asset=values["asset"],
            system_user=values.get("system_user"),
            account=values.get("account"),
            users=values.get("users", ()),
            user_groups=values.get("user_groups", ()),
        )

        def write() -> actions.AddedHost:
            identity.require_standing(self.actor)
            actions.hold(org_id, wish)
            try:
                return actions.add_host(actor=self.actor, org_id=org_id, wish=wish)
            except PosternError as error:
                raise _of_part(error, wish) from error

        made = vault.write_outside(write)
        return Response(
            {
                "asset": str(made.asset.pk),
                "system_user": str(made.system_user.pk),
                "permission": str(made.permission.pk) if made.permission else None,
            },
            status=201,
        )


def _of_part(error: PosternError, wish: actions.NewHost) -> Exception:
    """Errors of the account's rules are keyed by the account's fields; other errors are unchanged."""
    fields: Any = getattr(error, "fields", None)
    known = SystemUserSerializer().fields
    if wish.account is not None and isinstance(fields, dict) and fields and all(name in known for name in fields):
        return serializers.ValidationError({"account": fields})
    return error
