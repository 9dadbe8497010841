"""Writes of command filters and of their rules."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.acls.command_filters import queries
from postern.apps.acls.command_filters.errors import TooManyRules
from postern.apps.acls.command_filters.events import CommandFiltersChanged
from postern.apps.acls.command_filters.models import CommandFilter, CommandFilterRule, RuleAction, RuleType
from postern.apps.acls.command_filters.policy import require_reviewers
from postern.apps.acls.command_filters.rules import require_usable
from postern.apps.acls.command_filters.usable import require_usable_together
from postern.apps.audits import facade as audits
from postern.apps.audits.recorded import RecordedRows, assign, delete_row, names_in, replace_list, shortened
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.rest.naming import by, itself
from postern.foundation.rest.relations import OrgOwnedList

MAX_RULES: Final = 100

_RULE_COLUMNS: Final = ("type", "content", "priority", "action", "comment")


class _FilterWrites(RecordedRows[CommandFilter]):
    """Writes of filters. Each of them says whose sessions it concerns."""

    def hold(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        super().hold(rows, values, deleting=deleting)
        if not deleting:  # one write at a time decides whether the rules of a system user can be used together
            named = {other.pk for item in values for other in item.get("system_users") or ()}
            row_locks.lock(SystemUser, named | queries.filtered_by([row.pk for row in rows]))

    @transaction.atomic
    def create(self, *, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> CommandFilter:
        row = super().create(actor=actor, org_id=org_id, values=values)
        _tell(queries.filtered_by([row.pk]))
        return row

    @transaction.atomic
    def update(self, *, actor: Actor, row: CommandFilter, values: Mapping[str, Any]) -> CommandFilter:
        before = queries.filtered_by([row.pk])
        changed = super().update(actor=actor, row=row, values=values)
        after = queries.filtered_by([row.pk])
        require_usable_together(after, field="is_active" if before == after else "system_users")
        _tell(before | after)
        return changed

    @transaction.atomic
    def delete(self, *, actor: Actor, row: CommandFilter) -> None:
        before = queries.filtered_by([row.pk])
        super().delete(actor=actor, row=row)
        _tell(before)


FILTERS: Final = _FilterWrites(CommandFilter, gone=("name", "is_active", "unresolved"), lists={"system_users": "name"})


def hold_rules(
    filter_row: CommandFilter,
    rules: Collection[CommandFilterRule],
    reviewers: Collection[UUID],
    *,
    deleting: bool = False,
) -> None:
    """Lock the filter, its rules, its system users and the reviewers. Call it first in a write of rules."""
    row_locks.lock(CommandFilter, [filter_row.pk])
    row_locks.lock(CommandFilterRule, [rule.pk for rule in rules], deleting=deleting)
    if deleting:
        return
    row_locks.lock(SystemUser, queries.filtered_by([filter_row.pk]))
    row_locks.share(User, (), required=reviewers)
    users.hold_memberships(set(reviewers), {filter_row.org_id})


@transaction.atomic
def create_rule(*, actor: Actor, filter_row: CommandFilter, values: Mapping[str, Any]) -> CommandFilterRule:
    """Add a rule to a filter. Raises RuleRefused."""
    # Deleted meanwhile: `DoesNotExist`, as with every row that a write refers to.
    CommandFilter.objects.get(pk=filter_row.pk)
    if CommandFilterRule.objects.filter(filter=filter_row).count() >= MAX_RULES:
        raise TooManyRules(MAX_RULES)
    rule = CommandFilterRule(filter=filter_row, org_id=filter_row.org_id, created_by=actor.label)
    assign(rule, {name: value for name, value in values.items() if name in _RULE_COLUMNS})
    require_usable(RuleType(rule.type), rule.content)
    require_reviewers(RuleAction(rule.action), values.get("reviewers") or ())
    rule.save(force_insert=True)
    new = {name: getattr(rule, name) for name in _RULE_COLUMNS}
    if values.get("reviewers"):
        new["reviewers"] = _replace_reviewers(rule, values["reviewers"])[1]
    _check_and_tell(filter_row)
    audits.record_change(actor=actor, action="create", target=rule, new={"filter": filter_row.name, **new})
    return rule


@transaction.atomic
def update_rule(*, actor: Actor, rule: CommandFilterRule, values: Mapping[str, Any]) -> CommandFilterRule:
    """Change the given values of a rule; a given list of reviewers replaces the current list. Raises RuleRefused."""
    row: CommandFilterRule = CommandFilterRule.objects.select_related("filter").get(pk=rule.pk)
    old, new = assign(row, {name: value for name, value in values.items() if name in _RULE_COLUMNS})
    if {"type", "content"} & set(new):
        require_usable(RuleType(row.type), row.content)
    if "action" in new or "reviewers" in values:
        given = values.get("reviewers")
        require_reviewers(RuleAction(row.action), row.reviewers.all() if given is None else given)
    if new:
        row.save()
    if values.get("reviewers") is not None:
        before, after = _replace_reviewers(row, values["reviewers"])
        if before != after:
            old["reviewers"], new["reviewers"] = before, after
    if not new:
        return row
    _check_and_tell(row.filter)
    audits.record_change(actor=actor, action="update", target=row, old=old, new={"filter": row.filter.name, **new})
    return row


@transaction.atomic
def delete_rule(*, actor: Actor, rule: CommandFilterRule) -> None:
    """Delete a rule."""
    old = {"filter": rule.filter.name, **{name: getattr(rule, name) for name in _RULE_COLUMNS}}
    old["reviewers"] = shortened(names_in(rule, "reviewers", "username"))
    _tell(queries.filtered_by([rule.filter_id]))
    delete_row(actor=actor, row=rule, old=old)


@transaction.atomic
def forget_reviewer(*, actor: Actor, user_id: UUID, org_id: UUID) -> None:
    """Remove a user who leaves an organization from its rules, in the same transaction."""
    rows = list(CommandFilterRule.objects.filter(org_id=org_id, reviewers=user_id).order_by("pk"))
    if not rows:
        return
    name = str(User.objects.get(pk=user_id).username)
    changes = []
    for row in rows:
        before = names_in(row, "reviewers", "username")
        row.reviewers.remove(user_id)
        left = before - {name}
        changes.append(
            audits.Change(
                row,
                old={"reviewers": shortened(before, besides=left)},
                new={"reviewers": shortened(left, besides=before)},
            )
        )
    audits.record_changes(actor=actor, action="update", changes=changes)


class FiltersOfSystemUsers:
    """The filters of a system user, written from its side (`vault.system_users.command_filters`)."""

    def field(self) -> serializers.Field[Any, Any, Any, Any]:
        """The field `cmd_filters` of a system user."""
        return OrgOwnedList(CommandFilter, named=by(("name", itself)), required=False, label=_("Command filters"))

    def replace(self, system_user: SystemUser, filters: Sequence[CommandFilter]) -> tuple[list[str], list[str]]:
        """Set the filters of a system user; returns their names before and after. Raises RuleRefused."""
        before, after = replace_list(system_user, "cmd_filters", filters, "name")
        if before != after:
            require_usable_together([system_user.pk], field="cmd_filters")
            _tell(frozenset({system_user.pk}))
        return before, after

    def hold(self, filter_ids: Collection[UUID]) -> None:
        """Protect these filters from deletion until the transaction ends."""
        row_locks.share(CommandFilter, (), required=filter_ids)


def _replace_reviewers(rule: CommandFilterRule, reviewers: Sequence[User]) -> tuple[list[str], list[str]]:
    before = names_in(rule, "reviewers", "username")
    rule.reviewers.set(reviewers)
    after = names_in(rule, "reviewers", "username")
    return shortened(before, besides=after), shortened(after, besides=before)


def _check_and_tell(filter_row: CommandFilter) -> None:
    concerned = queries.filtered_by([filter_row.pk])
    require_usable_together(concerned, field="content")
    _tell(concerned)


def _tell(system_user_ids: frozenset[UUID]) -> None:
    if system_user_ids:
        events.publish(CommandFiltersChanged(system_user_ids=system_user_ids))
