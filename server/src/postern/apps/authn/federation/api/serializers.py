"""The common part of a provider's form."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.users.models import SystemRole, UserGroup
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField

_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_RESERVED: Final = frozenset({"login", "callback", "logout"})
_MOST_RULES: Final = 200

#: Fields of `FederatedProvider` in responses.
FIELDS: Final = (
    "order",
    "is_active",
    "username_claim",
    "name_claim",
    "email_claim",
    "rules",
    "creates_users",
    "adopts_users",
    "comment",
    "created_by",
    "date_created",
    "date_updated",
)
READ_ONLY: Final = ("created_by", "date_created", "date_updated")


class RuleSerializer(BodySerializer):
    """People with `value` at the path `claim` get the system role, or become members of the group of an organization."""

    claim = PlainField(max_length=128, label=_("Claim"), help_text=_("A path such as groups or realm_access.roles"))
    value = PlainField(max_length=255, label=_("Value"))
    role = serializers.ChoiceField(SystemRole.choices, required=False, allow_blank=True, label=_("System role"))
    group = serializers.UUIDField(required=False, allow_null=True, label=_("User group"))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one of role and group. The group is stored as text."""
        role, group = attrs.get("role", ""), attrs.get("group")
        if bool(role) == (group is not None):
            raise serializers.ValidationError({"role": [now("Choose a system role or a user group.")]})
        return {**attrs, "role": role, "group": str(group) if group is not None else None}


class FederatedProviderSerializer(ResourceSerializer):
    """The common fields. `slug` cannot be changed, because the addresses that the provider has stored contain it."""

    immutable_fields = ("slug",)

    rules = serializers.ListField(
        child=RuleSerializer(),
        required=False,
        max_length=_MOST_RULES,
        label=_("Roles and groups"),
        help_text=_("Checked at each sign-in. Without a rule about roles, roles are not changed."),
    )

    def validate_slug(self, slug: str) -> str:
        if _SLUG.fullmatch(slug) is None or slug in _RESERVED:
            raise serializers.ValidationError(now("Use small letters, digits and hyphens, such as corp-login."))
        return slug

    def validate_rules(self, rules: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        wanted = {str(rule["group"]) for rule in rules if rule["group"] is not None}
        existing = {str(pk) for pk in UserGroup.objects.filter(pk__in=wanted).values_list("pk", flat=True)}
        if wanted - existing:
            raise serializers.ValidationError(now("A chosen group does not exist any more. Choose another one."))
        return rules
