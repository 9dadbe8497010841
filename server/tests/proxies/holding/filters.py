"""Command filters of a session in tests."""

from uuid import UUID, uuid4

from postern.contracts.command_control import CommandAction, CommandControl, CommandRule, CommandRuleKind


def rule(
    content: str,
    action: CommandAction = CommandAction.DENY,
    *,
    kind: CommandRuleKind = CommandRuleKind.COMMAND,
    name: str = "no touching",
    priority: int = 50,
    rule_id: UUID | None = None,
) -> CommandRule:
    """Return a rule of a filter with this name."""
    return CommandRule(
        id=rule_id or uuid4(), filter_name=name, kind=kind, content=content, priority=priority, action=action
    )


def control(*rules: CommandRule, unresolved: CommandAction = CommandAction.ALLOW, version: int = 0) -> CommandControl:
    """Return the rules of a session."""
    return CommandControl(version=version, rules=rules, unresolved=unresolved)
