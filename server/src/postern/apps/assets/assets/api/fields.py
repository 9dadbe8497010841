"""Serializer fields of assets that convert between API values and rows."""

import re
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.assets import admin_users, protocols
from postern.apps.assets.assets.protocols import ProtocolPort
from postern.apps.assets.tree.models import Asset
from postern.foundation.rest.naming import items_of
from postern.foundation.rest.related import prefetched
from postern.foundation.rest.text import PlainField
from postern.kernel.ids import parse_id

#: A protocol and a port with another separator than the slash.
_PROTOCOL_AND_PORT: Final = re.compile(r"(ssh|rdp|telnet|vnc)\s*[:\\/|@_ -]\s*(\d{1,5})\Z", re.ASCII)


class ProtocolsField(serializers.ListField):
    """`["ssh/22"]` ↔ protocol rows. Errors are keyed by the position of the item: `{"0": ["…"]}`."""

    child = serializers.RegexField(
        protocols.PATTERN,
        error_messages={
            "invalid": gettext_lazy("Enter a protocol and a port, for example ssh/22. Ports range from 1 to 65535.")
        },
    )

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("required", False)
        kwargs.setdefault("allow_null", True)
        kwargs.setdefault("min_length", 1)
        kwargs.setdefault("max_length", protocols.MAX_PROTOCOLS)
        kwargs.setdefault("label", gettext_lazy("Protocols"))
        super().__init__(**kwargs)

    def corrected(self, text: str) -> str | None:
        """`ssh/22` for `SSH:22`, `ssh 22` and `ssh-22`. An import offers it in place of the refused text."""
        match = _PROTOCOL_AND_PORT.match(text.strip().lower())
        return f"{match[1]}/{int(match[2])}" if match else None

    def get_attribute(self, instance: Asset) -> list[str]:
        return [str(row) for row in prefetched(instance, "protocol_rows")]

    def to_representation(self, data: list[str]) -> list[str]:
        return data

    def to_internal_value(self, data: Any) -> list[ProtocolPort]:
        texts = super().to_internal_value(items_of(data) if isinstance(data, str) else data)
        found: list[ProtocolPort] = []
        errors: dict[str, list[str]] = {}
        for position, text in enumerate(texts):
            item = protocols.parse(text)
            if item is None:
                errors[str(position)] = [
                    _("Enter a protocol and a port, for example ssh/22. Ports range from 1 to 65535.")
                ]
            elif protocols.repeated([*found, item]):
                errors[str(position)] = [_("A protocol is listed twice. Enter each protocol only once.")]
            else:
                found.append(item)
        if errors:
            raise serializers.ValidationError(errors)
        return found


class NodePathsField(serializers.ListField):
    """Nodes of an asset by their full values. Missing nodes are created when the asset is saved."""

    child = PlainField(max_length=4096)

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("required", False)
        kwargs.setdefault("max_length", 100)
        kwargs.setdefault("label", gettext_lazy("Nodes name"))
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> list[str]:
        texts: list[str] = super().to_internal_value(items_of(data) if isinstance(data, str) else data)
        return texts

    def get_attribute(self, instance: Asset) -> list[str]:
        return [node.full_value for node in prefetched(instance, "nodes")]

    def to_representation(self, data: list[str]) -> list[str]:
        return data


class AdminUserField(serializers.UUIDField):
    """Id of an admin user of the organization. The vault validates it."""

    refers_to_row = True

    def __init__(self, **kwargs: Any) -> None:
        kwargs |= {"source": "admin_user_id", "required": False, "allow_null": True}
        kwargs.setdefault("label", gettext_lazy("Admin user"))
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> UUID:
        instance = getattr(self.parent, "instance", None)
        org_id = instance.org_id if isinstance(instance, Asset) else self.context["scope"].org_id
        by_name = admin_users.named(data, org_id) if isinstance(data, str) and parse_id(data) is None else None
        admin_user_id: UUID = by_name or super().to_internal_value(data)
        if not admin_users.is_admin_user(admin_user_id, org_id):
            raise serializers.ValidationError(
                _("The admin user was not found in this organization. Choose another one.")
            )
        return admin_user_id


class AdminUserDisplayField(serializers.CharField):
    """`name(username)` of the admin user. One query loads the names for the whole page."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs |= {"source": "admin_user_id", "read_only": True}
        kwargs.setdefault("label", gettext_lazy("Admin user display"))
        super().__init__(**kwargs)

    def get_attribute(self, instance: Any) -> str:
        names: Mapping[UUID, str] | None = self.context.get("admin_user_names")
        if instance.admin_user_id is None:
            return ""
        if names is None:
            names = admin_users.displays([instance.admin_user_id])
        return names.get(instance.admin_user_id, "")
