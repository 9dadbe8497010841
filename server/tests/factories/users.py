"""Users, made without the product's own action: most tests only need somebody with a role."""

from typing import Any

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.models import Membership, SystemRole, User
from postern.kernel.ids import DEFAULT_ORG_ID


def new_user(
    username: str,
    *,
    role: str = SystemRole.USER,
    org_role: str | None = OrgRole.USER,
    org_id: Any = DEFAULT_ORG_ID,
    **columns: Any,
) -> User:
    """The user is active, has no password and needs no new one."""
    user = User(username=username, name=username.title(), email=f"{username}@example.test", role=role, **columns)
    user.is_first_login = False
    user.set_unusable_password()
    user.save()
    if org_role:
        Membership.objects.create(user=user, org_id=org_id, role=org_role)
    return user
