"""A decision with its explanation as the API shows it."""

from datetime import datetime
from typing import Any, cast

from rest_framework.fields import DateTimeField

from postern.apps.perms.decisions.decision import Decision, Named, Reason, Via
from postern.apps.perms.decisions.nearest import Nearest
from postern.apps.perms.grants.action_names import to_names


def nearest_shown(nearest: Nearest | None) -> dict[str, Any] | None:
    """The permission that comes nearest, and each thing that it lacks with the object that is missing in it."""
    if nearest is None:
        return None
    return {
        "permission": _named(nearest.permission),
        "lacks": [
            {"code": lack.code.value, "message": lack.message, "object": _named(lack.wanted)} for lack in nearest.lacks
        ],
    }


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
    return {name: _named(part) for name, part in parts.items() if part is not None}


def _named(named: Named | None) -> dict[str, str] | None:
    return {"id": str(named.id), "name": named.name} if named else None


def _instant(instant: datetime | None) -> str | None:
    return cast("str | None", DateTimeField().to_representation(instant)) if instant else None
