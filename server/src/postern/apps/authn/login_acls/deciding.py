"""Decides whether a user is admitted from an address at a time, on every way in (K51: every restriction holds for
every kind of credential).

Contract (acls): the first active rule by priority, then the latest change, then the name decides. `allow` admits only
matching attempts, `reject` refuses matching attempts, and without a rule everybody is admitted.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.utils import timezone

from postern.apps.authn.login_acls.addresses import contains, parsed_address
from postern.apps.authn.login_acls.hours import covers
from postern.apps.authn.login_acls.models import LoginAcl, LoginAclAction
from postern.foundation.database.prepared import PreparedQuery
from postern.kernel import clock


@dataclass(frozen=True, slots=True)
class Decision:
    """`rule_id`, `rule`: id and name of the deciding rule; None and "" without a rule.

    `by_address`, `by_time`: whether the rule's addresses and times match.
    """

    is_admitted: bool
    rule_id: UUID | None = None
    rule: str = ""
    action: str = ""
    by_address: bool = False
    by_time: bool = False


def decide(user_id: UUID, remote_addr: str | None, *, at: datetime | None = None) -> Decision:
    """The decision about this user. `at`: default now. One prepared query."""
    rules = _first_rule().tuples(user_id=user_id)
    return Decision(is_admitted=True) if not rules else _decision(rules[0], remote_addr, at or clock.now())


def is_admitted(user_id: UUID, remote_addr: str | None) -> bool:
    """Whether the user is admitted from this address now."""
    return decide(user_id, remote_addr).is_admitted


def _decision(rule: Any, remote_addr: str | None, at: datetime) -> Decision:
    rule_id, name, action, ip_group, hours = rule
    address = parsed_address(remote_addr or "")
    by_address = any(contains(item, address) for item in ip_group)
    by_time = covers(hours, timezone.localtime(at))
    matches = by_address and by_time
    return Decision(
        is_admitted=matches if action == LoginAclAction.ALLOW else not matches,
        rule_id=rule_id,
        rule=name,
        action=action,
        by_address=by_address,
        by_time=by_time,
    )


@cache
def _first_rule() -> PreparedQuery:
    """Prepared, because every request needs it."""
    return PreparedQuery(
        lambda user_id: LoginAcl.objects.filter(user_id=user_id, is_active=True).order_by(
            "priority", "-date_updated", "name", "pk"
        )[:1],
        stand_ins={"user_id": UUID(int=1)},
        columns=("id", "name", "action", "ip_group", "hours"),
    )
