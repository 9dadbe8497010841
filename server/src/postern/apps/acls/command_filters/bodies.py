"""Bodies of requests that try rules: those of a filter, with the unsaved rule of a form."""

from typing import Any

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.acls.command_filters.models import (
    CommandFilter,
    CommandFilterRule,
    FilterAction,
    RuleAction,
    RuleType,
)
from postern.apps.acls.command_filters.trial import Trial, trial_of
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.text import PlainTextField
from postern.kernel.command_control.limits import MAX_LINE_CHARACTERS


class DraftSerializer(BodySerializer):
    """The unsaved rule of a form. `id`: the saved rule that it replaces."""

    id = serializers.UUIDField(required=False, allow_null=True)
    type = serializers.ChoiceField(choices=RuleType.choices, label=gettext_lazy("Type"))
    content = PlainTextField(max_length=4_096, trim_whitespace=False, label=gettext_lazy("Content"))
    priority = serializers.IntegerField(min_value=1, max_value=100, label=gettext_lazy("Priority"))
    action = serializers.ChoiceField(choices=RuleAction.choices, label=gettext_lazy("Action"))


class TrialSerializer(BodySerializer):
    """Without `rule` the saved rules are tried; without `unresolved`, the saved answer to unresolved lines."""

    rule = DraftSerializer(required=False, allow_null=True, label=gettext_lazy("Rule"))
    unresolved = serializers.ChoiceField(
        choices=FilterAction.choices, required=False, label=gettext_lazy("Unresolved lines")
    )


class LinesSerializer(TrialSerializer):
    """Lines to judge, as if they were typed one after the other."""

    line = PlainTextField(max_length=MAX_LINE_CHARACTERS, trim_whitespace=False, label=gettext_lazy("Line"))


def trial_from(filter_row: CommandFilter, values: dict[str, Any]) -> Trial:
    """The rules that a valid body describes. Raises RuleRefused."""
    described = dict(values.get("rule") or {})
    rule_id = described.pop("id", None)
    draft = None
    if described:
        draft = CommandFilterRule(filter=filter_row, org_id=filter_row.org_id, **described)
        draft.pk = rule_id or draft.pk
    return trial_of(filter_row, draft=draft, unresolved=values.get("unresolved", ""))
