"""Creates the first administrator when there are no users yet."""

from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.db import transaction

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts import trail
from postern.apps.users.accounts.models import BUILT_IN_ADMIN, Membership, SystemRole, User
from postern.apps.users.credentials.actions.passwords import remember_password
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.settings import Settings
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, new_token
from postern.kernel.secret import Secret

#: Cannot receive mail: `.invalid` does not exist (K10: there is no default mail domain).
_MAIL = "admin@example.invalid"


@dataclass(frozen=True, slots=True)
class FirstAdmin:
    """The result for the start-up message. `made_up_password` is set once, when the password was generated here."""

    username: str
    created: bool
    made_up_password: Secret | None


def ensure_first_admin(settings: Settings) -> FirstAdmin:
    """Create the administrator `admin` when there are no users yet. Safe to call at each start.

    The password of `POSTERN_ADMIN_PASSWORD` is used without checks, because the operator chose it, and a demo may use a
    simple one; scripts can use the account at once. Without the variable a password is generated, returned once, and
    must be changed at the first sign-in. There the administrator also confirms the recording notice, like all users.
    """
    if User.objects.exists():
        return FirstAdmin(username=BUILT_IN_ADMIN, created=False, made_up_password=None)
    given = settings.admin_password
    password = given.reveal() if given else new_token()[:20]
    hashed = make_password(password)
    with transaction.atomic():
        user, created = User.objects.get_or_create(
            username_key=BUILT_IN_ADMIN,
            defaults={
                "username": BUILT_IN_ADMIN,
                "name": "Administrator",
                "email": _MAIL,
                "role": SystemRole.ADMIN,
                "password": hashed,
                "date_password_last_updated": clock.now(),
                "need_update_password": given is None,
                "is_first_login": given is None,
                "created_by": "System",
            },
        )
        if created:
            remember_password(user)
            Membership.objects.create(org_id=DEFAULT_ORG_ID, user=user, role=OrgRole.USER, created_by="System")
            trail.record_created(SYSTEM, user)
    made_up = Secret(password) if created and given is None else None
    return FirstAdmin(username=user.username, created=created, made_up_password=made_up)
