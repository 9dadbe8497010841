"""Writes of storages. Secrets go into the encrypted store; audit records only say that they changed."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits.recorded import assign, delete_row
from postern.apps.sessions.storages import remote
from postern.apps.sessions.storages.errors import FieldRefused, KeysRequired, StorageKept
from postern.apps.sessions.storages.kinds import META
from postern.apps.sessions.storages.models import ReplayStorage, Storage
from postern.apps.sessions.storages.places import REPLAY_STORAGES, place_of
from postern.apps.sessions.storages.uses import USES
from postern.apps.vault import facade as vault
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.database.connections import release_connections
from postern.foundation.database.uses import StillUsed, require_unused
from postern.foundation.phrases import said
from postern.integrations.replay_storages.failures import StorageFailed
from postern.kernel.ids import new_id
from postern.kernel.secret import Secret

Row = TypeVar("Row", bound=Storage)
Values = Mapping[str, Any]

#: Storages of an installation: a write locks all of them, because one of them is the default.
MOST: Final = 100
#: Where `look_for_recordings` found a recording.
_FOUND_AT: Final = "found_at"
_COLUMNS: Final = ("name", "comment", "is_default")


def hold(model: type[Storage], *, deleting: bool = False) -> None:
    """Lock all storages of a table, so that the default changes hands for one write at a time."""
    keys = list(model._default_manager.values_list("pk", flat=True))  # noqa: SLF001 - the documented model API
    row_locks.lock(model, keys, deleting=deleting)
    if model is ReplayStorage:
        vault.lock_secrets(REPLAY_STORAGES, keys, deleting=deleting)


@transaction.atomic
def create_storage(*, actor: Actor, model: type[Row], values: Values) -> Row:
    """Create a storage. Raises FieldRefused."""
    rows = model._default_manager  # noqa: SLF001 - the documented model API
    if rows.count() >= MOST:
        raise FieldRefused("name", _("There are %(number)d storages already. Delete one first.") % {"number": MOST})
    row = model(id=vault.repeatable("id", new_id), created_by=actor.label, type=values["type"])
    plain, secrets = _sorted_out(values["type"], values.get("meta") or {})
    missing = [field.name for field in META[values["type"]] if field.name not in {**plain, **secrets}]
    if missing:
        raise FieldRefused("meta", _("These values are missing: %(names)s.") % {"names": ", ".join(missing)})
    row.meta = plain
    for name in _COLUMNS:
        if name in values:
            setattr(row, name, values[name])
    if row.is_default:
        _take_over(actor, row)
    _save(row)
    _write_secrets(row, secrets)
    shown = {name: getattr(row, name) for name in (*_COLUMNS, "type")} | plain | vault.masked_secrets(secrets)
    audits.record_change(actor=actor, action="create", target=row, new=shown)
    return row


@transaction.atomic
def update_storage(*, actor: Actor, row: Row, changes: Values) -> Row:
    """Change a storage. Values of `meta` and secrets that are not given stay. Raises FieldRefused, StorageKept."""
    row = type(row)._default_manager.select_for_update(no_key=True).get(pk=row.pk)  # noqa: SLF001 - the documented model API
    given, secrets = _sorted_out(row.type, changes.get("meta") or {})
    former_name, former_meta = row.name, row.meta
    old, new = assign(row, {name: changes[name] for name in _COLUMNS if name in changes})
    changed = {name for name, value in given.items() if former_meta.get(name) != value}
    _require_keys(row, given, secrets)
    if not new and not changed and not secrets:
        return row
    if row.is_built_in and (set(new) - {"is_default"} or changed):
        raise StorageKept(_("%(name)s is built in and cannot be changed.") % {"name": former_name})
    if any(field.name in changed for field in META[row.type] if field.names_place) and USES.value.holds(row):
        raise FieldRefused(
            "meta", _("Recordings lie in this bucket. Move them to another storage before you change the bucket.")
        )
    host = _host({**former_meta, **given}, row)
    if host != _host(former_meta, row) and changes.get(_FOUND_AT) != host and USES.value.sample(row):
        raise FieldRefused(
            "meta", _("Recordings were stored here meanwhile. Save again, so that they are looked for at the endpoint.")
        )
    row.meta = {**former_meta, **given}
    if "is_default" in new:
        if not new["is_default"]:
            raise FieldRefused(
                "is_default", _("One storage is always the default. Make another one the default instead.")
            )
        _take_over(actor, row)
    held = vault.held_secrets(place_of(row)) if isinstance(row, ReplayStorage) and secrets else set()
    _save(row)
    _write_secrets(row, secrets)
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={**old, **{name: former_meta.get(name) for name in changed}, **vault.masked_secrets(secrets, held)},
        new={**new, **{name: given[name] for name in changed}, **vault.masked_secrets(secrets)},
    )
    if "name" in new:
        USES.value.rename(actor, row, former_name)
    return row


def look_for_recordings(row: Storage, changes: Values) -> Values:
    """The changes, with the note that a recording of the storage was found at its new endpoint.

    Call it before the transaction: it asks the endpoint. Raises FieldRefused, KeysRequired.
    """
    given, secrets = _sorted_out(row.type, changes.get("meta") or {})
    host = _host({**row.meta, **given}, row)
    if not isinstance(row, ReplayStorage) or host == _host(row.meta, row):
        return changes
    _require_keys(row, given, secrets)
    path = USES.value.sample(row)
    if path:
        release_connections()
        try:
            with remote.connect_with({**row.meta, **given}, secrets, row).open(path, size=1) as file:
                file.read(1)
        except FileNotFoundError:
            raise FieldRefused(
                "meta",
                _("The recordings of this storage are not at this endpoint. Move them to another storage first."),
            ) from None
        except StorageFailed as error:
            raise FieldRefused("meta", said(error.sentence)) from None
    return {**changes, _FOUND_AT: host}


def _host(meta: Values, row: Storage) -> tuple[object, ...]:
    """The values of `meta` that say to which host keys are sent."""
    return tuple(meta.get(field.name) for field in META[row.type] if field.names_host)


def _require_keys(row: Storage, given: Values, secrets: Mapping[str, Secret]) -> None:
    """K70: stored secrets are only sent to the saved host. Raises KeysRequired."""
    if _host({**row.meta, **given}, row) == _host(row.meta, row):
        return
    missing = [field.name for field in META[row.type] if field.is_secret and field.name not in secrets]
    if missing:
        raise KeysRequired(missing, _("Enter it again: a stored key is not sent to another endpoint."))


@transaction.atomic
def delete_storage(*, actor: Actor, row: Storage) -> None:
    """Delete a storage with its secrets. Raises StorageKept for a built-in, the default, or one that is used."""
    if row.is_built_in:
        raise StorageKept(_("%(name)s is built in and cannot be deleted.") % {"name": row.name})
    if row.is_default:
        raise StorageKept(_("%(name)s is the default. Make another storage the default first.") % {"name": row.name})
    try:
        require_unused(row.name, (count(row) for count in USES.value.counts))
    except StillUsed as error:
        raise StorageKept(error.sentence) from error
    old = {"name": row.name, "type": row.type, **row.meta}
    if isinstance(row, ReplayStorage):
        old |= vault.masked_secrets(vault.held_secrets(place_of(row)))
        vault.drop_secrets(place_of(row))
    delete_row(actor=actor, row=row, old=old)


def _take_over(actor: Actor, row: Storage) -> None:
    """Make `row` the default instead of the present default. The caller holds all rows (`hold`)."""
    if row.keeps_nothing:
        raise FieldRefused("is_default", _("This storage keeps nothing. Choose a storage that keeps what it gets."))
    model = type(row)
    for former in model._default_manager.filter(is_default=True).exclude(pk=row.pk):  # noqa: SLF001 - the documented model API
        former.is_default = False
        former.save(update_fields=["is_default", "date_updated"])
        audits.record_change(
            actor=actor, action="update", target=former, old={"is_default": True}, new={"is_default": False}
        )


def _sorted_out(kind: str, meta: Values) -> tuple[dict[str, str], dict[str, Secret]]:
    """The plain values and the secrets of `meta`. Values that are empty are left out: they stay as they are."""
    plain: dict[str, str] = {}
    secrets: dict[str, Secret] = {}
    for field in META[kind]:
        value = meta.get(field.name)
        if not value:
            continue
        if field.is_secret:
            secrets[field.name] = Secret(value)
        else:
            plain[field.name] = value
    return plain, secrets


def _write_secrets(row: Storage, secrets: Mapping[str, Secret]) -> None:
    if isinstance(row, ReplayStorage):
        for name, secret in secrets.items():
            vault.put_secret(place_of(row, name), secret)


def _save(row: Storage) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise FieldRefused("name", _("Another storage has this name.")) from error
