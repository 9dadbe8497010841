"""Writes of applications.

Secrets go into the encrypted store; audit records only say that they changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from postern.apps.applications.kinds.declarations import DECLARATIONS, Declaration, Form
from postern.apps.applications.managed.models import Application
from postern.apps.applications.managed.places import APPLICATIONS, place_of
from postern.apps.applications.managed.uses import OTHERS
from postern.apps.assets.models import Asset, Domain
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.vault import facade as vault
from postern.foundation import licensing
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.database.uses import require_unused
from postern.kernel.ids import new_id
from postern.kernel.secret import Secret

Values = Mapping[str, Any]
_COLUMNS: Final = ("name", "category", "type", "domain", "comment")


@dataclass(slots=True)
class _Attributes:
    """The attributes of a request, by how they are stored. `cleared`: secrets to remove."""

    plain: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, Secret] = field(default_factory=dict)
    cleared: set[str] = field(default_factory=set)


def hold(rows: Sequence[Application], values: Sequence[Values], *, deleting: bool = False) -> None:
    """Lock applications for a write, after the rows that they refer to: whoever deletes those locks them first, too."""
    named = [item["attrs"]["asset"] for item in values if (item.get("attrs") or {}).get("asset") is not None]
    row_locks.share(Domain, (), required={item["domain"].pk for item in values if item.get("domain") is not None})
    row_locks.share(Asset, {row.asset_id for row in rows if row.asset_id}, required={asset.pk for asset in named})
    keys = [row.pk for row in rows]
    row_locks.lock(Application, keys, deleting=deleting)
    vault.lock_secrets(APPLICATIONS, keys, deleting=deleting)


@transaction.atomic
def create_application(*, actor: Actor, org_id: UUID, values: Values) -> Application:
    """Create an application. `values`: columns, and `attrs` with all attributes of its type. Raises LicenceRequired."""
    declaration = DECLARATIONS[values["type"]]
    _require_licence(declaration)
    row = Application(id=vault.repeatable("id", new_id), org_id=org_id, created_by=actor.label)
    for name in _COLUMNS:
        if name in values:
            setattr(row, name, values[name])
    given = _sorted_out(declaration, values.get("attrs") or {})
    _take(row, given.plain)
    row.save(force_insert=True)
    _write_secrets(row, given)
    shown = {**_columns_of(row), **_attributes_of(row), **vault.masked_secrets(given.secrets)}
    audits.record_change(actor=actor, action="create", target=row, new=shown)
    return row


@transaction.atomic
def update_application(*, actor: Actor, application: Application, values: Values) -> Application:
    """Change the given values. Attributes that are not given stay; an empty secret keeps the stored secret, and null
    removes it. Raises LicenceRequired.
    """
    row: Application = Application.objects.select_for_update(of=("self",), no_key=True).get(pk=application.pk)
    _require_licence(row.declaration)
    given = _sorted_out(row.declaration, values.get("attrs") or {})
    held = vault.held_secrets(place_of(row))
    given.cleared &= held
    before = {**_columns_of(row), **_attributes_of(row)}
    for name in _COLUMNS:
        if name in values:
            setattr(row, name, values[name])
    _take(row, given.plain)
    after = {**_columns_of(row), **_attributes_of(row)}
    changed = [name for name in after if after[name] != before.get(name)]
    if not changed and not given.secrets and not given.cleared:  # no change, so nothing to audit
        return row
    row.save()
    _write_secrets(row, given)
    secrets = {*given.secrets, *given.cleared}
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={**{name: before.get(name) for name in changed}, **vault.masked_secrets(secrets, held)},
        new={**{name: after[name] for name in changed}, **vault.masked_secrets(secrets, set(given.secrets))},
    )
    return row


@transaction.atomic
def delete_application(*, actor: Actor, application: Application) -> None:
    """Delete an application with its secrets. Raises StillUsed while permissions name it, LicenceRequired."""
    _require_licence(application.declaration)
    hold([application], (), deleting=True)
    require_unused(application.name, (use(application) for use in OTHERS.value))
    held = vault.held_secrets(place_of(application))
    old = {**_columns_of(application), **_attributes_of(application), **vault.masked_secrets(held)}
    vault.drop_secrets(place_of(application))
    recorded.delete_row(actor=actor, row=application, old=old)


def _require_licence(declaration: Declaration) -> None:
    if declaration.needs_licence:
        licensing.require()


def _sorted_out(declaration: Declaration, attrs: Values) -> _Attributes:
    """The attributes by how they are stored. Names that the type does not have are left out."""
    given = _Attributes()
    for attribute in declaration.attributes:
        if attribute.name not in attrs:
            continue
        value = attrs[attribute.name]
        if attribute.form is not Form.SECRET:
            given.plain[attribute.name] = value
        elif value is None:
            given.cleared.add(attribute.name)
        elif value:
            given.secrets[attribute.name] = Secret(value)
    return given


def _take(row: Application, plain: Values) -> None:
    """Set the attributes: the host in its column, the others in `attrs`."""
    if "asset" in plain:
        row.asset = plain["asset"]
    row.attrs = {**row.attrs, **{name: value for name, value in plain.items() if name != "asset"}}


def _write_secrets(row: Application, given: _Attributes) -> None:
    for name, secret in given.secrets.items():
        vault.put_secret(place_of(row, name), secret)
    for name in given.cleared:
        vault.drop_secret(place_of(row, name))


def _columns_of(row: Application) -> dict[str, Any]:
    columns = {name: getattr(row, name) for name in _COLUMNS}
    return {**columns, "domain": row.domain.name if row.domain is not None else None}


def _attributes_of(row: Application) -> dict[str, Any]:
    """The attributes as audit records show them, without secrets."""
    declared = {attribute.name for attribute in row.declaration.attributes}
    host = {"asset": row.asset.hostname if row.asset is not None else None} if "asset" in declared else {}
    return {**host, **row.attrs}
