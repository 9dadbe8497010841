"""Moving secrets to another store while sessions read them.

Each batch is written to the new store and read back before its rows change, in one transaction with the audit record. A
row that was changed meanwhile is left for the next round. After a crash the same command continues: what was written
for rows that did not change is unused, and `tidying` removes it. The former values are removed later, too: local copies
stay in their rows for some days, so that secrets can be moved back without Vault.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.vault.sealed_secrets import providers
from postern.apps.vault.sealed_secrets.errors import MoveRefused, SecretUnreadable
from postern.apps.vault.sealed_secrets.local_provider import LocalSecrets
from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.secret_store import columns_of, keyring, place_of, stored_of
from postern.apps.vault.sealed_secrets.stored import StoredSecret
from postern.apps.vault.sealed_secrets.vault_transit import key_version
from postern.foundation.caller.actor import Actor
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.clock import now
from postern.kernel.errors import Unavailable
from postern.kernel.ids import ROOT_ORG_ID

_BATCH: Final = 100
#: Rows that other writers change again and again are left after this many rounds.
_MOST_ROUNDS: Final = 10
_COLUMNS: Final = ("provider", "kek_version", "wrapped_key", "ciphertext", "reference", "reference_version")


@dataclass(frozen=True, slots=True)
class MoveReport:
    """`left` secrets are still elsewhere: `unreadable` names those that nobody can read, others were being changed."""

    moved: int
    left: int
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RewrapReport:
    """`version` is the newest version of Vault's key among the secrets; `unreadable` names what Vault cannot decrypt."""

    version: int
    rewrapped: int
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """A secret that is ready in its new store, and the row as it was read."""

    key: int
    before: StoredSecret
    after: StoredSecret


def move(*, actor: Actor, to: SecretStore) -> MoveReport:
    """Move all secrets of targets to a store. Raises `MoveRefused`, and PosternError while a store cannot be used."""
    if settings.POSTERN.secret_store is not to:
        raise MoveRefused(
            _(
                "New secrets still go to %(now)s. Set POSTERN_SECRET_STORE=%(wanted)s for all services, restart them, and "
                "move then: a service with the former settings could not read what was moved."
            )
            % {"now": settings.POSTERN.secret_store.value, "wanted": to.value}
        )
    moved, unreadable = 0, set[int]()
    for _round in range(_MOST_ROUNDS):
        rows = _elsewhere(to).exclude(pk__in=unreadable)
        if not rows.exists():
            break
        moved += _move_round(rows, to, unreadable, actor=actor)
    broken = SealedSecret.objects.filter(pk__in=unreadable).order_by("pk")
    return MoveReport(moved=moved, left=_elsewhere(to).count(), unreadable=tuple(map(str, broken)))


def rewrap(*, actor: Actor) -> RewrapReport:
    """Wrap the data keys of `vault-transit` with the newest version of Vault's key."""
    rows = SealedSecret.objects.filter(provider=SecretStore.VAULT_TRANSIT)
    count, last, newest, unreadable = 0, 0, 0, list[str]()
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:_BATCH]):
        last = batch[-1].pk
        wrapped = providers.client().rewrap([row.reference for row in batch])
        steps = []
        for row, text in zip(batch, wrapped, strict=True):
            if text is None:
                unreadable.append(str(row))
                continue
            version, before = key_version(text), stored_of(row)
            newest = max(newest, version)
            if version != row.reference_version:
                steps.append(_Step(row.pk, before, replace(before, reference=text, reference_version=version)))
        count += _take(
            steps, actor=actor, event=audits.Event.VAULT_SECRETS_REWRAPPED, about={"transit_version": newest}
        )
    return RewrapReport(version=newest, rewrapped=count, unreadable=tuple(unreadable))


def _elsewhere(to: SecretStore) -> QuerySet[SealedSecret]:
    rows: QuerySet[SealedSecret] = SealedSecret.objects.filter(table__startswith=providers.movable_tables())
    return rows.exclude(provider=to)


def _move_round(rows: QuerySet[SealedSecret], to: SecretStore, unreadable: set[int], *, actor: Actor) -> int:
    moved, last = 0, 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:_BATCH]):
        last = batch[-1].pk
        steps = []
        for row in batch:
            try:
                steps.append(_prepared(row, to))
            except SecretUnreadable:
                # Replaced or moved since it was read, or really unreadable: then it is still the same row.
                latest = SealedSecret.objects.filter(pk=row.pk).first()
                if latest is not None and stored_of(latest) == stored_of(row):
                    unreadable.add(row.pk)
        moved += _take(steps, actor=actor, event=audits.Event.VAULT_SECRETS_MOVED, about={"to": to.value})
    return moved


def _prepared(row: SealedSecret, to: SecretStore) -> _Step:
    """Write the secret of a row to the store, and compare what can be read there. Raises `SecretUnreadable`."""
    before, place = stored_of(row), place_of(row)
    after = _written(before, place, to)
    if before.has_local_key and to is not SecretStore.LOCAL:
        # The local copy stays in the row.
        after = replace(
            after, kek_version=before.kek_version, wrapped_key=before.wrapped_key, ciphertext=before.ciphertext
        )
    return _Step(row.pk, before, after)


def _written(before: StoredSecret, place: SecretPlace, to: SecretStore) -> StoredSecret:
    local = LocalSecrets(keyring())
    if to is SecretStore.LOCAL and before.has_local_key:
        after = replace(before, provider=SecretStore.LOCAL, reference="", reference_version=0)
        local.open(after, place)
        return after
    secret = providers.provider(before.provider, keyring()).open(before, place)
    if to is SecretStore.VAULT_TRANSIT and before.has_local_key:
        # The ciphertext stays, so that the local copy of its key stays usable.
        after = providers.transit().wrap(place, local.data_key(before, place), before.ciphertext)
    else:
        after = providers.provider(to, keyring()).store(place, secret)
    stored = providers.provider(to, keyring()).open(after, place)
    if not hmac.compare_digest(stored.reveal().encode(), secret.reveal().encode()):
        raise Unavailable(_("The secret store returned another value than was written. Nothing was changed."))
    return after


@transaction.atomic
def _take(steps: Sequence[_Step], *, actor: Actor, event: audits.Event, about: dict[str, Any]) -> int:
    """Change the rows that are still as they were read. Returns how many."""
    if not steps:
        return 0
    rows = {
        row.pk: row
        for row in SealedSecret.objects.select_for_update().filter(pk__in=[step.key for step in steps]).order_by("pk")
    }
    taken, instant = [], now()
    for step in steps:
        row = rows.get(step.key)
        if row is None or stored_of(row) != step.before:
            continue
        for name, value in columns_of(step.after).items():
            setattr(row, name, value)
        if step.after.provider is not step.before.provider:
            row.date_moved = None if step.after.provider is SecretStore.LOCAL else instant
        taken.append(row)
    if not taken:
        return 0
    SealedSecret.objects.bulk_update(taken, [*_COLUMNS, "date_moved"])
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        object_type="SecretStore",
        object_id=taken[0].provider,
        new={**about, "count": len(taken)},
    )
    return len(taken)
