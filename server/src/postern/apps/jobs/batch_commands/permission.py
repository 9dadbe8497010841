"""Whether a command may run on a host now: the person, the permission, the setting and the command filters.

It is decided at the request, again for each host at its turn, and the permission every two seconds while the command
runs there.
"""

from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy

from postern.apps.acls import facade as acls
from postern.apps.perms import facade as perms
from postern.apps.preferences import facade as preferences
from postern.contracts.command_control import CommandAction, CommandDecision
from postern.contracts.enums import Protocol
from postern.foundation.phrases import Phrase
from postern.kernel.sentences import NOTHING, Sentence

SETTING: Final = "SECURITY_COMMAND_EXECUTION"
_INVALID_RULES: Final = Phrase(
    "commands.invalid_rules", gettext_lazy("The command filters of this system user are faulty.")
)
_CONFIRMATION: Final = Phrase(
    "commands.confirmation",
    gettext_lazy("The command filter “%(filter)s” requires a confirmation. Run this command in a session."),
)
_NOT_ALLOWED: Final = Phrase(
    "commands.not_allowed", gettext_lazy("The command filter “%(filter)s” does not allow this command.")
)
_UNCERTAIN: Final = Phrase(
    "commands.uncertain",
    gettext_lazy("It is not certain what this command would run, so the command filters refuse it. %(reason)s"),
)
#: Why it is not certain.
_UNRESOLVED: Final = {code: Phrase(f"commands.unresolved_{code}", words) for code, words in acls.REASONS.items()}


def refusals(
    *, user_id: UUID, run_as: UUID, protocol: Protocol, asset_ids: Collection[UUID]
) -> Mapping[UUID, Sentence]:
    """The assets on which the person may not use the system user of this protocol, with the reasons."""
    if len(asset_ids) == 1:  # one query instead of a dozen
        [asset_id] = asset_ids
        decision = perms.decide(user_id=user_id, asset_id=asset_id, system_user_id=run_as, protocol=protocol)
        return {} if decision.allowed else {asset_id: decision.sentence}
    requests = {
        asset_id: perms.Request(user_id=user_id, asset_id=asset_id, system_user_id=run_as, protocol=protocol)
        for asset_id in asset_ids
    }
    decisions = perms.decide_many(requests)
    return {asset_id: decision.sentence for asset_id, decision in decisions.items() if not decision.allowed}


def is_on() -> bool:
    """Whether people may run batch commands."""
    return preferences.get_bool(SETTING)


def filter_decision(run_as: UUID, command: str) -> CommandDecision:
    """What the command filters of the system user say about the whole command."""
    return acls.judge_command(run_as, command)


def filter_refusal(decision: CommandDecision) -> Sentence:
    """Why a command does not run; nothing if it may. A confirmation is not asked for: nobody waits at a terminal."""
    if decision.action is CommandAction.ALLOW:
        return NOTHING
    if decision.filter_name and decision.action is CommandAction.CONFIRM:
        return _CONFIRMATION.say(filter=decision.filter_name)
    if decision.filter_name:
        return _NOT_ALLOWED.say(filter=decision.filter_name)
    if decision.reason == "invalid_rules":
        return _INVALID_RULES.say()
    reason = _UNRESOLVED.get(decision.reason)
    return _UNCERTAIN.say(reason=reason.say() if reason is not None else "")
