"""Re-exports the tables of users for Django's model discovery and for the other apps."""

from postern.apps.users.accounts.models import (
    BUILT_IN_ADMIN,
    DEFAULT_LIFETIME,
    Kind,
    Language,
    Membership,
    MfaLevel,
    Source,
    SystemRole,
    User,
    UserQuerySet,
    default_date_expired,
    username_key,
)
from postern.apps.users.credentials.models import PasswordHistory, SetPasswordLink
from postern.apps.users.groups.models import UserGroup, UserGroupMember
from postern.apps.users.invitations.models import Invitation, InvitationAnswer, InvitationQuerySet

__all__ = [
    "BUILT_IN_ADMIN",
    "DEFAULT_LIFETIME",
    "Invitation",
    "InvitationAnswer",
    "InvitationQuerySet",
    "Kind",
    "Language",
    "Membership",
    "MfaLevel",
    "PasswordHistory",
    "SetPasswordLink",
    "Source",
    "SystemRole",
    "User",
    "UserGroup",
    "UserGroupMember",
    "UserQuerySet",
    "default_date_expired",
    "username_key",
]
