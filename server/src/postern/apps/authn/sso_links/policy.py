"""Rules for the users and targets of SSO links."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from postern.apps.users.models import SystemRole, User
from postern.foundation.pages.redirects import HOME, safe_next

#: The pages of the console, the web terminal and its older addresses. Excludes the API and the sign-in pages.
_PAGES: Final = (HOME, "/luna/")
_ROOTS: Final = frozenset({"/", "/ui", "/luna"})
_PLAIN_ROLE: Final = "User"


class LinkRefusal(StrEnum):
    """The reason why there are no links for a user."""

    CLOSED = "closed"
    OTHER_SOURCE = "other_source"
    ROLE = "role"
    SERVICE = "service"


def link_refusal(user: User, org_roles: Iterable[str]) -> LinkRefusal | None:
    """The reason why there are no links for this user; None if links are allowed. `org_roles`: their roles in all
    organizations.

    The credential of a maker gives access to all users for whom links are allowed. Administrators and auditors are
    excluded, because they have rights over others. Users of other sources are excluded, because only their source knows
    whether they still belong to the company.
    """
    if not user.is_valid:
        return LinkRefusal.CLOSED
    if user.is_service_account:
        return LinkRefusal.SERVICE
    if not user.is_local:
        return LinkRefusal.OTHER_SOURCE
    if user.role != SystemRole.USER or any(role != _PLAIN_ROLE for role in org_roles):
        return LinkRefusal.ROLE
    return None


def console_path(text: str) -> str | None:
    """`text` if it is a path of this console in every decoding of it; None otherwise (K12: a redirect stays on this
    server).
    """
    target = safe_next(text, "")
    path = target.split("?", 1)[0].split("#", 1)[0]
    return target if path in _ROOTS or path.startswith(_PAGES) else None
