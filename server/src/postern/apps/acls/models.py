"""Re-exports the tables of access control for Django's model discovery and for the other apps."""

from postern.apps.acls.command_filters.models import (
    CommandFilter,
    CommandFilterRule,
    FilterAction,
    RuleAction,
    RuleType,
)

__all__ = ["CommandFilter", "CommandFilterRule", "FilterAction", "RuleAction", "RuleType"]
