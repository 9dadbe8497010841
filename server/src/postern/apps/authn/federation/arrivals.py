"""Maps a person of a provider to a user: known, prepared, new, or none."""

import logging
from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError

from postern.apps.authn.federation.errors import MAIL_TAKEN, NO_NAME, TAKEN, UNKNOWN, UNUSABLE, NoUser
from postern.apps.authn.federation.mapping import ProviderData, groups_by, role_by, rules_from
from postern.apps.authn.federation.models import FederatedIdentity, FederatedProvider
from postern.apps.orgs import facade as orgs
from postern.apps.orgs.roles import OrgRole
from postern.apps.users import facade as users
from postern.apps.users.models import Source, User, UserGroup, UserGroupMember
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import ROOT, OrgScope
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

#: Users need a mail address. This domain never exists (RFC 2606).
_NO_MAIL: Final = "federated.invalid"
_MOST_CHARS: Final = 128


def user_with_identity(source: Source, issuer: str, subject: str) -> User | None:
    """The user with this identity."""
    rows = FederatedIdentity.objects.select_related("user").filter(source=source, issuer=issuer, subject=subject)
    identity = rows.first()
    return identity.user if identity is not None else None


def admit(provider: FederatedProvider, source: Source, issuer: str, subject: str, data: ProviderData) -> User:
    """The user of a person who has no identity yet: prepared by an administrator, or new. Raises NoUser.

    Accounts of another source, and accounts with another identity, are never taken over.
    """
    try:
        return _admitted(provider, source, issuer, subject, data)
    except NoUser:
        already = user_with_identity(
            source, issuer, subject
        )  # a concurrent sign-in of the same person created the user
        if already is None:
            raise
        return already


def _admitted(provider: FederatedProvider, source: Source, issuer: str, subject: str, data: ProviderData) -> User:
    if not data.username:
        raise NoUser(NO_NAME.say(provider=provider.name, claim=provider.username_claim))
    user = User.objects.named(data.username)
    try:
        with write_transaction():
            if user is None:
                user = _created(provider, source, data)
            else:
                _require_prepared(provider, source, user, data)
            FederatedIdentity.objects.create(user=user, source=source, issuer=issuer, subject=subject)
    except IntegrityError:
        raise NoUser(TAKEN.say(username=data.username, provider=provider.name)) from None
    except ValidationError as error:
        raise NoUser(UNUSABLE.say(provider=provider.name, reason=" ".join(error.messages)[:200])) from None
    except NoUser:
        raise
    except PosternError as error:
        log.warning("no user could be created for %s of %s: %s", subject, provider.slug, error)
        raise NoUser(error.sentence) from None
    return user


def follow(provider: FederatedProvider, user: User, data: ProviderData) -> User:
    """Update and audit the values that differ at the provider: name, mail address, and role and groups of the rules.

    Raises PosternError when a change is not possible. Nothing is changed then.
    """
    rules = rules_from(provider.rules)
    role = role_by(rules, data.held)
    columns: dict[str, object] = {"role": role} if role is not None else {}
    if data.name:
        columns["name"] = data.name[:_MOST_CHARS]
    email = users.usable_mail(data.email)
    if email and not User.objects.filter(email=email).exclude(pk=user.pk).exists():
        columns["email"] = email
    changed = {name: value for name, value in columns.items() if getattr(user, name) != value}
    with write_transaction():
        if changed:
            users.update_user(actor=SYSTEM, scope=ROOT, user=user, person=users.PersonInput(columns=changed))
        _follow_groups(user, *groups_by(rules, data.held))
    return User.objects.get(pk=user.pk)


def _require_prepared(provider: FederatedProvider, source: Source, user: User, data: ProviderData) -> None:
    is_free = user.source == source and not FederatedIdentity.objects.filter(user=user).exists()
    if not is_free or not provider.adopts_users:
        raise NoUser(TAKEN.say(username=data.username, provider=provider.name))


def _created(provider: FederatedProvider, source: Source, data: ProviderData) -> User:
    if not provider.creates_users:
        raise NoUser(UNKNOWN.say(provider=provider.name))
    email = users.usable_mail(data.email) or users.stand_in_mail(data.username, domain=_NO_MAIL)
    if User.objects.filter(email=email).exists():
        raise NoUser(MAIL_TAKEN.say(email=email))
    columns = {
        "username": data.username,
        "name": (data.name or data.username)[:_MOST_CHARS],
        "email": email,
        "source": source,
    }
    # The database checks unique columns.
    User(**columns).clean_fields(exclude=["password", "username_key"])
    scope = orgs.find_scope("default")
    return users.create_user(actor=SYSTEM, scope=scope, person=users.PersonInput(columns=columns)).user


def _follow_groups(user: User, about: Collection[UUID], given: Collection[UUID]) -> None:
    """Update the memberships in the groups `about`. Other groups and roles in organizations do not change."""
    by_org: dict[UUID, set[UUID]] = {}
    for group_id, org_id in UserGroup.objects.filter(pk__in=about).order_by("pk").values_list("pk", "org_id"):
        by_org.setdefault(org_id, set()).add(group_id)
    for org_id in sorted(by_org):
        current = frozenset(
            UserGroupMember.objects.filter(user=user, usergroup__org_id=org_id).values_list("usergroup_id", flat=True)
        )
        wanted = (current - by_org[org_id]) | (by_org[org_id] & set(given))
        if wanted == current:
            continue
        scope = OrgScope(org_id)
        if not users.member_ids_among(org_id, [user.pk]):
            users.add_org_role(actor=SYSTEM, scope=scope, user=user, role=OrgRole.USER)
        users.update_user(actor=SYSTEM, scope=scope, user=user, person=users.PersonInput(group_ids=wanted))
