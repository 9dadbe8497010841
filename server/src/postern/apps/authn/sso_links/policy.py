"""For whom there are SSO links, and where they may lead."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from postern.apps.users.models import SystemRole, User
from postern.foundation.pages.redirects import HOME, safe_next

#: The pages of the console, the web terminal and its older addresses. The API and the pages of signing in are none.
_PAGES: Final = (HOME, "/luna/")
_ROOTS: Final = frozenset({"/", "/ui", "/luna"})
_PLAIN_ROLE: Final = "User"


class Unfit(StrEnum):
    """Why there is no link for a user."""

    CLOSED = "closed"
    OTHER_SOURCE = "other_source"
    ROLE = "role"
    SERVICE = "service"


def unfit(user: User, org_roles: Iterable[str]) -> Unfit | None:
    """Why no link signs this user in; None if one may. `org_roles`: their roles in all organizations.

    Whoever holds the credential of the maker can become everybody for whom there are links. So there are none for
    administrators and auditors, whose rights reach beyond themselves.
    Users of another source sign in there: only it knows whether they still belong to the company.
    """
    if not user.is_valid:
        return Unfit.CLOSED
    if user.is_service_account:
        return Unfit.SERVICE
    if not user.is_local:
        return Unfit.OTHER_SOURCE
    if user.role != SystemRole.USER or any(role != _PLAIN_ROLE for role in org_roles):
        return Unfit.ROLE
    return None


def console_path(text: str) -> str | None:
    """`text` if it is a path of this console in every decoding of it; None otherwise (K12: a redirect stays on this
    server).
    """
    target = safe_next(text, "")
    path = target.split("?", 1)[0].split("#", 1)[0]
    return target if path in _ROOTS or path.startswith(_PAGES) else None
