"""Endpoints of command filters and of their rules."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.acls.command_filters import actions, bodies, queries, trial
from postern.apps.acls.command_filters.api.serializers import CommandFilterRuleSerializer, CommandFilterSerializer
from postern.apps.acls.command_filters.models import CommandFilter, CommandFilterRule
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.plain import PlainResourceViewSet
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.foundation.rest.viewsets import ListViewSet, ResourceViewSet, RowNotFound
from postern.kernel.ids import parse_id

_TEXT = {"type": "string"}
_RULE = {
    "type": ["object", "null"],
    "properties": {
        "id": _TEXT,
        "title": _TEXT,
        "priority": {"type": "integer"},
        "line_number": {"type": ["integer", "null"]},
    },
    "required": ["id", "title", "priority", "line_number"],
}
_ACTION = {"type": "string", "enum": sorted(trial.ACTION_NAMES.values())}
_COMMAND = {
    "type": "object",
    "properties": {"text": _TEXT, "action": _ACTION, "rule": _RULE},
    "required": ["text", "action", "rule"],
}
_LINE = {
    "type": "object",
    "properties": {
        "line": _TEXT,
        "action": _ACTION,
        "rule": _RULE,
        "matched": _TEXT,
        "reason": _TEXT,
        "reason_text": _TEXT,
        "is_open": {"type": "boolean"},
        "commands": {"type": "array", "items": _COMMAND},
    },
    "required": ["line", "action", "rule", "matched", "reason", "reason_text", "is_open", "commands"],
}
_JUDGED = {
    "type": "object",
    "properties": {"lines": {"type": "array", "items": _LINE}, "complete": {"type": "boolean"}},
    "required": ["lines", "complete"],
}

_KEYS_OF_RULES = Prefetch("rules", queryset=CommandFilterRule.objects.only("pk", "filter_id").order_by("pk"))
_KEYS_OF_USERS = Prefetch("reviewers", queryset=User.objects.only("pk").order_by())


class CommandFilterViewSet(PlainResourceViewSet):
    queryset = CommandFilter.objects.all()
    serializer_class = CommandFilterSerializer
    examples = {"name": "no-shutdown"}
    writes = actions.FILTERS
    rights = {**ORG_ADMIN_ONLY, "try_line": Right.ORG_ADMIN}
    acts_in_root = frozenset({"try_line"})
    serializer_classes = {"try_line": bodies.LinesSerializer}
    answers = {"try_line": Answer(schema=_JUDGED)}
    filter_fields = ("name", "is_active")
    search_fields = ("name",)
    ordering_fields = ("name", "is_active", "date_created", "date_updated", "created_by")

    def visible_rows(self) -> QuerySet[CommandFilter]:
        return cast("QuerySet[CommandFilter]", super().visible_rows()).prefetch_related(_KEYS_OF_RULES)

    @action(detail=True, methods=["post"], url_path="try-line", url_name="try-line")
    def try_line(self, request: Request, **kwargs: Any) -> Response:
        """What the rules would decide about lines, with the unsaved rule of a form. Nothing is stored."""
        filter_row: CommandFilter = self.get_object()
        values = body_of(request, bodies.LinesSerializer, actor=self.actor, scope=self.scope, view=self)
        lines = values["line"].splitlines()
        judged = bodies.trial_from(filter_row, values).lines(lines)
        return Response({"lines": [_line(line) for line in judged], "complete": len(judged) == len(lines)})


class CommandFilterRuleViewSet(ResourceViewSet):
    """Rules of the filter in the path, those that decide first at the beginning."""

    queryset = CommandFilterRule.objects.all()
    serializer_class = CommandFilterRuleSerializer
    examples = {"content": "shutdown\nreboot", "priority": 50, "action": 0}
    rights = ORG_ADMIN_ONLY
    filter_fields = ("content", "type", "action")
    search_fields = ("content",)
    ordering_fields = ("priority", "type", "action", "date_created")
    default_order = ("-priority", "rank", "date_created", "id")

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """An unknown filter is not found, whatever the body of the request is."""
        super().initial(request, *args, **kwargs)
        if request.method in self.allowed_methods:
            self._filter  # noqa: B018 - raises RowNotFound

    @cached_property
    def _filter(self) -> CommandFilter:
        """The filter in the path. Of another organization: not found."""
        key = parse_id(self.kwargs.get("filter_pk", ""))
        visible = CommandFilter.objects.visible_to(self.actor, self.scope)
        row: CommandFilter | None = visible.filter(pk=key).first() if key is not None else None
        if row is None:
            raise RowNotFound(_("Not found."))
        return row

    def visible_rows(self) -> QuerySet[CommandFilterRule]:
        rows = cast("QuerySet[CommandFilterRule]", super().visible_rows())
        return rows.filter(filter=self._filter).select_related("filter").prefetch_related(_KEYS_OF_USERS)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        named = {user.pk for item in values for user in item.get("reviewers") or ()}
        actions.hold_rules(self._filter, rows, named, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> CommandFilterRule:
        return actions.create_rule(actor=self.actor, filter_row=self._filter, values=data)

    def update_object(self, instance: CommandFilterRule, data: dict[str, Any]) -> CommandFilterRule:
        return actions.update_rule(actor=self.actor, rule=instance, values=data)

    def delete_object(self, instance: CommandFilterRule) -> None:
        actions.delete_rule(actor=self.actor, rule=instance)


class SystemUserRulesViewSet(ListViewSet):
    """The rules that apply to sessions of a system user, those that decide first at the beginning."""

    queryset = CommandFilterRule.objects.all()
    serializer_class = CommandFilterRuleSerializer
    rights = {"list": Right.ORG_ADMIN}
    exportable = False
    default_order = ("-priority", "rank", "date_created", "id")

    def visible_rows(self) -> QuerySet[CommandFilterRule]:
        system_user_id: UUID = self.kwargs["system_user_id"]
        if not SystemUser.objects.visible_to(self.actor, self.scope).filter(pk=system_user_id).exists():
            raise RowNotFound(_("Not found."))
        return queries.rules_for(system_user_id).prefetch_related(None).prefetch_related(_KEYS_OF_USERS)


def _line(judged: trial.LineJudged) -> dict[str, Any]:
    return {
        "line": judged.line,
        "action": trial.ACTION_NAMES[judged.action],
        "rule": _rule(judged.rule),
        "matched": judged.matched,
        "reason": judged.reason,
        "reason_text": str(trial.REASONS.get(judged.reason, "")),
        "is_open": judged.is_open,
        "commands": [
            {"text": command.text, "action": trial.ACTION_NAMES[command.action], "rule": _rule(command.rule)}
            for command in judged.commands
        ],
    }


def _rule(rule: trial.Deciding | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    return {"id": rule.id, "title": rule.title, "priority": rule.priority, "line_number": rule.line_number}
