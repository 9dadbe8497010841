"""Public interface of users for other apps."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils.translation import get_language

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.holding import hold, hold_caller, hold_changeable, hold_epoch, hold_memberships
from postern.apps.users.accounts.mail_addresses import stand_in_mail, usable_mail
from postern.apps.users.accounts.models import Membership, SystemRole, User
from postern.apps.users.accounts.queries import (
    OrgRoles,
    account_named,
    administered_org_ids,
    id_addressed,
    id_named,
    org_roles_of,
    ssh_keys_named,
)
from postern.apps.users.credentials.actions.ending import end_chosen as end_credentials
from postern.apps.users.credentials.actions.links import LINK_LIFETIME, IssuedLink, read_link, redeem_set_password_link
from postern.apps.users.credentials.actions.passwords import change_own_password, prepare_own, set_public_keys
from postern.apps.users.credentials.forgotten import mail_forgotten
from postern.apps.users.credentials.kinds import CHOICES as CREDENTIAL_CHOICES
from postern.apps.users.credentials.kinds import Kind as CredentialKind
from postern.apps.users.credentials.kinds import Rows as CredentialRows
from postern.apps.users.credentials.kinds import held_by as credentials_of
from postern.apps.users.credentials.link_mail import LinkReason
from postern.apps.users.credentials.rules import password_expiration_days
from postern.apps.users.groups.actions import create_group, delete_group, hold_groups, require_members, update_group
from postern.apps.users.groups.models import UserGroup, UserGroupMember
from postern.apps.users.invitations.models import Invitation, InvitationAnswer
from postern.apps.users.memberships.actions import add_org_role, set_org_roles, take_org_role
from postern.apps.users.people.actions.people import (
    CreatedUser,
    PersonInput,
    change_mfa_level,
    create_user,
    update_own_profile,
    update_user,
)
from postern.apps.users.people.actions.registering import register_service_account
from postern.apps.users.people.actions.restoring import renew_link, reopen
from postern.apps.users.people.queries import changeable
from postern.contracts.access import UserIdentity
from postern.kernel import clock

__all__ = [
    "CREDENTIAL_CHOICES",
    "LINK_LIFETIME",
    "CreatedUser",
    "CredentialKind",
    "CredentialRows",
    "InvitationBrief",
    "IssuedLink",
    "LinkReason",
    "OrgRoles",
    "PersonInput",
    "UserBrief",
    "UserFigures",
    "account_named",
    "add_org_role",
    "administered_org_ids",
    "brief",
    "change_mfa_level",
    "change_own_password",
    "changeable",
    "create_group",
    "create_user",
    "credentials_of",
    "delete_group",
    "end_credentials",
    "epoch_of",
    "group_ids_of",
    "group_names",
    "hold",
    "hold_caller",
    "hold_changeable",
    "hold_epoch",
    "hold_groups",
    "hold_memberships",
    "id_by_name_or_address",
    "id_named",
    "identity_of",
    "invitation_brief",
    "is_administrator",
    "is_known",
    "is_valid",
    "mail_forgotten",
    "member_ids",
    "member_ids_among",
    "org_roles_of",
    "password_expiration_days",
    "prepare_own",
    "read_link",
    "redeem_set_password_link",
    "register_service_account",
    "renew_link",
    "reopen",
    "require_members",
    "set_org_roles",
    "set_public_keys",
    "ssh_keys_named",
    "stand_in_mail",
    "take_org_role",
    "update_group",
    "update_own_profile",
    "update_user",
    "usable_mail",
    "user_figures",
    "valid_until",
]


@dataclass(frozen=True, slots=True)
class UserBrief:
    """The fields of a user that other apps show. `label` is `Name(username)`."""

    id: UUID
    username: str
    name: str
    is_valid: bool
    language: str

    @property
    def label(self) -> str:
        return f"{self.name}({self.username})"


@dataclass(frozen=True, slots=True)
class UserFigures:
    """The people of an organization; `disabled`: those who may not sign in any more, or not at present."""

    users: int
    disabled: int


def user_figures(org_id: UUID | None) -> UserFigures:
    """The people of the organization (None: of all)."""
    rows = User.objects.people() if org_id is None else User.objects.people().members_of(org_id)
    total = rows.count()
    return UserFigures(users=total, disabled=total - rows.valid().count())


def brief(user_ids: Iterable[UUID]) -> dict[UUID, UserBrief]:
    """The users with these ids; unknown ids are left out."""
    return {
        user.pk: UserBrief(
            id=user.pk, username=user.username, name=user.name, is_valid=user.is_valid, language=spoken_to(user)
        )
        for user in User.objects.filter(pk__in=list(user_ids))
    }


def id_by_name_or_address(text: str) -> UUID | None:
    """The user with this login name or else this mail address; None when there is none. Always the same queries."""
    named, addressed = id_named(text), id_addressed(text)
    return named or addressed


@dataclass(frozen=True, slots=True)
class InvitationBrief:
    """An invitation as messages describe it.

    `consenters`: administrators of the invited user, who can also accept it.
    """

    user_id: UUID
    user: str
    inviter_id: UUID | None
    inviter: str
    org: str
    is_open: bool
    is_accepted: bool
    consenters: frozenset[UUID]


def invitation_brief(invitation_id: UUID) -> InvitationBrief | None:
    """The invitation; None when it no longer exists, or names no existing user."""
    row = Invitation.objects.select_related("org", "user").filter(pk=invitation_id, user__isnull=False).first()
    if row is None or row.user is None:
        return None
    org_ids = Membership.objects.filter(user=row.user).exclude(org=row.org).values("org_id")
    administrators = Membership.objects.filter(org_id__in=org_ids, role=OrgRole.ADMIN).exclude(user=row.user)
    may_consent = row.user.role == SystemRole.USER
    return InvitationBrief(
        user_id=row.user.pk,
        user=str(row.user),
        inviter_id=row.inviter_id,
        inviter=row.created_by,
        org=row.org.name,
        is_open=row.answer == "" and row.date_expired > clock.now(),
        is_accepted=row.answer == InvitationAnswer.ACCEPTED,
        consenters=frozenset(administrators.values_list("user_id", flat=True) if may_consent else ()),
    )


def epoch_of(user_id: UUID) -> int | None:
    """The user's session epoch; None when there is no such user or they may not act."""
    user = User.objects.filter(pk=user_id).first()
    return user.session_epoch if user is not None and user.is_valid else None


def is_administrator(user_id: UUID, org_id: UUID) -> bool:
    """Whether the user administers the system or this organization now."""
    is_of_system = User.objects.filter(pk=user_id, role=SystemRole.ADMIN).exists()
    return is_of_system or any(row.org_id == org_id and OrgRole.ADMIN in row.roles for row in org_roles_of(user_id))


def identity_of(user_id: UUID) -> UserIdentity | None:
    """The identity that a proxy receives; None when the user does not exist or is not active."""
    user = User.objects.filter(pk=user_id).first()
    if user is None or not user.is_valid:
        return None
    return UserIdentity(
        id=user.pk,
        username=user.username,
        name=user.name,
        language=spoken_to(user),
        is_service_account=user.is_service_account,
    )


def spoken_to(user: User) -> str:
    """The language that the user has chosen, else the active language (of the request or the installation)."""
    return user.language or get_language() or settings.LANGUAGE_CODE


def is_known(username: str) -> bool:
    """Whether an account with this name exists."""
    return User.objects.named(username) is not None


def is_valid(user_id: UUID) -> bool:
    """Whether the user exists, is active and has not expired."""
    return User.objects.valid().filter(pk=user_id).exists()


def epochs(user_ids: Iterable[UUID]) -> dict[UUID, int]:
    """Session epochs of these users. A changed epoch means that everything of the user was ended."""
    return dict(User.objects.filter(pk__in=list(user_ids)).values_list("pk", "session_epoch"))


def has_expired(user_id: UUID) -> bool:
    """Whether the account has ended by its date alone: it is neither disabled nor deleted."""
    return User.objects.filter(pk=user_id, is_active=True, date_expired__lte=clock.now()).exists()


def valid_until(user_id: UUID) -> datetime | None:
    """When the account expires; None for never, the current instant when the account is not usable now."""
    user = User.objects.filter(pk=user_id).first()
    if user is None or not user.is_valid:
        return clock.now()
    return user.date_expired


def group_ids_of(user_id: UUID) -> frozenset[UUID]:
    """Ids of the user's groups, in all organizations."""
    return frozenset(UserGroupMember.objects.filter(user_id=user_id).values_list("usergroup_id", flat=True))


def group_names(group_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Group names by id."""
    return dict(UserGroup.objects.filter(pk__in=list(group_ids)).values_list("pk", "name"))


def member_ids_among(org_id: UUID, user_ids: Iterable[UUID]) -> frozenset[UUID]:
    """Those of these users who have any role in the organization."""
    rows = Membership.objects.filter(org_id=org_id, user_id__in=list(user_ids))
    return frozenset(rows.values_list("user_id", flat=True))


def member_ids(org_id: UUID) -> frozenset[UUID]:
    """Ids of all users with any role in the organization."""
    return frozenset(Membership.objects.filter(org_id=org_id).values_list("user_id", flat=True))
