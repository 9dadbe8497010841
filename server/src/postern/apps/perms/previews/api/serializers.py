"""The body of `POST perms/preview/`: changes, each with the values that its real write takes."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Node
from postern.apps.perms.application_permissions.api.serializers import ApplicationPermissionSerializer
from postern.apps.perms.permissions.api.serializers import AssetPermissionSerializer
from postern.apps.users.models import User, UserGroup
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.naming import by, itself, key_in
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList
from postern.foundation.rest.serializers import ChoiceField
from postern.foundation.rest.text import PlainField

#: Changes in one request: as many as an import sends at once.
MAX_CHANGES: Final = 1_000
#: Object → the actions that can be previewed.
ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "asset_permission": ("create", "update", "delete"),
    "application_permission": ("create", "update", "delete"),
    "user_group": ("update", "delete"),
    "user": ("create", "update", "delete"),
    "node": ("update", "delete"),
    "asset": ("create", "update", "delete"),
}


class ChangeSerializer(BodySerializer):
    """`{"object": "asset_permission", "action": "update", "id": "…", "values": {…}}`."""

    object = ChoiceField(choices=[(name, name) for name in ACTIONS])
    action = ChoiceField(choices=[(name, name) for name in ("create", "update", "delete")])
    id = serializers.UUIDField(required=False)
    values = serializers.DictField(required=False, default=dict)


class PreviewSerializer(BodySerializer):
    """`{"changes": […], "at": instant}`. `at` is the instant for which both sides are compared; now by default."""

    changes = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=MAX_CHANGES)
    at = InstantField(required=False)


class _AccessOnly(serializers.Serializer[Any]):
    """A permission without what does not decide access: its name may still be missing in a form."""

    _UNUSED: Final = frozenset({"name", "comment", "id"})

    def get_fields(self) -> Any:
        return {name: field for name, field in super().get_fields().items() if name not in self._UNUSED}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            data = {name: value for name, value in data.items() if name not in self._UNUSED}
        return super().to_internal_value(data)


class AssetAccessSerializer(_AccessOnly, AssetPermissionSerializer):
    """Who, what, as whom, with which actions and until when: validated as in the real write."""


class ApplicationAccessSerializer(_AccessOnly, ApplicationPermissionSerializer):
    """As `AssetAccessSerializer`, for applications."""


#: As an import of groups names people.
_PEOPLE: Final = by(("username", itself), ("username", key_in), ("name", itself))


class GroupValues(BodySerializer):
    """`users` replaces all members, and may name them as an import does; `add` and `remove` change some."""

    users = OrgOwnedList(User, named=_PEOPLE, required=False, label=gettext_lazy("User"))
    add = OrgOwnedList(User, required=False)
    remove = OrgOwnedList(User, required=False)


class UserValues(BodySerializer):
    """`groups`: those of the organization; they replace the groups that the user is in. `name` and `username` are those
    of a new user.
    """

    is_active = serializers.BooleanField(required=False)
    date_expired = InstantField(required=False, allow_null=True)
    groups = OrgOwnedList(UserGroup, named=by(("name", itself)), required=False, label=gettext_lazy("User groups"))
    name = PlainField(required=False, allow_blank=True, max_length=128)
    username = PlainField(required=False, allow_blank=True, max_length=128)


class AssetValues(BodySerializer):
    """`nodes` replaces the nodes that the asset is in; `nodes_display` (paths) does so in its place; `add` and `remove`
    change some. `hostname` is that of a new asset.
    """

    is_active = serializers.BooleanField(required=False)
    nodes = OrgOwnedList(
        Node, named=by(("full_value", itself)), required=False, allow_empty=False, label=gettext_lazy("Nodes")
    )
    nodes_display = serializers.ListField(child=PlainField(max_length=4096), required=False, max_length=100)
    add = OrgOwnedList(Node, required=False)
    remove = OrgOwnedList(Node, required=False)
    protocols = serializers.ListField(child=PlainField(max_length=32), required=False)
    hostname = PlainField(required=False, allow_blank=True, max_length=128)

    def validate_protocols(self, value: list[str]) -> frozenset[str]:
        """The names of the protocols. Ports decide nothing."""
        names = set()
        for text in value:
            item = assets.parse_protocol(text)
            if item is None:
                raise serializers.ValidationError(
                    _("Enter a protocol and a port, for example ssh/22. Ports range from 1 to 65535.")
                )
            names.add(item.name.value)
        return frozenset(names)


class NodeValues(BodySerializer):
    """`parent`: the node that it is moved under."""

    parent: Any = OrgOwnedField(Node)
