"""A decision with its explanation as the API shows it."""

from datetime import datetime
from typing import Any, cast

from rest_framework.fields import DateTimeField

from postern.apps.perms.decisions.decision import Decision, Named, Reason, Via
from postern.apps.perms.grants.action_names import ACTION_NAMES, to_names


def explained(decision: Decision) -> dict[str, Any]:
    """The verdict, every reason with the permission and the objects that it is about, and when the answer changes."""
    return {
        "allowed": decision.allowed,
        "verdict": decision.verdict.value,
        "reasons": [_reason(reason) for reason in decision.reasons],
        "actions": to_names(decision.actions),
        "expires_at": _instant(decision.expires_at),
        "next_change_at": _instant(decision.next_change_at),
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "code": reason.code.value,
        "message": reason.message,
        "permission": _named(reason.permission),
        "via": _via(reason.via),
    }


def _via(via: Via | None) -> dict[str, Any] | None:
    if via is None:
        return None
    parts = {
        "user": via.user,
        "user_group": via.user_group,
        "asset": via.asset,
        "node": via.node,
        "application": via.application,
    }
    return {name: _named(one) for name, one in parts.items() if one is not None}


def _named(one: Named | None) -> dict[str, str] | None:
    return {"id": str(one.id), "name": one.name} if one else None


def _instant(instant: datetime | None) -> str | None:
    return cast("str | None", DateTimeField().to_representation(instant)) if instant else None


def validated(decision: Decision, action_name: str) -> tuple[dict[str, Any], int]:
    """`{"has_permission", "expire_at"}` for one action, and the status: 403 without permission."""
    wanted = ACTION_NAMES.get(action_name)
    allowed = decision.allowed and wanted is not None and wanted in decision.actions
    expire_at = int(decision.expires_at.timestamp()) if decision.expires_at else 0
    return {"has_permission": allowed, "expire_at": expire_at}, 200 if allowed else 403
