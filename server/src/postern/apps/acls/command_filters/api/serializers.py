"""Serializers of command filters and of their rules (contract: assets, command filters)."""

from typing import Any

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.acls.command_filters.models import CommandFilter, CommandFilterRule
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.foundation.rest.naming import by, itself, key_in, name_in
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer


class CommandFilterSerializer(ResourceSerializer):
    system_users = OrgOwnedList(
        SystemUser,
        named=by(("name", itself), ("name", name_in)),
        required=False,
        label=gettext_lazy("System users"),
    )
    rules: Any = serializers.PrimaryKeyRelatedField(many=True, read_only=True, label=gettext_lazy("Rules"))

    class Meta:
        model = CommandFilter
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "org_id", "org_name", "is_active", "unresolved", "unresolved_display", "date_created",
            "date_updated", "comment", "created_by",
        )  # fmt: skip
        fields = (*fields_small, "rules", "system_users")
        read_only_fields = ("date_created", "date_updated", "created_by")


class CommandFilterRuleSerializer(ResourceSerializer):
    reviewers = OrgOwnedList(
        User,
        named=by(("username", itself), ("username", key_in), ("name", itself)),
        required=False,
        label=gettext_lazy("Reviewers"),
        help_text=gettext_lazy(
            "Needed for the action “confirm”. This version cannot ask reviewers yet: until it can, commands that need a "
            "confirmation are refused."
        ),
    )
    filter: Any = serializers.PrimaryKeyRelatedField(read_only=True, label=gettext_lazy("Command filter"))

    class Meta:
        model = CommandFilterRule
        fields_mini = ("id",)
        fields_small = (
            *fields_mini, "type", "type_display", "content", "priority", "action", "action_display", "comment",
            "date_created", "date_updated", "created_by", "reviewers",
        )  # fmt: skip
        fields = (*fields_small, "org_id", "org_name", "filter")
        read_only_fields = ("date_created", "date_updated", "created_by")
