"""Public interface of access control: the command filters of system users, their decisions, and trials of their rules."""

from uuid import UUID

from postern.apps.acls.command_filters.actions import FILTERS, create_rule, delete_rule, hold_rules, update_rule
from postern.apps.acls.command_filters.bodies import TrialSerializer, trial_from
from postern.apps.acls.command_filters.judging import judge_command
from postern.apps.acls.command_filters.models import CommandFilter
from postern.apps.acls.command_filters.queries import controls_of, filtered_by
from postern.apps.acls.command_filters.trial import ACTION_NAMES, REASONS, Trial
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope

__all__ = [
    "ACTION_NAMES",
    "FILTERS",
    "REASONS",
    "CommandFilter",
    "Trial",
    "TrialSerializer",
    "controls_of",
    "create_rule",
    "delete_rule",
    "filtered_by",
    "find_filter",
    "hold_rules",
    "judge_command",
    "trial_from",
    "update_rule",
]


def find_filter(*, actor: Actor, scope: OrgScope, filter_id: UUID) -> CommandFilter | None:
    """The filter with this id that the actor may see, or None."""
    row: CommandFilter | None = CommandFilter.objects.visible_to(actor, scope).filter(pk=filter_id).first()
    return row
