"""Writes of application accounts and of their own secrets. Audit records only say that secrets changed."""

from collections.abc import Collection, Sequence
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.applications.accounts.errors import NoOwnSecret, PasswordRefused
from postern.apps.applications.accounts.models import ApplicationAccount, ApplicationAccountSecret, key_of
from postern.apps.applications.accounts.places import ACCOUNTS, place_of
from postern.apps.applications.managed.models import Application
from postern.apps.audits import facade as audits
from postern.apps.vault import facade as vault
from postern.apps.vault.models import LoginMode, SystemUser
from postern.foundation import licensing
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.kernel.secret import Secret

#: (application, system user)
Pair = tuple[UUID, UUID]
#: Keys per query, because SQLite limits the number of parameters.
_SET = 500


def hold(rows: Sequence[ApplicationAccount]) -> None:
    """Lock accounts for a write, after the rows that they refer to: whoever deletes those locks them first, too."""
    row_locks.share(SystemUser, {row.systemuser_id for row in rows})
    row_locks.share(Application, {row.application_id for row in rows})
    row_locks.lock(ApplicationAccount, [row.pk for row in rows])
    vault.lock_secrets(ACCOUNTS, [row.secret_id for row in rows])


@transaction.atomic
def grant_accounts(org_id: UUID, pairs: Collection[Pair]) -> None:
    """Add the accounts that a permission grants; those that exist are granted again. The record of the permission tells
    of it.
    """
    for some in _in_sets(pairs):
        keys = [key_of(*pair) for pair in some]
        # A write that takes the same pair from another permission may be removing the row: wait for it.
        row_locks.lock(ApplicationAccount, keys)
        rows = ApplicationAccount.objects.filter(pk__in=keys)
        rows.filter(is_granted=False).order_by().update(is_granted=True)
        there = set(rows.values_list("pk", flat=True))
        new = [
            ApplicationAccount(id=key, org_id=org_id, application_id=pair[0], systemuser_id=pair[1])
            for key, pair in zip(keys, some, strict=True)
            if key not in there
        ]
        # Another permission may grant the same pair at this moment.
        ApplicationAccount.objects.bulk_create(new, ignore_conflicts=True)


def hold_accounts(pairs: Collection[Pair]) -> None:
    """Lock accounts before the caller asks whether a permission still grants them: a write that grants one waits, or is
    seen.
    """
    for some in _in_sets(pairs):
        row_locks.lock(ApplicationAccount, [key_of(*pair) for pair in some], deleting=True)


@transaction.atomic
def withdraw_accounts(pairs: Collection[Pair]) -> None:
    """Remove accounts that no permission grants any more. An account with a secret of its own stays."""
    for some in _in_sets(pairs):
        rows = ApplicationAccount.objects.filter(pk__in=[key_of(*pair) for pair in some])
        rows.filter(has_own_secret=True).order_by().update(is_granted=False)
        rows.filter(has_own_secret=False).delete()


@transaction.atomic
def set_own_secret(*, actor: Actor, account: ApplicationAccount, password: str) -> ApplicationAccount:
    """Store a secret of the account's own. Raises PasswordRefused, LicenceRequired."""
    row: ApplicationAccount = _locked(account)
    if row.systemuser.login_mode == LoginMode.MANUAL:
        raise PasswordRefused(
            _("Users of %(name)s enter the credential at each sign-in, so none is stored.")
            % {"name": row.systemuser.name}
        )
    held = {"password"} if row.has_own_secret else set()
    vault.put_secret(place_of(row), Secret(password))
    row.has_own_secret = True
    row.save()
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old=vault.masked_secrets(["password"], held),
        new=vault.masked_secrets(["password"]),
    )
    return row


@transaction.atomic
def clear_own_secret(*, actor: Actor, account: ApplicationAccount) -> None:
    """Return to the secret of the system user. An account that no permission grants is gone then. Raises NoOwnSecret,
    LicenceRequired.
    """
    row = _locked(account)
    if not row.has_own_secret:
        raise NoOwnSecret(_("This account has no secret of its own."))
    vault.drop_secret(place_of(row))
    row.has_own_secret = False
    if row.is_granted:
        row.save()
    else:
        ApplicationAccount.objects.filter(pk=row.pk).delete()
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old=vault.masked_secrets(["password"]),
        new={"password": None},
    )


@transaction.atomic
def record_look(
    *, actor: Actor, rows: Sequence[ApplicationAccountSecret], via: Literal["list", "item", "file"]
) -> None:
    """Audit that a person saw the secrets of these accounts. Called before the answer leaves."""
    audits.record_changes(
        actor=actor,
        action="other",
        event=audits.Event.APP_SECRET_VIEWED,
        changes=[audits.Change(row, new={"via": via}) for row in rows],
    )


def _locked(account: ApplicationAccount) -> ApplicationAccount:
    rows = ApplicationAccount.objects.select_related("application", "systemuser")
    row: ApplicationAccount = rows.select_for_update(of=("self",), no_key=True).get(pk=account.pk)
    if row.application.declaration.needs_licence:
        licensing.require()
    return row


def _in_sets(pairs: Collection[Pair]) -> "list[list[Pair]]":
    ordered = sorted(pairs)
    return [ordered[start : start + _SET] for start in range(0, len(ordered), _SET)]
