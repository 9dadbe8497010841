"""Keeping a credential that a user enters beforehand, and its one use.

It serves programs that cannot be asked while they connect (`scp`, `sftp`, editors). It lasts five minutes, works
only for this user, asset and system user, and is released to the proxy like a stored secret.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions.entered_credentials.errors import NothingToEnter
from postern.apps.sessions.entered_credentials.models import EnteredCredential
from postern.apps.users import facade as users
from postern.apps.vault import facade as vault
from postern.contracts.access import Credential, Denial
from postern.contracts.enums import DenialCode, Protocol
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.errors import NotAllowed
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import MASK, Secret

#: For how long an entered credential is stored.
LIFE_S: Final = 300


@transaction.atomic
def keep(
    *, actor: Actor, system_user_id: UUID, asset_id: UUID, login_name: str, password: Secret
) -> EnteredCredential | Denial:
    """Store a credential for the actor's next session, in place of an earlier credential.

    Raises NothingToEnter, NotAllowed.
    """
    if actor.user_id is None or not actor.is_valid_user:
        raise NotAllowed(_("Only users can open sessions."))
    # Requests of one user are handled one after the other, and none after their access was ended.
    if users.hold_epoch(actor.user_id) != actor.epoch or actor.epoch is None:
        raise NotAllowed(_("Your sign-in has ended. Sign in again."))
    answer = _target(actor.user_id, system_user_id, asset_id)
    target = answer.target
    if target is None:
        return _refused(actor, f"{system_user_id}@{asset_id}", answer.denial)
    system_user = target.system_user
    login_name = _login_name(actor, target, login_name)
    now = clock.now()
    row, created = EnteredCredential.objects.update_or_create(
        user_id=actor.user_id,
        asset_id=target.asset.id,
        system_user_id=system_user.id,
        defaults={
            "org_id": target.asset.org_id,
            "asset": target.asset.hostname,
            "system_user": system_user.name,
            "login_name": login_name,
            "epoch": actor.epoch,
            "date_created": now,
            "date_expired": now + timedelta(seconds=LIFE_S),
            "used_by": None,
        },
    )
    vault.put_secret(row.place, password)
    audits.record(
        actor=actor,
        org_id=row.org_id,
        event=audits.Event.ENTERED_CREDENTIAL_KEPT,
        object_type="EnteredCredential",
        object_id=str(row.pk),
        object_name=f"{system_user.name}@{target.asset.hostname}",
        old=None if created else {"password": MASK},
        new={"login_name": row.login_name, "password": MASK, "date_expired": row.date_expired},
    )
    return row


def _target(user_id: UUID, system_user_id: UUID, asset_id: UUID) -> perms.TargetAnswer:
    """The target of the next session, or why the user may not open it."""
    denial = authn.unmet_condition(user_id)
    if denial is not None:
        return perms.TargetAnswer(denial=denial)
    brief = vault.system_user_briefs([system_user_id]).get(system_user_id)
    return perms.resolve_target(
        user_id=user_id,
        asset_ref=str(asset_id),
        system_user_ref=str(system_user_id),
        protocol=brief.protocol if brief is not None else Protocol.SSH,
    )


def _refused(actor: Actor, name: str, denial: Denial | None) -> Denial:
    """Record the refusal of `name` (system user@asset), and return it."""
    denial = denial or Denial(
        code=DenialCode.NO_PERMISSION,
        message=_("You are not allowed to connect to this target. Ask an administrator for access."),
    )
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.ENTERED_CREDENTIAL_REFUSED,
        object_type="EnteredCredential",
        object_name=name,
        new={"code": denial.code.value, "reasons": list(denial.reasons)},
    )
    return denial


def _login_name(actor: Actor, target: perms.ResolvedTarget, entered: str) -> str:
    """The username on the target: that of the system user, otherwise `entered`. Raises NothingToEnter."""
    system_user = target.system_user
    if not system_user.manual:
        raise NothingToEnter(
            "instance_id", _("The credential of %(name)s is stored; nobody enters it.") % {"name": system_user.name}
        )
    fixed = actor.username if system_user.username_same_with_user else system_user.username
    if fixed and entered not in {"", fixed}:
        raise NothingToEnter(
            "username",
            _("%(name)s signs in as %(login)s. Leave the username empty.") % {"name": system_user.name, "login": fixed},
        )
    if not fixed and not entered:
        raise NothingToEnter("username", _("Enter the username on the target."))
    return fixed or entered


@transaction.atomic
def forget(*, actor: Actor, credential_id: UUID) -> None:
    """Delete a credential of the actor that no session has used. Raises EnteredCredential.DoesNotExist."""
    # Looked at under its lock: a session may have taken it since it was read.
    credential = EnteredCredential.objects.owned_by(actor).select_for_update().get(pk=credential_id, used_by=None)
    audits.record(
        actor=actor,
        org_id=credential.org_id,
        event=audits.Event.ENTERED_CREDENTIAL_FORGOTTEN,
        object_type="EnteredCredential",
        object_id=str(credential.pk),
        object_name=f"{credential.system_user}@{credential.asset}",
        old={"login_name": credential.login_name, "password": MASK},
    )
    vault.drop_secrets(credential.place)
    credential.delete()


def waiting_login_name(*, user_id: UUID, asset_id: UUID, system_user_id: UUID) -> str | None:
    """The login name of the credential that the next session gets; None when none is stored."""
    rows = EnteredCredential.objects.filter(
        user_id=user_id,
        asset_id=asset_id,
        system_user_id=system_user_id,
        used_by=None,
        date_expired__gt=clock.now(),
    )
    return rows.values_list("login_name", flat=True).first()


def take(*, session_id: UUID, user_id: UUID, asset_id: UUID, system_user_id: UUID) -> Credential | None:
    """The stored credential, for this session only. Call it in a transaction.

    None when there is none, or when it has expired, was used, or was entered before all access of the user was ended.
    """
    row = (
        EnteredCredential.objects.select_for_update()
        .filter(user_id=user_id, asset_id=asset_id, system_user_id=system_user_id, date_expired__gt=clock.now())
        .first()
    )
    if row is None or row.used_by not in {None, session_id} or users.epochs([user_id]).get(user_id) != row.epoch:
        return None
    password = vault.get_secret(row.place)
    if password is None:
        return None
    if row.used_by is None:
        row.used_by = session_id
        row.save(update_fields=["used_by"])
    return Credential(login_name=row.login_name, password=password.reveal())


def purge() -> int:
    """Delete expired credentials with their passwords; returns their number."""
    gone = 0
    for key in list(
        EnteredCredential.objects.filter(date_expired__lte=clock.now()).values_list("pk", flat=True)[:1000]
    ):
        with transaction.atomic():
            # Locked and looked at again: it may have been entered anew.
            row = EnteredCredential.objects.select_for_update().filter(pk=key, date_expired__lte=clock.now()).first()
            if row is not None:
                vault.drop_secrets(row.place)
                row.delete()
                gone += 1
    return gone
