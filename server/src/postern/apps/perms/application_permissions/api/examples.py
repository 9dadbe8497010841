"""Cells of the example rows in import templates: system users that speak what the example needs."""

from typing import Any

from postern.apps.applications import facade as applications
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol


def system_users_for_mysql(view: Any) -> list[str]:
    """For the example of a permission, which is for MySQL."""
    return _speaking(view, Protocol.MYSQL)


def system_user_of_first_permission(view: Any) -> str | None:
    """For the example of a link, which names the first permission."""
    permission = ApplicationPermission.objects.visible_to(view.actor, view.scope).order_by("pk").first()
    if permission is None:
        return None
    names = _speaking(view, applications.DECLARATIONS[permission.type].protocol)
    return names[0] if names else None


def _speaking(view: Any, protocol: Protocol) -> list[str]:
    rows = SystemUser.objects.visible_to(view.actor, view.scope).filter(protocol=protocol.value)
    return [str(row) for row in rows.order_by("pk")[:1]]
