"""`notifications/backends/` and `notifications/system-msg-subscription/`: receivers and delivery methods of system
messages.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.notifications import actions, queries
from postern.apps.notifications.backends import BACKENDS
from postern.apps.notifications.declarations.catalogue import MESSAGE_TYPES
from postern.apps.notifications.declarations.declaration import MessageType
from postern.apps.users.models import User, UserGroup
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class BackendsView(PosternView):
    """The delivery methods that work now."""

    rights = Right.SUPER_USER
    always_root = True

    def get(self, request: Request) -> Response:
        del request
        return Response([{"name": name, "name_display": str(BACKENDS[name])} for name in queries.enabled_backends()])


class SubscriptionSerializer(BodySerializer):
    users = OrgOwnedList(User, required=False, label=gettext_lazy("People"))
    groups = OrgOwnedList(UserGroup, required=False, label=gettext_lazy("User groups"))
    receive_backends = serializers.ListField(
        child=serializers.ChoiceField(choices=list(BACKENDS.items())),
        required=False,
        label=gettext_lazy("Delivery methods"),
    )


class SubscriptionListView(PosternView):
    """All kinds of system messages, by category."""

    rights = Right.SUPER_USER
    always_root = True

    def get(self, request: Request) -> Response:
        del request
        subscriptions = queries.subscriptions(list(MESSAGE_TYPES))
        people = _people(subscriptions.values())
        categories: dict[str, dict[str, Any]] = {}
        for name, kind in MESSAGE_TYPES.items():
            row = {"category": kind.category, "category_label": str(kind.category_label), "children": []}
            categories.setdefault(kind.category, row)["children"].append(_row(kind, subscriptions[name], people))
        return Response(list(categories.values()))


class SubscriptionView(PosternView):
    """Set the receivers of one kind of system message."""

    rights = Right.SUPER_USER
    always_root = True

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return SubscriptionSerializer(*args, **kwargs)

    def put(self, request: Request, message_type: str) -> Response:
        return self.patch(request, message_type)

    def patch(self, request: Request, message_type: str) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        actions.change_subscription(actor=self.actor, message_type=message_type, **serializer.validated_data)
        subscription = queries.subscriptions([message_type])[message_type]
        return Response(_row(MESSAGE_TYPES[message_type], subscription, _people([subscription])))


def _people(subscriptions: Any) -> Mapping[UUID, str]:
    """Names of all users in the subscriptions."""
    wanted = {user_id for subscription in subscriptions for user_id in subscription.user_ids}
    return {user.pk: str(user) for user in User.objects.filter(pk__in=wanted)}


def _row(kind: MessageType, subscription: queries.Subscription, people: Mapping[UUID, str]) -> dict[str, Any]:
    ways = {name: name in subscription.receive_backends for name in queries.enabled_backends()}
    return {
        "message_type": kind.name,
        "message_type_label": str(kind.label),
        "users": [str(user_id) for user_id in subscription.user_ids],
        "groups": [str(group_id) for group_id in subscription.group_ids],
        "receive_backends": list(subscription.receive_backends),
        "receivers": [
            {"id": str(user_id), "name": people.get(user_id, ""), **ways} for user_id in subscription.user_ids
        ],
    }
