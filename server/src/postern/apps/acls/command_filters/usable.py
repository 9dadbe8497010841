"""Whether the rules that apply to a system user can be used together.

A session gets the rules of all active filters of its system user and compiles them at once. A write that would make
this impossible is refused: the session could be neither judged nor opened.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from postern.apps.acls.command_filters import queries, rules
from postern.apps.acls.command_filters.errors import ExpressionsTooLarge, TooMuchContent
from postern.apps.acls.command_filters.models import CommandFilter
from postern.apps.vault.models import SystemUser
from postern.kernel.command_control.rules import InvalidRule, RuleSet

#: Characters of all rules of one session. They are sent with each grant and compiled for each session.
MAX_CHARACTERS: Final = 32_768

_FILTERED: Any = CommandFilter.system_users.through


def require_usable_together(system_user_ids: Collection[UUID], *, field: str) -> None:
    """Raises RuleRefused for `field` when the rules of one of these system users cannot be used together.

    The caller's transaction has written the rows and has locked the system users.
    """
    of_system_user: dict[UUID, set[UUID]] = defaultdict(set)
    links = _FILTERED.objects.filter(systemuser_id__in=set(system_user_ids), commandfilter__is_active=True)
    for system_user_id, filter_id in links.values_list("systemuser_id", "commandfilter_id"):
        of_system_user[system_user_id].add(filter_id)
    examples = {frozenset(filter_ids): system_user_id for system_user_id, filter_ids in of_system_user.items()}
    for filter_ids, system_user_id in examples.items():
        _require(filter_ids, system_user_id, field)


def _require(filter_ids: Collection[UUID], system_user_id: UUID, field: str) -> None:
    filter_rules = queries.rules_of(filter_ids)
    if sum(len(rule.content) for rule in filter_rules) > MAX_CHARACTERS:
        raise TooMuchContent(field, _name_of(system_user_id), MAX_CHARACTERS)
    try:
        RuleSet(rules.judged(filter_rules))
    except InvalidRule as error:
        raise ExpressionsTooLarge(field, _name_of(system_user_id)) from error


def _name_of(system_user_id: UUID) -> str:
    return str(SystemUser.objects.get(pk=system_user_id).name)
