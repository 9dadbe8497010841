"""Writes of accounts and of their own secrets. Audit records only say that secrets changed.

A change of the own secret makes a new version. The last `KEPT_VERSIONS` are stored sealed, so that whoever changed a
secret on the host can go back to the secret before.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.assets.models import Asset, Connectivity
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.vault.accounts.errors import AccountOfNode, NoOwnSecret, NothingToRestore
from postern.apps.vault.accounts.models import Account, AccountSecret
from postern.apps.vault.sealed_secrets import outside, secret_store
from postern.apps.vault.system_users import bindings
from postern.apps.vault.system_users.credentials import current_version
from postern.apps.vault.system_users.errors import FieldRefused
from postern.apps.vault.system_users.models import AccountVersion, LoginMode, SystemUser, SystemUserAsset, VersionReason
from postern.apps.vault.system_users.places import VERSIONS, place_of_version
from postern.apps.vault.system_users.rules import Plan, take_secrets
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.kernel import clock
from postern.kernel.errors import Conflict
from postern.kernel.ids import new_id

#: Stored versions of an account, including the current version.
KEPT_VERSIONS: Final = 10
_SECRETS: Final = ("password", "private_key")


def hold(rows: Sequence[SystemUserAsset], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
    """Lock accounts for a write, after the rows that they refer to: whoever deletes those locks them first, too."""
    system_users = {row.systemuser_id for row in rows if row.systemuser_id}
    named = {item["systemuser"].pk for item in values if item.get("systemuser") is not None}
    row_locks.share(SystemUser, system_users, required=named)
    row_locks.share(
        Asset,
        {row.asset_id for row in rows},
        required={item["asset"].pk for item in values if item.get("asset") is not None},
    )
    keys = [row.pk for row in rows]
    row_locks.lock(SystemUserAsset, keys, deleting=deleting)
    versions = AccountVersion.objects.filter(account_id__in=keys).order_by()
    secret_store.lock_all(VERSIONS, list(versions.values_list("pk", flat=True)), deleting=deleting)


@transaction.atomic
def create_account(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Account:
    """Create an account. `values`: `asset`, `systemuser` (None: an account of the asset alone), `username`, `comment`,
    `password`, `private_key`.
    """
    row = Account(
        org_id=org_id,
        created_by=actor.label,
        asset=values["asset"],
        systemuser=values.get("systemuser"),
        username=values.get("username", ""),
        comment=values.get("comment", ""),
    )
    made = _plan(row, values)
    row.save(force_insert=True)
    if made.secrets:
        _store_version(row, made, actor=actor, number=1)
    shown = {"asset": row.asset.hostname, "username": row.login_name, "comment": row.comment}
    if row.systemuser is not None:
        shown["systemuser"] = str(row.systemuser)
    audits.record_change(
        actor=actor,
        action="create",
        target=row,
        new={**shown, "version": row.version, **secret_store.masked(made.secrets)},
    )
    return row


@transaction.atomic
def update_account(*, actor: Actor, account: Account, values: Mapping[str, Any]) -> Account:
    """Change the comment and the own secrets. An empty secret keeps the stored secret. Each change of a secret makes a
    new version and forgets the result of the last test.
    """
    row: Account = Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)
    made = _plan(row, values)
    changes = recorded.assign(row, {"comment": values["comment"]} if "comment" in values else {})
    old, new = dict(changes.old), dict(changes.new)
    if not made.secrets and not new:  # no change, so nothing to audit
        return row
    if made.secrets:
        names = set(made.secrets)
        old |= {"version": row.version, **secret_store.masked(names, _held(row))}
        _store_version(row, made, actor=actor, number=row.version + 1)
        new |= {"version": row.version, **secret_store.masked(names)}
    else:
        row.save()
    audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


@transaction.atomic
def clear_own_secret(*, actor: Actor, account: Account) -> Account:
    """Take the account's own secret away: it signs in with that of its system user again. Raises NoOwnSecret."""
    row: Account = Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)
    if not row.has_own_secret:
        raise NoOwnSecret(_("This account has no secret of its own."))
    held, before = _held(row), row.version
    _new_version(row, Plan({}), VersionReason.CLEARED, actor=actor, number=before + 1)
    row.has_own_secret = False
    row.public_key = row.ssh_key_fingerprint = ""
    _forget_test(row)
    row.save()
    audits.record_change(
        actor=actor,
        action="update",
        event=audits.Event.ACCOUNT_SECRET_REMOVED,
        target=row,
        old={"version": before, **secret_store.masked(held)},
        new={"version": row.version, **dict.fromkeys(sorted(held))},
    )
    return row


@transaction.atomic
def restore_version(*, actor: Actor, account: Account, number: int, current: int) -> Account:
    """Make the secrets of an earlier version the current secrets, as a new version.

    `current` is the version that the person saw as the current version: the same request a second time, or one that did not
    know of a change, does nothing. Raises AccountVersion.DoesNotExist, NothingToRestore, Conflict,
    FieldRefused, SecretUnreadable.
    """
    row: Account = Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)
    source: AccountVersion = AccountVersion.objects.get(account=row, number=number)
    if row.version != current:
        raise Conflict(_("The secret was changed meanwhile. Look at its versions again."))
    if number == row.version:
        raise NothingToRestore(_("This version is the current one."))
    made = Plan({})
    for name in _SECRETS:
        secret = secret_store.get(place_of_version(source, row.org_id, name))
        if secret is not None:
            made.secrets[name] = secret
    if not made.secrets:
        raise NothingToRestore(_("This version has no secret. To return to none, remove the own secret."))
    _require_stored(row, made)
    held, before = _held(row), row.version
    row.public_key, row.ssh_key_fingerprint = source.public_key, source.ssh_key_fingerprint
    _make_current(row, made, VersionReason.RESTORED, actor=actor, number=before + 1)
    audits.record_change(
        actor=actor,
        action="update",
        event=audits.Event.ACCOUNT_SECRET_RESTORED,
        target=row,
        old={"version": before, **secret_store.masked(held)},
        new={"version": row.version, "restored_version": number, **secret_store.masked(set(made.secrets))},
    )
    return row


@transaction.atomic
def delete_account(*, actor: Actor, account: Account) -> None:
    """Delete an account with its secrets and their versions. Raises AccountOfNode."""
    nodes = bindings.nodes_that_bind(account)
    if nodes:
        raise AccountOfNode(
            _(
                "%(account)s follows from the node %(node)s, to which the system user is bound. Remove the system user "
                "from the node, or the asset. To return to the secret of the system user, remove the own secret."
            )
            % {"account": str(account), "node": nodes[0]}
        )
    old = {"asset": account.asset.hostname, "username": account.login_name, "version": account.version}
    old |= secret_store.masked(_held(account))
    _drop(list(AccountVersion.objects.filter(account=account).order_by("pk")))
    recorded.delete_row(actor=actor, row=account, old=old)


@transaction.atomic
def record_look(*, actor: Actor, rows: Sequence[AccountSecret], via: Literal["list", "item", "file"]) -> None:
    """Audit that a person saw the secrets of these accounts. Called before the answer leaves."""
    audits.record_changes(
        actor=actor,
        action="other",
        event=audits.Event.ACCOUNTSECRET_VIEWED,
        changes=[audits.Change(row, new={"via": via, "version": row.version}) for row in rows],
    )


def _drop(versions: Sequence[AccountVersion]) -> None:
    if versions:
        keys = [version.pk for version in versions]
        secret_store.drop_rows(VERSIONS, keys)
        AccountVersion.objects.filter(pk__in=keys).delete()


def _plan(row: Account, values: Mapping[str, Any]) -> Plan:
    """The secrets to write. Raises FieldRefused."""
    made = Plan({})
    take_secrets(made, {name: values.get(name) for name in _SECRETS})
    _require_stored(row, made)
    return made


def _require_stored(row: Account, made: Plan) -> None:
    """Raises FieldRefused if users enter the credential of this account."""
    if made.secrets and row.systemuser is not None and row.systemuser.login_mode == LoginMode.MANUAL:
        raise FieldRefused(
            next(iter(sorted(made.secrets))),
            _("Users of %(name)s enter the credential at each sign-in, so none is stored.")
            % {"name": row.systemuser.name},
        )


def _store_version(row: Account, made: Plan, *, actor: Actor, number: int) -> None:
    """Make these secrets the current secrets. An own secret that is not among them stays."""
    before = current_version(row)
    retained = [name for name in _SECRETS if before is not None and name not in made.secrets]
    if before is not None:
        for name in retained:
            secret = secret_store.get(place_of_version(before, row.org_id, name))
            if secret is not None:
                made.secrets[name] = secret
    if made.key is not None:
        row.public_key, row.ssh_key_fingerprint = made.key.public_key, made.key.fingerprint
    _make_current(row, made, VersionReason.ENTERED, actor=actor, number=number)


def _make_current(row: Account, made: Plan, reason: VersionReason, *, actor: Actor, number: int) -> None:
    version = _new_version(row, made, reason, actor=actor, number=number)
    secret_store.put_all(place_of_version(version, row.org_id, ""), made.secrets)
    row.has_own_secret = True
    _forget_test(row)
    row.save()
    _drop(list(AccountVersion.objects.filter(account=row).order_by("-number")[KEPT_VERSIONS:]))


def _new_version(row: Account, made: Plan, reason: VersionReason, *, actor: Actor, number: int) -> AccountVersion:
    row.version = number
    version: AccountVersion = AccountVersion.objects.create(
        id=outside.repeatable("id", new_id),
        account=row,
        number=number,
        reason=reason,
        has_password="password" in made.secrets,
        has_private_key="private_key" in made.secrets,
        public_key=row.public_key if "private_key" in made.secrets else "",
        ssh_key_fingerprint=row.ssh_key_fingerprint if "private_key" in made.secrets else "",
        created_by=actor.label[:128],
    )
    return version


def _forget_test(row: Account) -> None:
    row.connectivity, row.date_verified = Connectivity.UNKNOWN, None
    row.date_secret_changed = clock.now()


def _held(row: SystemUserAsset) -> set[str]:
    """Names of the account's own secrets."""
    version = current_version(row)
    if version is None:
        return set()
    return {name for name in _SECRETS if getattr(version, f"has_{name}")}
