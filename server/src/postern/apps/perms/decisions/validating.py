"""The short answer about one action, for programs."""

from typing import Any

from postern.apps.perms.decisions.decision import Decision
from postern.apps.perms.grants.action_names import ACTION_NAMES


def validated(decision: Decision, action_name: str) -> tuple[dict[str, Any], int]:
    """`{"has_permission", "expire_at"}` for one action, and the status: 403 without permission."""
    wanted = ACTION_NAMES.get(action_name)
    allowed = decision.allowed and wanted is not None and wanted in decision.actions
    expire_at = int(decision.expires_at.timestamp()) if decision.expires_at else 0
    return {"has_permission": allowed, "expire_at": expire_at}, 200 if allowed else 403
